package io.sagaspring.due;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The slots of a node, one for each row that it works on at a time. A slot is free, or is reserved for a row that is about to
 * be written, or belongs to a row.
 */
final class Slots {

    /** Where more is due than there are slots, one statement fills several of them that become free soon after each other. */
    private static final int STATEMENTS_FOR_ALL_SLOTS = 4;

    private static final Duration FOR_ANOTHER_SLOT = Duration.ofMillis(5);

    /** To write one row takes less, unless it waits for others. */
    private static final Duration LONGEST_RESERVATION = Duration.ofMillis(100);

    private final int all;
    private final int worthAStatement;
    private final Semaphore free;
    private final Supplier<Duration> clock;
    private final Set<Reservation> reserved = ConcurrentHashMap.newKeySet();
    private boolean othersBecomeFree = true;

    /**
     * Creates slots that are all free.
     *
     * @param all how many there are
     * @param clock tells what this node's clock shows
     */
    Slots(int all, Supplier<Duration> clock) {
        this.all = all;
        this.worthAStatement = Math.max(1, all / STATEMENTS_FOR_ALL_SLOTS);
        this.free = new Semaphore(all);
        this.clock = clock;
    }

    int free() {
        return free.availablePermits();
    }

    /** Takes the slots that are free now. Returns how many there were. */
    int take() {
        return free.drainPermits();
    }

    /**
     * Waits for a slot, and for some that become free soon after it. Only the thread that looks calls it.
     *
     * @param patience how long it waits for the first one
     * @return how many it has taken, 0 if none became free
     */
    int take(Duration patience) throws InterruptedException {
        revokeStaleReservations();
        if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return 0;
        }
        int taken = 1;
        try {
            int wanted = othersBecomeFree ? worthAStatement - 1 : 0;
            taken += free.tryAcquire(wanted, FOR_ANOTHER_SLOT.toNanos(), TimeUnit.NANOSECONDS) ? wanted : 0;
            taken += free.drainPermits();
        } catch (Throwable failed) {
            free.release(taken);
            throw failed;
        }
        // Who waited in vain does not wait again: the other slots have long work.
        othersBecomeFree = taken > 1;
        return taken;
    }

    /** A start that waits for another transaction, or for a connection, must not keep a slot that due work could have. */
    private void revokeStaleReservations() {
        if (free() == 0) {
            Duration now = clock.get();
            reserved.stream()
                    .filter(each -> now.minus(each.since).compareTo(LONGEST_RESERVATION) > 0)
                    .forEach(Reservation::release);
        }
    }

    /** Frees slots that were taken. */
    void release(int taken) {
        free.release(taken);
    }

    /** Waits until all slots are free. */
    boolean awaitAllFree(Duration patience) throws InterruptedException {
        boolean ended = free.tryAcquire(all, patience.toMillis(), TimeUnit.MILLISECONDS);
        if (ended) {
            // For a start after this stop.
            free.release(all);
        }
        return ended;
    }

    /** Keeps a slot for one row, from when it was made, unless due work needs the slot first. */
    final class Reservation {

        private final Duration since = clock.get();
        private final AtomicBoolean lasts = new AtomicBoolean(true);

        /** Tells what this node's clock showed when the reservation was made. */
        Duration since() {
            return since;
        }

        /** Takes a slot. Returns false if none is free. */
        boolean begin() {
            if (!free.tryAcquire()) {
                return false;
            }
            try {
                reserved.add(this);
            } catch (Throwable failed) {
                free.release();
                throw failed;
            }
            return true;
        }

        /** Gives the slot to a row. A reservation that was revoked takes another slot. Returns false if none is free. */
        boolean use() {
            return end() || free.tryAcquire();
        }

        /** Frees the slot, if it is still reserved. */
        void release() {
            if (end()) {
                free.release();
            }
        }

        private boolean end() {
            reserved.remove(this);
            return lasts.compareAndSet(true, false);
        }
    }
}
