package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * What a step does.
 *
 * @param <I> what the execution was given
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepCode<I> {

    /**
     * Does it. It is done again if its process dies, always with the same {@link StepContext#effectKey()}.
     *
     * @param context of this attempt
     * @return what later steps may read: a record or a map is merged into the context, anything else stored under the
     *     step's name, null changes nothing
     * @throws Exception to fail the attempt
     */
    @Nullable
    Object call(StepContext<I> context) throws Exception;
}
