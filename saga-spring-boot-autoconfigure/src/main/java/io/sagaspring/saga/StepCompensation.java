package io.sagaspring.saga;

/**
 * The code that compensates a step. The compensation is also called if it is unknown whether the step took effect. In
 * that case, it must be harmless even if there is nothing to compensate.
 *
 * @param <I> the type of the execution's input
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepCompensation<I> {

    /**
     * Compensates the step.
     *
     * @param context the context of this attempt; {@link StepContext#result(Class)} returns the step's result
     * @throws Exception to make the attempt fail
     */
    void compensate(StepContext<I> context) throws Exception;
}
