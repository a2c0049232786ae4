package io.sagaspring.due;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The slots of one pickup on this node. Each row in progress uses one. A slot is free, or reserved for a row that is
 * about to be inserted, or in use by a row.
 */
final class Slots {

    /**
     * The number of pickup statements that fill all slots. Before a pickup, the thread waits briefly until enough slots
     * are free for one such statement. Without the wait, each slot that becomes free would need its own statement.
     */
    private static final int STATEMENTS_FOR_ALL_SLOTS = 4;

    private static final Duration FOR_ANOTHER_SLOT = Duration.ofMillis(5);

    /**
     * The time after which a reservation may be revoked. Inserting one row takes less time, unless the insert has to
     * wait.
     */
    private static final Duration LONGEST_RESERVATION = Duration.ofMillis(100);

    private final int all;
    private final int worthAStatement;
    private final Semaphore free;
    private final Supplier<Duration> clock;
    private final Set<Reservation> reserved = ConcurrentHashMap.newKeySet();
    private boolean othersBecomeFree = true;

    /**
     * Creates slots, all of them free.
     *
     * @param all the number of slots
     * @param clock the clock of this node
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

    /** Takes all free slots and returns their number. */
    int take() {
        return free.drainPermits();
    }

    /**
     * Waits for a slot, and for further slots that become free shortly afterwards. Only the thread that looks for due
     * rows calls this method.
     *
     * @param patience the longest time to wait for the first slot
     * @return the number of slots taken, 0 if none became free
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
        // If no further slot became free, the next call does not wait for one: the slots are busy with long work.
        othersBecomeFree = taken > 1;
        return taken;
    }

    /**
     * Revokes old reservations if no slot is free. While the start of a run waits for another transaction or for a
     * connection, its reservation must not withhold a slot from due work.
     */
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

    boolean awaitAllFree(Duration patience) throws InterruptedException {
        boolean ended = free.tryAcquire(all, patience.toMillis(), TimeUnit.MILLISECONDS);
        if (ended) {
            // Free the slots again, because the pickup may be started again.
            free.release(all);
        }
        return ended;
    }

    /** A reservation of a slot for one row. It may be revoked if due work needs the slot. */
    final class Reservation {

        private final Duration since = clock.get();
        private final AtomicBoolean lasts = new AtomicBoolean(true);

        /** Returns the time of the reservation, by this node's clock. */
        Duration since() {
            return since;
        }

        /** Takes a slot. Returns false if no slot is free. */
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

        /**
         * Assigns the slot to a row. If the reservation was revoked, another slot is taken. Returns false if no slot is
         * free.
         */
        boolean use() {
            return end() || free.tryAcquire();
        }

        /** Frees the slot if it is still reserved. */
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
