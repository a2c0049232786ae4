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
 * Lets changes that are ready at the same moment share a commit, without a thread of its own and without a timer: one of those
 * who want to write gathers the others, commits for all of them, and tells them. What comes meanwhile is gathered by the next.
 *
 * <ul>
 *   <li>Who is alone writes directly. That may take as long as it likes: it keeps nobody from sharing.
 *   <li>What could not be made together is made alone, whatever the reason: to make a change again does no harm. Why it failed
 *       matters only to who gets no answer to that, and has to say that the outcome is unknown ({@link LostAnswers}).
 *   <li>An error at any point keeps no other caller waiting. Every duty belongs to a caller and ends with that caller, by one
 *       write to a field that needs neither memory nor stack. A waiting caller looks now and then whether that has happened.
 * </ul>
 */
final class GroupCommit {

    private static final Logger logger = LoggerFactory.getLogger(GroupCommit.class);

    private static final int MOST_AT_ONCE = 128;

    /** Where a flush takes long, the next commit does not wait for it. More than this, and each would be of a few. */
    private static final int MOST_COMMITS = 4;

    /** What brings more bytes makes others wait for it. */
    private static final long LARGE = 64 * 1024;

    /** How long a waiting caller sleeps before it looks whether the caller that should wake it has failed. */
    private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

    private final Consumer<List<? extends Change<?>>> together;
    private final ReentrantLock lock = new ReentrantLock();

    /** The queue. It is linked through its members, for a collection that has no memory to grow would lose them. */
    private @Nullable Waiting first;

    private @Nullable Waiting last;
    private volatile int queued;

    /** The caller that has each duty, for as long as it is not over. */
    private @Nullable Waiting gatherer;

    private @Nullable Waiting direct;
    private final @Nullable Waiting[] committing = new Waiting[MOST_COMMITS];

    /**
     * Commits by this.
     *
     * @param together makes all of them durable, or none, and answers those that it has made
     */
    GroupCommit(Consumer<List<? extends Change<?>>> together) {
        this.together = together;
    }

    /**
     * Makes a change durable.
     *
     * @param change what is made, if it is made together with others
     * @param made what to return then
     * @param alone makes it without others, and does no harm if it is made already
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
            // Others would see it for themselves, though a little later.
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
            // From here on nothing is called, and so nothing can fail halfway.
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

    /** Whoever is ready to run comes first, for as long as that brings somebody. */
    @SuppressWarnings("ThreadPriorityCheck") // Where it does nothing, fewer changes share a commit.
    private void letOthersCome() {
        int before;
        do {
            before = queued;
            Thread.yield();
        } while (queued > before && queued < MOST_AT_ONCE);
    }

    /** Empty if it is to be written directly. */
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

    /** Makes a change alone. Where the database gives no answer to that, an earlier attempt may have succeeded or not. */
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
                throw new OutcomeUnknownException(mine.change.what(), failed);
            }
            throw failed;
        }
    }

    private static boolean isInDoubt(@Nullable Throwable together) {
        return together instanceof Error || (together != null && LostAnswers.isLost(together));
    }

    private Turn commit(List<Waiting> batch, Waiting mine) {
        Turn outcome = Turn.ALONE;
        try {
            together.accept(batch.stream().map(Waiting::change).toList());
            outcome = Turn.COMMITTED;
        } catch (RuntimeException failed) {
            remember(batch, failed);
            logger.debug("{} changes could not be committed together, and are made one by one", batch.size(), failed);
        } catch (Error failed) {
            remember(batch, failed);
            throw failed;
        } finally {
            tell(batch, mine, outcome);
        }
        return outcome;
    }

    private static void remember(List<Waiting> batch, Throwable failed) {
        for (Waiting each : batch) {
            each.failure = failed;
        }
    }

    private void tell(List<Waiting> batch, Waiting mine, Turn outcome) {
        try {
            // First, so that the next commit is under way while these wake up.
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

    /** Ends the duties of a caller, and lets the next one gather. */
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

    /** To be interrupted changes nothing: what another one commits cannot be called back. */
    private Turn await(Waiting mine) {
        boolean interrupted = false;
        Turn given = mine.turn;
        while (given == null) {
            LockSupport.parkNanos(mine, LOOK_AGAIN);
            interrupted |= Thread.interrupted();
            given = mine.turn;
            if (given == null) {
                given = lookedAfter(mine);
            }
        }
        if (interrupted) {
            mine.thread.interrupt();
        }
        return given;
    }

    /** Finds out whether the caller that should wake this one has failed. Returns null if there is still one that will. */
    private @Nullable Turn lookedAfter(Waiting mine) {
        lock.lock();
        try {
            Waiting leader = mine.leader;
            if (leader != null) {
                boolean gone = leader.over;
                // Read after that: what was told was told before the leader was over.
                Turn told = mine.turn;
                return told == null && gone ? Turn.FORGOTTEN : told;
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

    /** Returns -1 if as many commits as may be are under way. */
    private int freeCommit() {
        int free = MOST_COMMITS - 1;
        while (free >= 0 && !isFree(committing[free])) {
            free--;
        }
        return free;
    }

    /** Calls nothing, so that it cannot fail halfway. */
    private void removeFirst(Waiting head) {
        first = head.next;
        if (first == null) {
            last = null;
        }
        int left = queued - 1;
        queued = left;
    }

    /** Calls nothing in between, as above. */
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
                int left = queued - 1;
                queued = left;
                return;
            }
        }
    }

    private enum Turn {
        /** To gather the others, and commit for them. */
        TO_GATHER,
        /** Another one has committed it. */
        COMMITTED,
        /** It is to be made without others. */
        ALONE,
        /** It is to be made without others, and nobody knows what became of the commit that it was part of. */
        FORGOTTEN
    }

    /** A change, and the caller that waits until it is made. */
    private static final class Waiting {

        private final Change<?> change;
        private final Thread thread = Thread.currentThread();
        private volatile @Nullable Throwable failure;
        private volatile @Nullable Turn turn;

        /** The caller has left, and with it all its duties end. */
        private volatile boolean over;

        /** The caller that commits it, and the next in the queue: both belong to the lock. */
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
