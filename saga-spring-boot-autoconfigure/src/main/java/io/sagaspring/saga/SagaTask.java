package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * A step as a bean, for who has more to say than fits into a lambda.
 *
 * @param <I> what the execution was given
 * @param <R> what the step returns
 * @since 0.1.0
 */
public interface SagaTask<I, R extends @Nullable Object> {

    /**
     * Does what the step does.
     *
     * @param context of this attempt
     * @return what later steps may read
     * @throws Exception to fail the attempt
     */
    R call(StepContext<I> context) throws Exception;

    /**
     * Undoes it. A task that does not override this has nothing to undo.
     *
     * @param context of this attempt
     * @param result what the step returned, or null where nobody knows whether it took effect
     * @throws Exception to fail the attempt
     */
    default void compensate(StepContext<I> context, @Nullable R result) throws Exception {
        throw new UnsupportedOperationException("Nothing is to be undone.");
    }

    /**
     * Sets what holds for this task wherever it is used. What a saga says of its step wins.
     *
     * @param step takes the options
     */
    default void options(StepSpec<I> step) {}
}
