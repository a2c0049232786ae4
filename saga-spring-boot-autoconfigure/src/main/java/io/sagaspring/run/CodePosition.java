package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.LogText;
import io.sagaspring.run.RunView.CurrentStep;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The position of a run's code: between two steps, in a step, or after its end. */
final class CodePosition {

    private final RunId id;
    private final String run;
    private final Hold hold;
    private final Supplier<Instant> clock;
    private final Logger logger;
    private final Runnable takeInterrupt;
    private final Thread thread = Thread.currentThread();
    private final RandomGenerator outerRandom;
    private RandomGenerator stepRandom;
    private @Nullable String stepId;
    private volatile @Nullable CurrentStep current;
    private @Nullable CurrentStep warned;
    private boolean ended;

    /**
     * Creates the position of code that has not begun.
     *
     * @param takeInterrupt the action that clears an interrupt after a step
     */
    CodePosition(PickedUpRun pickedUp, Hold hold, Supplier<Instant> clock, Logger logger, Runnable takeInterrupt) {
        this.takeInterrupt = takeInterrupt;
        this.id = pickedUp.runLease().id();
        this.run = pickedUp.run();
        this.hold = hold;
        this.clock = clock;
        this.logger = logger;
        this.outerRandom = newGenerator(0);
        this.stepRandom = outerRandom;
    }

    <T extends @Nullable Object> T callStep(String step, Callable<T> code) throws Exception {
        stepId = step;
        current = new CurrentStep(step, clock.get());
        stepRandom = newGenerator(step.hashCode());
        try {
            return hold.callInterruptibly(code);
        } finally {
            current = null;
            stepId = null;
            takeInterrupt.run();
        }
    }

    /**
     * Marks the end of the code. After this call, the context rejects steps and waits, because they would no longer be
     * journaled.
     */
    void end() {
        ended = true;
    }

    void requireBetweenSteps(String step) {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "'%s' was called on the thread '%s', but the run is executed on '%s'. With several threads, the order of steps could differ between executions. Call all steps on the run's own thread, one after the other."
                            .formatted(step, Thread.currentThread().getName(), thread.getName()));
        }
        if (stepId != null) {
            throw new IllegalStateException(
                    "'%s' was called inside step '%s'. Steps cannot be nested, because a step is repeated as a whole. Call it after the step."
                            .formatted(step, stepId));
        }
        if (ended) {
            throw new IllegalStateException(
                    "'%s' was called after the run's method had returned. A context is valid only until the method returns. Do not store it."
                            .formatted(step));
        }
    }

    String idempotencyKey() {
        String step = stepId;
        if (step == null) {
            throw new IllegalStateException(
                    "The idempotency key belongs to a step. Call idempotencyKey() in the code of a step, not between the steps.");
        }
        return "%s:%s".formatted(id, step);
    }

    RandomGenerator random() {
        return () -> (stepId == null ? outerRandom : stepRandom).nextLong();
    }

    /**
     * Creates a generator. Each step has its own generator: a replay skips the code of a step, and this must not change
     * the numbers that are drawn between the steps.
     */
    private RandomGenerator newGenerator(long salt) {
        return new SplittableRandom(
                (id.value().getMostSignificantBits() ^ id.value().getLeastSignificantBits()) + salt);
    }

    /** Returns the step whose code is being executed, or null between two steps. */
    @Nullable
    CurrentStep currentStep() {
        return current;
    }

    /** Logs, once for each step, that the step has not returned within the given time, with the stack of its thread. */
    void warnIfSlow(Duration longest) {
        CurrentStep step = current;
        if (step == null || step.equals(warned) || lasting(step).compareTo(longest) < 0) {
            return;
        }
        warned = step;
        Throwable place = new Throwable("The stack of thread '%s'".formatted(thread.getName()));
        place.setStackTrace(thread.getStackTrace());
        logger.warn("A step has not returned yet and occupies a slot. {}", this, place);
    }

    private Duration lasting(CurrentStep step) {
        return Duration.between(step.since(), clock.get());
    }

    @Override
    public String toString() {
        CurrentStep step = current;
        return step == null
                ? "Run %s of '%s', between two steps".formatted(id, run)
                : "Run %s of '%s', in step '%s' for %s"
                        .formatted(id, run, LogText.of(step.step()), DurationText.of(lasting(step)));
    }
}
