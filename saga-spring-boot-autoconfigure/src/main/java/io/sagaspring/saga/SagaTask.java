package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * A step as a separate bean, for code that is too long for a lambda.
 *
 * @param <I> the type of the execution's input
 * @param <R> the type of the step's result
 * @since 0.1.0
 */
public interface SagaTask<I, R extends @Nullable Object> {

    /**
     * Executes the step.
     *
     * @param context the context of this attempt
     * @return the result, for use by later steps
     * @throws Exception if the attempt fails
     */
    R call(StepContext<I> context) throws Exception;

    /**
     * Compensates the step. A task that does not override this method has no compensation.
     *
     * @param context the context of this attempt
     * @param result the step's result, or null if the step returned nothing or it is unknown whether the step took
     *     effect
     * @throws Exception if the attempt fails
     */
    default void compensate(StepContext<I> context, @Nullable R result) throws Exception {
        throw new UnsupportedOperationException("This task has no compensation.");
    }

    /**
     * Sets the options of this task for every saga that uses it. An option that the saga sets for the step replaces the
     * option of the task. A condition, however, is added to the conditions of the task.
     *
     * @param step the options of the step
     */
    default void options(StepSpec<I> step) {}
}
