package io.sagaspring.saga;

import io.sagaspring.run.Timeouts;
import io.sagaspring.run.VisibleRuns;

/**
 * The components that all executions share.
 *
 * @param json the converter of the results of steps
 * @param timeouts the component that interrupts the code of steps
 * @param tokens the component that creates and checks callback tokens
 * @param runs the view of the runs that the caller may see, with access to the store of all tenants
 * @param notifier the component that publishes events
 * @param interceptor the interceptor around the code of steps
 */
record SagaTools(
        Json json,
        Timeouts timeouts,
        CallbackTokens tokens,
        VisibleRuns runs,
        SagaNotifier notifier,
        StepInterceptor interceptor) {}
