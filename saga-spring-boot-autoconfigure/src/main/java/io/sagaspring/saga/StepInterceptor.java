package io.sagaspring.saga;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * An interceptor around the code of each step and each compensation, such as an observation.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepInterceptor {

    /** An interceptor that only calls the code. */
    StepInterceptor NONE = (saga, context, code) -> code.call();

    /**
     * Combines interceptors into one.
     *
     * @param interceptors the interceptors, outermost first
     * @return the combined interceptor
     */
    static StepInterceptor all(List<StepInterceptor> interceptors) {
        return interceptors.stream()
                .reduce(
                        NONE,
                        (outer, inner) -> (saga, context, code) ->
                                outer.around(saga, context, () -> inner.around(saga, context, code)));
    }

    /**
     * Calls the code of a step or of a compensation.
     *
     * @param saga the saga's name
     * @param context the context of the attempt
     * @param code the code; call it once
     * @return the result of the code
     * @throws Exception if the code threw it
     */
    @Nullable
    Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> code) throws Exception;
}
