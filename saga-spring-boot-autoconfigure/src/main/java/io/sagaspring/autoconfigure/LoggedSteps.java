package io.sagaspring.autoconfigure;

import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepInterceptor;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Adds the saga, the step and the attempt to the log context while a step's code is executed. The log context of the
 * run already contains the id of the execution.
 */
final class LoggedSteps implements StepInterceptor {

    @Override
    public @Nullable Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> code)
            throws Exception {
        Map<String, String> before = MDC.getCopyOfContextMap();
        MDC.put("saga.name", saga);
        MDC.put("saga.step", context.step());
        MDC.put("saga.attempt", Integer.toString(context.attempt()));
        try {
            return code.call();
        } finally {
            MDC.setContextMap(before == null ? Map.of() : before);
        }
    }
}
