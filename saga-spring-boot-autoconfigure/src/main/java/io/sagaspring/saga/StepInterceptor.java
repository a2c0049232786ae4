package io.sagaspring.saga;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds the bodies of steps and their undos, such as an observation.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepInterceptor {

    /** Nothing. */
    StepInterceptor NONE = (saga, context, body) -> body.call();

    /**
     * Several, the outermost first.
     *
     * @param surroundings of each body
     * @return all of them
     */
    static StepInterceptor all(List<StepInterceptor> surroundings) {
        return surroundings.stream()
                .reduce(
                        NONE,
                        (outer, inner) -> (saga, context, body) ->
                                outer.around(saga, context, () -> inner.around(saga, context, body)));
    }

    /**
     * Calls a body.
     *
     * @param saga of which saga
     * @param context of which attempt
     * @param body to be called once
     * @return what it returned
     * @throws Exception what it threw
     */
    @Nullable
    Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> body) throws Exception;
}
