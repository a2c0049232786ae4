package io.sagaspring.due;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.Loop;
import io.sagaspring.fence.RenewableLeases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Picks up due rows of a table and executes their work:
 *
 * <ol>
 *   <li>One thread looks for due rows: when it is woken, when a row becomes due, and at the poll interval. That interval is shortened at
 *       random, so that the nodes do not look at the same time.
 *   <li>It picks up at most as many rows as there are free slots, so that it holds no row without working on it.
 *   <li>The heartbeat keeper renews each row from the time it was picked up until its work has ended.
 *   <li>On closing, the work may continue for a grace period. Then it is interrupted and handed over.
 * </ol>
 *
 * @param <W> the type of a row that was picked up
 * @since 0.1.0
 */
public final class Pickup<W> implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Pickup.class);

    /** The time that interrupted work has for writing its release. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    /**
     * The number of slots up to which each number has a statement of its own. The number is part of the statement's text, and a server
     * prepares each text on each connection.
     */
    private static final int MOST_TEXTS = 16;

    /** The shortest pause after a failure, in case the wait for the next wake-up fails, too. */
    private static final Duration AT_LEAST_AFTER_FAILURE = Duration.ofMillis(10);

    /** The time, in addition to two polls, after which health reports that the thread hangs. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private static final Duration UNTIL_IT_HEARS_OF_THE_END = Duration.ofMillis(100);
    private static final Duration AFTER_OTHERS = Duration.ofMillis(50);

    private final Source<W> source;
    private final Keeper keeper;
    private final Settings settings;
    private final Slots slots;
    private final PickedUpWork<W> pickedUp;
    private final WakeUps wakeUps;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile @Nullable Loop loop;
    private int found;
    private boolean failed;

    /**
     * True if rows were due but other nodes had locked them. The first time is taken for a race, and the next look follows soon. The
     * second time in a row means that another node keeps them locked.
     */
    private boolean others;

    /**
     * The table that rows are picked up from, and the work to do for them.
     *
     * @param <W> the type of a row that was picked up
     */
    public interface Source<W> {

        /**
         * Returns the time until the next row is due. Another node may pick that row up first.
         *
         * @param within the time to look ahead
         * @return zero or negative if a row is due now, empty if no row becomes due within the given time
         */
        Optional<Duration> untilDue(Duration within);

        /**
         * Picks up due rows, each with a fresh token.
         *
         * @param slots the largest number of rows
         * @return the rows to work on
         */
        List<W> take(int slots);

        /**
         * Returns the lease that is renewed while a row is worked on.
         *
         * @param work the row
         * @return the lease, with its token
         */
        HeldLease held(W work);

        /**
         * Describes work in progress, for the log.
         *
         * @param held the lease of the work
         * @return a description of the work and of its progress
         */
        default String describe(HeldLease held) {
            return held.toString();
        }

        /**
         * Does the work and writes its outcome, on a thread of the executor.
         *
         * @param work the row
         * @param hold interrupts the work if it has to stop
         * @return an action to run when the slot is free again, such as a notification that may lead to more work
         */
        Runnable work(W work, Hold hold);

        /**
         * Releases a row whose work could not begin.
         *
         * @param work the row
         * @param pause the time until the row is due again
         */
        void release(W work, Duration pause);
    }

    /**
     * The settings of a pickup.
     *
     * @param name the kind of work, as threads and logs show it
     * @param concurrency the number of rows that this node works on at once
     * @param poll the interval at which a node looks for due rows that it was not woken for
     * @param lease the time for which a row stays assigned to a node after its last heartbeat
     * @param longest the longest duration of one attempt
     * @param grace the time for which a node that is shutting down lets its work continue before it interrupts it
     */
    public record Settings(
            String name, int concurrency, Duration poll, Duration lease, Duration longest, Duration grace) {}

    /**
     * Creates a pickup that is not started yet.
     *
     * @param source the source of the rows
     * @param keeper the heartbeat keeper, which renews the rows that are worked on
     * @param table the table in which the keeper renews them
     * @param executor executes the work
     * @param settings the settings
     */
    public Pickup(Source<W> source, Keeper keeper, RenewableLeases table, Executor executor, Settings settings) {
        this.source = source;
        this.keeper = keeper;
        this.settings = settings;
        this.wakeUps = new WakeUps(settings.poll());
        this.slots = new Slots(settings.concurrency(), keeper::now);
        this.pickedUp = new PickedUpWork<>(source, keeper, table, executor, settings, slots);
    }

    /** Makes this node look now. Call it after the commit that made a row due. */
    public void wake() {
        wakeUps.now();
    }

    /**
     * Makes this node look when a row becomes due that it knows of.
     *
     * @param pause the time until then
     */
    public void wakeIn(Duration pause) {
        wakeUps.in(pause);
    }

    /** {@return the number of rows that this node could pick up now} */
    public int freeSlots() {
        return slots.free();
    }

    /** Starts to look for due rows, unless this node has no slots. */
    public void start() {
        if (settings.concurrency() > 0 && running.compareAndSet(false, true)) {
            try {
                found = 0;
                failed = false;
                others = false;
                loop = keeper.loops()
                        .start(
                                new Loop.Settings(
                                        "saga-" + settings.name(),
                                        Duration.ZERO,
                                        AT_LEAST_AFTER_FAILURE,
                                        settings.poll().multipliedBy(2).plus(SILENCE)),
                                this::lookAgain,
                                failure -> logger.warn(
                                        "Looking for {} work failed. The next attempt follows in {}",
                                        settings.name(),
                                        DurationText.of(settings.poll()),
                                        failure));
            } catch (Throwable noThread) {
                running.set(false);
                throw noThread;
            }
        }
    }

    /** {@return true from the start until it is stopped} */
    public boolean isRunning() {
        return running.get();
    }

    /** Stops looking for due rows. Work that is being executed continues. */
    public void stop() {
        Loop looking = loop;
        if (running.compareAndSet(true, false) && looking != null) {
            keeper.loops().forget(looking);
            wake();
        }
    }

    /** Stops looking. Interrupts its work after the grace period, so that another node can do it at once. */
    @Override
    public void close() {
        stop();
        try {
            Loop looking = loop;
            boolean ended = (looking == null || looking.awaitEnd(settings.poll().plusSeconds(1)))
                    && slots.awaitAllFree(settings.grace());
            if (!ended) {
                pickedUp.interrupt();
                ended = slots.awaitAllFree(AFTER_INTERRUPT);
            }
            if (!ended) {
                logger.warn(
                        "Stopping although some {} work ignores its interrupt. Another node does it again after {}: {}",
                        settings.name(),
                        DurationText.of(settings.lease()),
                        pickedUp.unended());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration lookAgain() throws InterruptedException {
        if (failed) {
            failed = false;
            wakeUps.await(settings.poll());
            return Duration.ZERO;
        }
        try {
            // The database is asked before slots are taken. A slot that is taken meanwhile would not be free for a run
            // that starts here.
            if (found > 0) {
                found = pickUp();
                return Duration.ZERO;
            }
            Duration until = source.untilDue(settings.poll()).orElse(settings.poll());
            boolean isDue = until.isZero() || until.isNegative();
            found = isDue ? pickUp() : 0;
            if (found == 0) {
                wakeUps.await(!isDue ? until : others ? settings.poll() : AFTER_OTHERS);
            }
            others = isDue && found == 0;
            return Duration.ZERO;
        } catch (Throwable failure) {
            found = 0;
            failed = true;
            throw failure;
        }
    }

    /** Waits for free slots and fills them. A row that is picked up without a free slot would only be held. */
    private int pickUp() throws InterruptedException {
        int free = slots.take(UNTIL_IT_HEARS_OF_THE_END);
        while (free == 0) {
            Loop looking = loop;
            if (looking != null) {
                looking.onlyWaits();
            }
            if (!running.get()) {
                return 0;
            }
            free = slots.take(UNTIL_IT_HEARS_OF_THE_END);
        }
        if (!running.get()) {
            slots.release(free);
            return 0;
        }
        return takeInto(free);
    }

    /**
     * Picks up due rows into the free slots, once, on the calling thread.
     *
     * @return the number of rows that were picked up
     */
    public int sweep() {
        int free = slots.take();
        return free == 0 ? 0 : takeInto(free);
    }

    private int takeInto(int free) {
        int used = 0;
        try {
            Duration since = keeper.now();
            List<W> taken = source.take(free <= MOST_TEXTS ? free : Integer.highestOneBit(free));
            Throwable refusal = null;
            for (W each : taken) {
                Throwable refused = pickedUp.begin(each, since);
                used += refused == null ? 1 : 0;
                refusal = refused == null ? refusal : refused;
            }
            if (refusal != null) {
                throw new RejectedExecutionException(
                        "The executor for %s work refused some or all of it.".formatted(settings.name()), refusal);
            }
            return taken.size();
        } finally {
            slots.release(free - used);
        }
    }

    /**
     * Reserves a slot for a row that is about to be written as picked up. If that takes long, due work may get the slot.
     *
     * @return the slot, which must be used or released; empty if none is free, or this pickup is not running
     */
    public Optional<Slot> reserve() {
        if (!running.get()) {
            return Optional.empty();
        }
        // The object is created first. A slot that is taken before an allocation fails would never be released.
        Optional<Slot> slot = Optional.of(new Slot());
        return slot.get().reservation.begin() ? slot : Optional.empty();
    }

    /** A reserved slot for one row. */
    public final class Slot {

        private final Slots.Reservation reservation = slots.new Reservation();

        private Slot() {}

        /**
         * Begins the work of a row that was written since the slot was reserved.
         *
         * @param work the row
         */
        public void begin(W work) {
            if (!reservation.use()) {
                if (pickedUp.release(work)) {
                    wake();
                }
                return;
            }
            Throwable refused;
            try {
                refused = pickedUp.begin(work, reservation.since());
            } catch (Throwable failed) {
                slots.release(1);
                throw failed;
            }
            if (refused != null) {
                slots.release(1);
                logger.warn(
                        "The executor for {} work refused work that was started on this node",
                        settings.name(),
                        refused);
            }
        }

        /**
         * Begins the work of a row, if there is one.
         *
         * @param taking picks the row up
         */
        public void beginIfAny(Supplier<Optional<W>> taking) {
            Optional<W> taken;
            try {
                taken = taking.get();
            } catch (Throwable failed) {
                release();
                throw failed;
            }
            if (taken.isPresent()) {
                begin(taken.get());
            } else {
                release();
            }
        }

        /** Frees the slot, if it is still reserved. */
        public void release() {
            reservation.release();
        }
    }
}
