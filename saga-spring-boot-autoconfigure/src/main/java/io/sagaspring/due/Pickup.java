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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Picks up due rows of a table and executes their work:
 *
 * <ol>
 *   <li>One thread looks for due rows: when it is woken, when a row becomes due, and after each poll interval. The
 *       interval is shortened at random, so that the nodes do not poll at the same time.
 *   <li>The thread picks up at most as many rows as there are free slots, so no row that it has picked up waits for a
 *       slot.
 *   <li>The heartbeat keeper renews each row from the time it was picked up until its work has ended.
 *   <li>When the pickup is closed, work in progress gets a grace period. Then the remaining work is interrupted and
 *       handed over.
 * </ol>
 *
 * @param <W> the type of a row that was picked up
 * @since 0.1.0
 */
public final class Pickup<W> implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Pickup.class);

    /** The longest time that interrupted work may take to release its row. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    /**
     * The largest number of free slots that the pickup statement uses unchanged as its limit. A larger number is
     * rounded down to a power of two, because each limit makes another statement, which the server prepares on each
     * connection.
     */
    private static final int MOST_TEXTS = 16;

    /** The shortest pause after a failure, in case the wait for the next wake-up fails as well. */
    private static final Duration AT_LEAST_AFTER_FAILURE = Duration.ofMillis(10);

    /** The time, on top of two poll intervals, after which the health indicator reports that the thread hangs. */
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
     * True if the last search found due rows that other nodes had locked. After the first such search, the thread
     * searches again soon. After a second such search in a row, it waits for the poll interval.
     */
    private boolean others;

    /**
     * Provides the rows to pick up and the work to do for them.
     *
     * @param <W> the type of a row that was picked up
     */
    public interface Source<W> {

        /**
         * Returns the time until the next row is due. Another node may pick that row up first.
         *
         * @param within the time to look ahead
         * @return the time, zero or negative if a row is due now; empty if no row becomes due within the given time
         */
        Optional<Duration> untilDue(Duration within);

        /**
         * Picks up due rows. Each gets a new token.
         *
         * @param slots the largest number of rows
         * @return the rows to work on
         */
        List<W> take(int slots);

        /**
         * Returns the lease on a row. The keeper renews it while the work runs.
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
         * @param hold the hold on the row's lease, which interrupts the work if the work must stop
         * @return an action to run after the slot is freed, such as a notification that may lead to more work
         */
        Runnable work(W work, Hold hold);

        /**
         * Releases a row whose work could not start.
         *
         * @param work the row
         * @param pause the pause before the row is due again
         */
        void release(W work, Duration pause);
    }

    /**
     * Settings for a pickup.
     *
     * @param name the kind of work, for the names of threads and for logs
     * @param concurrency the number of rows that this node works on at once
     * @param poll the interval at which a node looks for due rows without being woken
     * @param lease the duration of a row's lease after the last heartbeat
     * @param longest the longest duration of one attempt
     * @param grace the time that work in progress gets at shutdown before it is interrupted
     */
    public record Settings(
            String name, int concurrency, Duration poll, Duration lease, Duration longest, Duration grace) {}

    /**
     * Creates a pickup that is not started yet.
     *
     * @param source the source of the rows
     * @param keeper the heartbeat keeper, which renews the rows in progress
     * @param table the table in which the keeper renews these rows
     * @param executor the executor of the work
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

    /** Makes this node look for due rows now. Call this method after a commit that has made a row due. */
    public void wake() {
        wakeUps.now();
    }

    /**
     * Makes this node look for due rows again after the given time, when a known row becomes due.
     *
     * @param pause the time until the row is due
     */
    public void wakeIn(Duration pause) {
        wakeUps.in(pause);
    }

    /** {@return the number of rows that this node could pick up now} */
    public int freeSlots() {
        return slots.free();
    }

    /** Starts to look for due rows if this node has slots. */
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
                                        "The background thread saga-{} could not search for work, or could not begin it; will try again in {}",
                                        settings.name(),
                                        DurationText.of(settings.poll()),
                                        failure));
            } catch (Throwable noThread) {
                running.set(false);
                throw noThread;
            }
        }
    }

    /** {@return true if this pickup has been started and not stopped} */
    public boolean isRunning() {
        return running.get();
    }

    /** Stops looking for due rows. Work in progress continues. */
    public void stop() {
        Loop looking = loop;
        if (running.compareAndSet(true, false) && looking != null) {
            keeper.loops().forget(looking);
            wake();
        }
    }

    /**
     * Stops looking for due rows. After the grace period, interrupts the work in progress, so that other nodes can
     * continue.
     */
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
                        "Shutting down, although some work of the background thread saga-{} continues after it was interrupted. Another node will do this work again after {}. Unfinished work: {}",
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
            // Ask the database before taking slots. A run that this node starts during the query then finds a slot.
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

    /** Waits for free slots, then picks up rows. A row without a slot would only be withheld from other nodes. */
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
     * Picks up due rows for the free slots once, on the calling thread. The executor executes their work.
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
                        "Work that the background thread saga-%s has picked up could not begin."
                                .formatted(settings.name()),
                        refusal);
            }
            return taken.size();
        } finally {
            slots.release(free - used);
        }
    }

    /**
     * Reserves a slot for a row that the caller is about to insert as already picked up by this node. If due work needs
     * the slot before the insert is complete, it gets the slot. The row then gets another slot, or is released.
     *
     * @return the slot, which must be used or released; empty if none is free or this pickup is not running
     */
    public Optional<ReservedSlot<W>> reserve() {
        if (!running.get()) {
            return Optional.empty();
        }
        // Create the object first. If the allocation failed after a slot was taken, the slot would be lost.
        Optional<ReservedSlot<W>> slot = Optional.of(new ReservedSlot<>(slots, pickedUp, this::wake, settings.name()));
        return slot.get().reserve() ? slot : Optional.empty();
    }
}
