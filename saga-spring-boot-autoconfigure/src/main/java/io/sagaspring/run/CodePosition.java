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

/** Knows where the code of a run is: between two steps, in one of them and since when, or at its end. */
final class CodePosition {

    private final RunId id;
    private final String run;
    private final Hold hold;
    private final Supplier<Instant> clock;
    private final Logger logger;
    private final Thread thread = Thread.currentThread();
    private final RandomGenerator between;
    private RandomGenerator within;
    private @Nullable String inside;
    private volatile @Nullable CurrentStep current;
    private @Nullable CurrentStep warned;
    private boolean over;

    CodePosition(PickedUpRun taken, Hold hold, Supplier<Instant> clock, Logger logger) {
        this.id = taken.runLease().id();
        this.run = taken.run();
        this.hold = hold;
        this.clock = clock;
        this.logger = logger;
        this.between = chance(0);
        this.within = between;
    }

    /** Runs the body of a step. */
    <T extends @Nullable Object> T inside(String step, Callable<T> body) throws Exception {
        inside = step;
        current = new CurrentStep(step, clock.get());
        within = chance(step.hashCode());
        try {
            return hold.callInterruptibly(body);
        } finally {
            current = null;
            inside = null;
        }
    }

    /** Whoever has kept the context is refused: what it was asked for would be done, and not be journaled. */
    void over() {
        over = true;
    }

    void requireBetweenSteps(String step) {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "'%s' was asked for on the thread '%s', and the run is on '%s'. The order of steps on several threads is not the same each time: ask for them on the run's own, one after the other."
                            .formatted(step, Thread.currentThread().getName(), thread.getName()));
        }
        if (inside != null) {
            throw new IllegalStateException(
                    "'%s' was asked for inside step '%s'. A step is run as a whole or not at all: end it first."
                            .formatted(step, inside));
        }
        if (over) {
            throw new IllegalStateException(
                    "'%s' was asked for when the run's method had returned. A context is of use as long as that: do not keep it."
                            .formatted(step));
        }
    }

    String idempotencyKey() {
        String step = inside;
        if (step == null) {
            throw new IllegalStateException(
                    "The idempotency key is that of a step: ask for it in the body of one, not beside it.");
        }
        return "%s:%s".formatted(id, step);
    }

    RandomGenerator random() {
        return () -> (inside == null ? between : within).nextLong();
    }

    /** The body of a step has its own: what is drawn there is not drawn again where the step is only replayed. */
    private RandomGenerator chance(long salt) {
        return new SplittableRandom(
                (id.value().getMostSignificantBits() ^ id.value().getLeastSignificantBits()) + salt);
    }

    /** Returns null between two steps. */
    @Nullable
    CurrentStep currentStep() {
        return current;
    }

    /** Logs a step that has not returned for so long, once, with the place that its thread is at. */
    void warnIfSlow(Duration longest) {
        CurrentStep step = current;
        if (step == null || step.equals(warned) || lasting(step).compareTo(longest) < 0) {
            return;
        }
        warned = step;
        Throwable place = new Throwable("Thread '%s' is here".formatted(thread.getName()));
        place.setStackTrace(thread.getStackTrace());
        logger.warn("A step has not returned yet, and keeps its slot. {}", this, place);
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
