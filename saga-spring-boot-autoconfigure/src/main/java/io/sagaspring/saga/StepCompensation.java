package io.sagaspring.saga;

/**
 * Undoes what a step did. It is called also where nobody knows whether the step took effect, and must do no harm then.
 *
 * @param <I> what the execution was given
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepCompensation<I> {

    /**
     * Undoes it.
     *
     * @param context of this attempt; {@link StepContext#result(Class)} is what the step returned
     * @throws Exception to fail the attempt
     */
    void undo(StepContext<I> context) throws Exception;
}
