package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * The code of a step.
 *
 * @param <I> the type of the execution's input
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepCode<I> {

    /**
     * Executes the step. If the process dies while it executes the code, the code is executed again, with the same
     * {@link StepContext#effectKey()}.
     *
     * @param context the context of this attempt
     * @return the result, for use by later steps. A record or a map is merged into the context. Any other value is
     *     stored under the step's name. Null stores nothing.
     * @throws Exception if the attempt fails
     */
    @Nullable
    Object call(StepContext<I> context) throws Exception;
}
