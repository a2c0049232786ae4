package io.sagaspring.saga;

import io.sagaspring.run.RunStore;

/**
 * The components that all executions share.
 *
 * @param json converts the results of steps
 * @param timeouts interrupts the code of steps
 * @param tokens makes and checks callback tokens
 * @param store stores executions
 * @param notifier publishes events
 * @param interceptor is called around the code of steps
 */
record SagaTools(
        Json json,
        Timeouts timeouts,
        CallbackTokens tokens,
        RunStore store,
        SagaNotifier notifier,
        StepInterceptor interceptor) {}
