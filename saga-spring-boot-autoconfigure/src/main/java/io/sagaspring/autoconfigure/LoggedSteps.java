package io.sagaspring.autoconfigure;

import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepInterceptor;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** What a step logs says of which saga, step and attempt it is; of which execution says the run. */
final class LoggedSteps implements StepInterceptor {

    @Override
    public @Nullable Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> body)
            throws Exception {
        Map<String, String> before = MDC.getCopyOfContextMap();
        MDC.put("saga.name", saga);
        MDC.put("saga.step", context.step());
        MDC.put("saga.attempt", Integer.toString(context.attempt()));
        try {
            return body.call();
        } finally {
            MDC.setContextMap(before == null ? Map.of() : before);
        }
    }
}
