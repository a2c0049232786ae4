package io.sagaspring.run.postgres;

import io.sagaspring.fence.LostAnswers;
import io.sagaspring.fence.OutcomeUnknownException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Lets changes that are ready at the same time share a commit, without a separate thread or a timer. One of the callers
 * gathers the changes of the others, commits all of them, and wakes the others. The next gatherer collects the changes
 * that arrive in the meantime.
 *
 * <ul>
 *   <li>If there is only one caller, it writes directly. Meanwhile, other callers can share commits, however long
 *       this write takes.
 *   <li>A change that could not be made with others is made alone, whatever the reason was, because a change is safe to
 *       repeat. If the second attempt fails, too, and the reply to the shared commit was lost ({@link LostAnswers}),
 *       the outcome is reported as unknown.
 *   <li>No error of one caller can keep another caller waiting forever. Every duty (to gather, to commit, to write
 *       directly) belongs to a caller, and ends when that caller's call ends. The end is marked by writing one field,
 *       which requires neither memory nor stack. A waiting caller checks the field regularly.
 * </ul>
 */
final class GroupCommit {

    private static final Logger logger = LoggerFactory.getLogger(GroupCommit.class);

    private static final int MOST_AT_ONCE = 128;

    /**
     * The maximum number of commits at the same time. If there are several commits, one can proceed while another waits
     * for a slow flush. With more commits than this, each would contain only a few changes.
     */
    private static final int MOST_COMMITS = 4;

    /** A change of more than this size is made alone, because it would delay the others. */
    private static final long LARGE = 64 * 1024;

    /** The interval at which a waiting caller checks whether the caller that should wake it has failed. */
    private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

    private final Consumer<List<? extends Change<?>>> together;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * The waiting callers, as a linked queue. A collection might need memory to grow, and could lose callers if there
     * is no memory.
     */
    private @Nullable Waiting first;

    private @Nullable Waiting last;
    private volatile int queued;

    /**
     * The caller that must gather, unless its call has ended. The fields below name the callers with the other duties.
     */
    private @Nullable Waiting gatherer;

    private @Nullable Waiting direct;
    private final @Nullable Waiting[] committing = new Waiting[MOST_COMMITS];

    /**
     * Creates a group commit.
     *
     * @param together the consumer that commits changes together, or throws an exception; it sets the reply of each
     *     change that it has made
     */
    GroupCommit(Consumer<List<? extends Change<?>>> together) {
        this.together = together;
    }

    /**
     * Makes a change durable.
     *
     * @param change the change, to be made together with others
     * @param made the function that converts the change's reply to the result
     * @param alone the supplier that makes the change alone; it must be safe to call if the change was already made
     */
    <A, T> T make(Change<A> change, Function<A, T> made, Supplier<T> alone) {
        if (change.size() > LARGE) {
            return alone.get();
        }
        Waiting mine = new Waiting(change);
        Turn turn;
        try {
            turn = mayGather(mine) ? Turn.TO_GATHER : await(mine);
            if (turn == Turn.TO_GATHER) {
                letOthersCome();
                List<Waiting> batch = gatheredWith(mine);
                if (batch.isEmpty()) {
                    return alone.get();
                }
                turn = commit(batch, mine);
            }
        } catch (Throwable failed) {
            mine.over = true;
            // Wake the next caller now. Otherwise it would notice the failure only at its next check.
            handOver(mine);
            throw failed;
        } finally {
            mine.over = true;
        }
        A answer = turn == Turn.COMMITTED ? change.answer() : null;
        return answer == null ? afterwards(mine, turn, alone) : made.apply(answer);
    }

    private boolean mayGather(Waiting mine) {
        lock.lock();
        try {
            if (isFree(gatherer) && freeCommit() >= 0) {
                gatherer = mine;
                return true;
            }
            int before = queued;
            // Call no method from here on. An error in a method could leave the queue half changed.
            if (last == null) {
                first = mine;
            } else {
                last.next = mine;
            }
            last = mine;
            queued = before + 1;
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Yields to other threads as long as more callers join the queue. */
    @SuppressWarnings("ThreadPriorityCheck") // If yield does nothing, fewer changes share a commit.
    private void letOthersCome() {
        int before;
        do {
            before = queued;
            Thread.yield();
        } while (queued > before && queued < MOST_AT_ONCE);
    }

    /** Returns the batch to commit, or an empty list if no other caller waits and this one writes directly. */
    private List<Waiting> gatheredWith(Waiting mine) {
        lock.lock();
        try {
            if (first == null && isFree(direct)) {
                direct = mine;
                gatherer = null;
                return List.of();
            }
            List<Waiting> batch = new ArrayList<>(Math.min(MOST_AT_ONCE, queued + 1));
            batch.add(mine);
            committing[freeCommit()] = mine;
            gatherer = null;
            while (batch.size() < MOST_AT_ONCE && first != null) {
                Waiting next = first;
                next.leader = mine;
                removeFirst(next);
                if (!next.over) {
                    batch.add(next);
                }
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Makes a change alone. If this fails and the reply to the shared commit was lost, the outcome is unknown. */
    private static <T> T afterwards(Waiting mine, Turn turn, Supplier<T> alone) {
        try {
            return alone.get();
        } catch (DataAccessException failed) {
            Throwable together = mine.failure;
            boolean inDoubt = turn == Turn.FORGOTTEN || isInDoubt(together);
            if (together != null && (inDoubt || failed instanceof CannotGetJdbcConnectionException)) {
                failed.addSuppressed(together);
            }
            if (inDoubt) {
                throw new OutcomeUnknownException(mine.change.activity(), failed);
            }
            throw failed;
        }
    }

    private static boolean isInDoubt(@Nullable Throwable together) {
        return together instanceof Error || (together != null && LostAnswers.isLost(together));
    }

    private Turn commit(List<Waiting> batch, Waiting mine) {
        Turn outcome = Turn.ALONE;
        // An interrupt of this caller must not make the commit of the others fail.
        boolean interrupted = Thread.interrupted();
        try {
            together.accept(batch.stream().map(Waiting::change).toList());
            outcome = Turn.COMMITTED;
        } catch (RuntimeException failed) {
            remember(batch, failed);
            logger.debug(
                    "{} changes could not be committed together and will be made one by one", batch.size(), failed);
        } catch (Error failed) {
            remember(batch, failed);
            throw failed;
        } finally {
            wake(batch, mine, outcome);
            if (interrupted) {
                mine.thread.interrupt();
            }
        }
        return outcome;
    }

    private static void remember(List<Waiting> batch, Throwable failed) {
        for (Waiting each : batch) {
            each.failure = failed;
        }
    }

    private void wake(List<Waiting> batch, Waiting mine, Turn outcome) {
        try {
            // Hand over first, so that the next commit begins while these callers wake up.
            handOver(mine);
        } finally {
            for (Waiting each : batch) {
                if (each != mine) {
                    each.turn = outcome;
                    LockSupport.unpark(each.thread);
                }
            }
        }
    }

    /** Ends the duties of a caller and lets the next caller gather. */
    private void handOver(Waiting mine) {
        Waiting next = null;
        lock.lock();
        try {
            for (int each = 0; each < MOST_COMMITS; each++) {
                if (committing[each] == mine) {
                    committing[each] = null;
                }
            }
            if (gatherer == mine) {
                gatherer = null;
            }
            if (isFree(gatherer) && freeCommit() >= 0) {
                next = first;
                while (next != null && next.over) {
                    removeFirst(next);
                    next = first;
                }
                if (next != null) {
                    next.turn = Turn.TO_GATHER;
                    gatherer = next;
                    removeFirst(next);
                }
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            LockSupport.unpark(next.thread);
        }
    }

    /**
     * Waits until it is this caller's turn. An interrupt does not end the wait, because another caller may already be
     * committing the change.
     */
    private Turn await(Waiting mine) {
        boolean interrupted = false;
        Turn given = mine.turn;
        while (given == null) {
            LockSupport.parkNanos(mine, LOOK_AGAIN);
            interrupted |= Thread.interrupted();
            given = mine.turn;
            if (given == null) {
                given = turnIfLeaderFailed(mine);
            }
        }
        if (interrupted) {
            mine.thread.interrupt();
        }
        return given;
    }

    /** Checks whether the caller that should wake this one has failed. Returns null if this caller must wait on. */
    private @Nullable Turn turnIfLeaderFailed(Waiting mine) {
        lock.lock();
        try {
            Waiting leader = mine.leader;
            if (leader != null) {
                boolean gone = leader.over;
                // Read this after the check that the leader's call has ended, because the leader gives the turn before
                // its call ends.
                Turn given = mine.turn;
                return given == null && gone ? Turn.FORGOTTEN : given;
            }
            if (mine.turn == null && isFree(gatherer) && freeCommit() >= 0) {
                remove(mine);
                mine.turn = Turn.TO_GATHER;
                gatherer = mine;
            }
            return mine.turn;
        } finally {
            lock.unlock();
        }
    }

    private static boolean isFree(@Nullable Waiting duty) {
        return duty == null || duty.over;
    }

    /** Returns the index of a free commit, or -1 if the maximum number of commits is in progress. */
    private int freeCommit() {
        int free = MOST_COMMITS - 1;
        while (free >= 0 && !isFree(committing[free])) {
            free--;
        }
        return free;
    }

    /**
     * Removes the first caller from the queue. This method calls no other method, because an error there could leave
     * the queue half changed.
     */
    private void removeFirst(Waiting head) {
        first = head.next;
        if (first == null) {
            last = null;
        }
        int remaining = queued - 1;
        queued = remaining;
    }

    /** Removes a caller from the queue. Like {@link #removeFirst}, calls no other method between the changes. */
    private void remove(Waiting mine) {
        if (first == mine) {
            removeFirst(mine);
            return;
        }
        for (Waiting each = first; each != null; each = each.next) {
            if (each.next == mine) {
                each.next = mine.next;
                if (last == mine) {
                    last = each;
                }
                int remaining = queued - 1;
                queued = remaining;
                return;
            }
        }
    }

    private enum Turn {
        /** The caller must gather the others' changes and commit them. */
        TO_GATHER,
        /** The change was part of a commit that succeeded. */
        COMMITTED,
        /** The caller must make its change alone. */
        ALONE,
        /** The caller must make its change alone. The commit that contained it has an unknown outcome. */
        FORGOTTEN
    }

    /** A change and the caller that waits for it. */
    private static final class Waiting {

        private final Change<?> change;
        private final Thread thread = Thread.currentThread();
        private volatile @Nullable Throwable failure;
        private volatile @Nullable Turn turn;

        /** True when the caller's call has ended. All its duties have then ended as well. */
        private volatile boolean over;

        /** The caller that commits the change. Like {@link #next}, it is guarded by the lock. */
        private @Nullable Waiting leader;

        private @Nullable Waiting next;

        Waiting(Change<?> change) {
            this.change = change;
        }

        Change<?> change() {
            return change;
        }
    }
}
