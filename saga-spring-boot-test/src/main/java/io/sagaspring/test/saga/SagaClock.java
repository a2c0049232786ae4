package io.sagaspring.test.saga;

import io.sagaspring.fence.DurationText;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a {@link SagaTest}. The clock decides when retries, deadlines, waits and leases are due. The application can inject it as a
 * {@link Clock}. In memory, it advances only when the test moves it, and while a caller waits for a run or saga. With a database, it shows
 * the machine's time plus the time by which it was advanced.
 *
 * <p>Moving the clock does not execute any runs. {@link SagaExecution#timePasses} moves the clock, and executes each
 * run when it becomes due.
 *
 * <p>The time-out of a synchronous step is measured by the machine's clock, because the step's code takes real time.
 *
 * @since 0.1.0
 */
public final class SagaClock extends Clock {

    private final Supplier<Instant> unmoved;
    private volatile Duration moved = Duration.ZERO;

    SagaClock(Supplier<Instant> unmoved) {
        this.unmoved = unmoved;
    }

    private @Nullable Mover mover;
    private BooleanSupplier isExecuting = () -> false;

    /** Moves a store that has its own clock. */
    @FunctionalInterface
    interface Mover {
        void move(Duration by);
    }

    void alsoMoving(Mover mover) {
        this.mover = mover;
    }

    void standsStillWhile(BooleanSupplier executing) {
        this.isExecuting = executing;
    }

    /**
     * Advances the clock. Call this method in the test, and not inside a step.
     *
     * @param by the duration
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException if a step is executing
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("The clock cannot be moved back by %s. Advance it by zero or more."
                    .formatted(DurationText.exactly(by.negated())));
        }
        if (isExecuting.getAsBoolean()) {
            throw new IllegalStateException(
                    "The clock cannot be advanced by %s inside a step. Advance it in the test, between two calls."
                            .formatted(DurationText.exactly(by)));
        }
        moved = moved.plus(by);
        if (mover != null) {
            mover.move(by);
        }
    }

    /**
     * Advances the clock to a point in time.
     *
     * @param moment the point in time, which must not be before the time of this clock
     */
    public void set(Instant moment) {
        advance(Duration.between(instant(), moment));
    }

    /** Returns the total time by which the clock was advanced. */
    Duration moved() {
        return moved;
    }

    void reset() {
        moved = Duration.ZERO;
    }

    @Override
    public Instant instant() {
        return unmoved.get().plus(moved);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new InZone(this, zone);
    }

    private static final class InZone extends Clock {

        private final Clock clock;
        private final ZoneId zone;

        InZone(Clock clock, ZoneId zone) {
            this.clock = clock;
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new InZone(clock, other);
        }

        @Override
        public Instant instant() {
            return clock.instant();
        }
    }
}
