package io.sagaspring.saga;

import io.sagaspring.run.VisibleRuns;

/**
 * The components that all executions share.
 *
 * @param json converts the results of steps
 * @param timeouts interrupts the code of steps
 * @param tokens makes and checks callback tokens
 * @param runs the executions that the caller may see, and those of all tenants
 * @param notifier publishes events
 * @param interceptor the interceptor around the code of steps
 */
record SagaTools(
        Json json,
        Timeouts timeouts,
        CallbackTokens tokens,
        VisibleRuns runs,
        SagaNotifier notifier,
        StepInterceptor interceptor) {}
