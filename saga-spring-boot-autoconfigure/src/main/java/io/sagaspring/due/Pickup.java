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
 * Picks up rows that are due and has them worked on, whatever the table:
 *
 * <ol>
 *   <li>One thread looks: when it is woken, when something falls due, and else now and then, a little earlier or later than
 *       the other nodes.
 *   <li>It takes no more than there are free slots, so that nothing is held on which nobody works.
 *   <li>The keeper renews what is worked on, from when it was taken.
 *   <li>At its end it lets work go on for a while, interrupts it then, and has it given back.
 * </ol>
 *
 * @param <W> a row that was taken
 * @since 0.1.0
 */
public final class Pickup<W> implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Pickup.class);

    /** Work that heeds its interrupt has only to write that it was given back. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    /** How many are taken is part of a statement's text, and a server prepares each text on each connection. */
    private static final int MOST_TEXTS = 16;

    /** Then it waits for its next look: that may fail, too. */
    private static final Duration AT_LEAST_AFTER_FAILURE = Duration.ofMillis(10);

    /** How long looking may last before health reports it. */
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

    /** Whether others had what was due. Once is a race, and something else may be due soon; again, somebody holds on to it. */
    private boolean others;

    /**
     * Where rows come from, and what is to be done.
     *
     * @param <W> a row that was taken
     */
    public interface Source<W> {

        /**
         * How long it is until there is something to take.
         *
         * @param within how far to look ahead
         * @return not positive if that is now, empty if there is nothing within that time; others may take it first
         */
        Optional<Duration> untilDue(Duration within);

        /**
         * Takes rows that are due, each with a fresh token.
         *
         * @param slots how many at most
         * @return what is to be worked on
         */
        List<W> take(int slots);

        /**
         * What is held while a row is worked on.
         *
         * @param work the row
         * @return with its token
         */
        HeldLease held(W work);

        /**
         * Says what is being done, for people.
         *
         * @param held what is held meanwhile
         * @return which work it is, and how far it is
         */
        default String describe(HeldLease held) {
            return held.toString();
        }

        /**
         * Does the work, and writes what became of it. On a thread of the executor.
         *
         * @param work the row
         * @param hold tells when to stop
         * @return tells others of it, when the slot is free again: they may have more to do
         */
        Runnable work(W work, Hold hold);

        /**
         * Gives a row back that could not be begun.
         *
         * @param work the row
         * @param pause after which it is due again
         */
        void release(W work, Duration pause);
    }

    /**
     * What may be set.
     *
     * @param name of what is picked up, as threads and logs show it
     * @param concurrency how much is worked on at once
     * @param poll how often a node looks for work that others left
     * @param lease how long a row is kept after its node was last heard of
     * @param longest how long one attempt may last
     * @param grace how long a closing node lets its work go on before it interrupts it
     */
    public record Settings(
            String name, int concurrency, Duration poll, Duration lease, Duration longest, Duration grace) {}

    /**
     * One that does not look yet.
     *
     * @param source where rows come from
     * @param keeper renews what is worked on
     * @param table where it renews it
     * @param executor runs the work
     * @param settings what may be set
     */
    public Pickup(Source<W> source, Keeper keeper, RenewableLeases table, Executor executor, Settings settings) {
        this.source = source;
        this.keeper = keeper;
        this.settings = settings;
        this.wakeUps = new WakeUps(settings.poll());
        this.slots = new Slots(settings.concurrency(), keeper::now);
        this.pickedUp = new PickedUpWork<>(source, keeper, table, executor, settings, slots);
    }

    /** Has this node look now. To be called after the commit that made something due. */
    public void wake() {
        wakeUps.now();
    }

    /**
     * Has this node look when something falls due of which it knows.
     *
     * @param pause how long it is until then
     */
    public void wakeIn(Duration pause) {
        wakeUps.in(pause);
    }

    /**
     * Returns how much more could be picked up now.
     *
     * @return the free slots
     */
    public int freeSlots() {
        return slots.free();
    }

    /** Begins to look, unless nothing is to be worked on here. */
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
                                        "Looking for {} work failed; will try again in {}",
                                        settings.name(),
                                        settings.poll(),
                                        failure));
            } catch (Throwable noThread) {
                running.set(false);
                throw noThread;
            }
        }
    }

    /**
     * Whether it looks.
     *
     * @return false before it was started, and after it was stopped
     */
    public boolean isRunning() {
        return running.get();
    }

    /** Looks no more. What is worked on goes on. */
    public void stop() {
        Loop looking = loop;
        if (running.compareAndSet(true, false) && looking != null) {
            keeper.loops().forget(looking);
            wake();
        }
    }

    /** Looks no more, lets what is worked on go on for a while, and interrupts it then, so that another node does it at once. */
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
            // Asked first: a slot that is kept while the database looks is none for what begins here.
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

    /** Without a free slot a row would be held, and nobody would work on it. */
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
     * Picks up now what is due, into the slots that are free.
     *
     * @return how much it has found
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
                        "The executor for %s work took none, or not all of it.".formatted(settings.name()), refusal);
            }
            return taken.size();
        } finally {
            slots.release(free - used);
        }
    }

    /**
     * Keeps a slot free for a row that is about to be written as taken. If that takes long, due work may get the slot.
     *
     * @return to be used or given back; empty if none is free, or nothing is picked up here
     */
    public Optional<Slot> reserve() {
        if (!running.get()) {
            return Optional.empty();
        }
        // Made first: a slot that was taken, and for which there is no memory then, would never be given back.
        Optional<Slot> slot = Optional.of(new Slot());
        return slot.get().reservation.begin() ? slot : Optional.empty();
    }

    /** One slot, for one row. */
    public final class Slot {

        private final Slots.Reservation reservation = slots.new Reservation();

        private Slot() {}

        /**
         * Has a row worked on that was written since the slot was reserved.
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
                logger.warn("The executor for {} work refused what was begun here", settings.name(), refused);
            }
        }

        /**
         * Has a row worked on, if there is one.
         *
         * @param taking takes it
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
