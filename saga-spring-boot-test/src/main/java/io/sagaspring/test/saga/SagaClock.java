package io.sagaspring.test.saga;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a {@link SagaTest}: that of retries, deadlines, waits and leases, and of application code that is given a {@link
 * Clock}. In memory it stands still unless it is moved; of a database it is the clock of the machine, and as far ahead as it was
 * moved.
 *
 * <p>Moving it has nothing run: {@link SagaExecution#timePasses} moves it, and runs at its moment what falls due meanwhile.
 *
 * <p>The time that a synchronous step's body may take is measured by the machine, because it is a body that takes it.
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
    private BooleanSupplier isDriving = () -> false;

    /** Moves what has a clock of its own. */
    @FunctionalInterface
    interface Mover {
        void move(Duration by);
    }

    void alsoMoving(Mover mover) {
        this.mover = mover;
    }

    void standsStillWhile(BooleanSupplier executing) {
        this.isDriving = executing;
    }

    /**
     * Moves it ahead. Not within a step, which takes no time here.
     *
     * @param by how far
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("A clock does not go back, and was to by %s.".formatted(by.negated()));
        }
        if (isDriving.getAsBoolean()) {
            throw new IllegalStateException(
                    "The clock was to be moved by %s inside a step. Move it in the test, between two verbs."
                            .formatted(by));
        }
        moved = moved.plus(by);
        if (mover != null) {
            mover.move(by);
        }
    }

    /**
     * Moves it ahead to a moment.
     *
     * @param moment not before what it shows
     */
    public void set(Instant moment) {
        advance(Duration.between(instant(), moment));
    }

    /** How far it was moved. */
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
