package io.sagaspring.saga;

import io.sagaspring.run.RunStore;

/**
 * What every execution needs.
 *
 * @param json reads and writes what steps return
 * @param timeouts interrupt bodies
 * @param tokens of callbacks
 * @param store where executions are kept
 * @param watch is told what happens
 * @param surroundings of bodies
 */
record SagaTools(
        Json json,
        Timeouts timeouts,
        CallbackTokens tokens,
        RunStore store,
        SagaNotifier watch,
        StepInterceptor surroundings) {}
