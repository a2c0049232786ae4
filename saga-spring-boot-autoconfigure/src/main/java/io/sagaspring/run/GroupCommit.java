package io.sagaspring.run;

import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Lets changes that are ready at the same moment share a commit, without a thread of its own and without a timer: one of those
 * who want to write gathers the others, commits for all of them, and tells them. What comes meanwhile is gathered by the next.
 *
 * <ul>
 *   <li>Who is alone writes directly. That may take as long as it likes: it keeps nobody from sharing.
 *   <li>What could not be made together is made alone, whatever the reason: to make a change again does no harm. Why it failed
 *       matters only to who gets no connection for that, and has to say that the outcome is unknown.
 * </ul>
 */
final class GroupCommit {

    private static final Logger logger = LoggerFactory.getLogger(GroupCommit.class);

    private static final int MOST_AT_ONCE = 128;

    /** Where a flush takes long, the next commit does not wait for it. More than this, and each would be of a few. */
    private static final int MOST_COMMITS = 4;

    /** What brings more bytes makes others wait for it. */
    private static final long LARGE = 64 * 1024;

    private final Consumer<List<? extends Change<?>>> together;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean gathering;
    private boolean writingDirectly;
    private int commits;
    private volatile int gathered;

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
        Turn turn = mayGather(mine) ? Turn.TO_GATHER : mine.await();
        if (turn == Turn.TO_GATHER) {
            letOthersCome();
            List<Waiting> batch = gatheredWith(mine);
            if (batch.isEmpty()) {
                return directly(alone);
            }
            turn = commit(batch, mine);
        }
        A answer = turn == Turn.COMMITTED ? change.answer() : null;
        return answer == null ? afterwards(change, alone, mine.failure) : made.apply(answer);
    }

    private boolean mayGather(Waiting mine) {
        return locked(() -> {
            if (!gathering && commits < MOST_COMMITS) {
                gathering = true;
                return true;
            }
            waiting.add(mine);
            gathered = waiting.size();
            return false;
        });
    }

    /** Whoever is ready to run comes first, for as long as that brings somebody. */
    @SuppressWarnings("ThreadPriorityCheck") // Where it does nothing, fewer changes share a commit.
    private void letOthersCome() {
        int before;
        do {
            before = gathered;
            Thread.yield();
        } while (gathered > before && gathered < MOST_AT_ONCE);
    }

    /** Empty if it is to be written directly. */
    private List<Waiting> gatheredWith(Waiting mine) {
        return locked(() -> {
            gathering = false;
            List<Waiting> batch = new ArrayList<>();
            if (waiting.isEmpty() && !writingDirectly) {
                writingDirectly = true;
                return batch;
            }
            commits++;
            batch.add(mine);
            while (batch.size() < MOST_AT_ONCE && !waiting.isEmpty()) {
                batch.add(waiting.remove());
            }
            gathered = waiting.size();
            return batch;
        });
    }

    private <T> T directly(Supplier<T> alone) {
        try {
            return alone.get();
        } finally {
            boolean unused = locked(() -> writingDirectly = false);
        }
    }

    /** Who has had no answer, and cannot ask again, does not know. */
    private static <T> T afterwards(Change<?> change, Supplier<T> alone, @Nullable RuntimeException together) {
        try {
            return alone.get();
        } catch (CannotGetJdbcConnectionException unsent) {
            if (together == null
                    || together instanceof CannotGetJdbcConnectionException
                    || !OwnTransactions.leavesOutcomeOpen(together)) {
                throw unsent;
            }
            unsent.addSuppressed(together);
            throw new OutcomeUnknownException(change.what(), unsent);
        }
    }

    private Turn commit(List<Waiting> batch, Waiting mine) {
        Turn outcome = Turn.ALONE;
        try {
            together.accept(batch.stream().map(Waiting::change).toList());
            outcome = Turn.COMMITTED;
        } catch (RuntimeException failed) {
            batch.forEach(each -> each.failure = failed);
            logger.debug("{} changes could not be committed together, and are made one by one", batch.size(), failed);
        } finally {
            tell(batch, mine, outcome);
        }
        return outcome;
    }

    private void tell(List<Waiting> batch, Waiting mine, Turn outcome) {
        try {
            // First, so that the next commit is under way while these wake up.
            handOver();
        } finally {
            for (Waiting each : batch) {
                if (each != mine) {
                    each.has(outcome);
                }
            }
        }
    }

    private void handOver() {
        Waiting next = locked(() -> {
            commits--;
            if (gathering || waiting.isEmpty()) {
                return null;
            }
            gathering = true;
            return waiting.remove();
        });
        if (next != null) {
            next.has(Turn.TO_GATHER);
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    private enum Turn {
        /** To gather the others, and commit for them. */
        TO_GATHER,
        /** Another one has committed it. */
        COMMITTED,
        /** It is to be made without others. */
        ALONE
    }

    /** A change, and who waits until it is made. */
    private static final class Waiting {

        private final Change<?> change;
        private final Thread thread = Thread.currentThread();
        private volatile @Nullable RuntimeException failure;
        private volatile @Nullable Turn turn;

        Waiting(Change<?> change) {
            this.change = change;
        }

        Change<?> change() {
            return change;
        }

        void has(Turn given) {
            turn = given;
            LockSupport.unpark(thread);
        }

        /** To be interrupted changes nothing: what another one commits cannot be called back. */
        Turn await() {
            boolean interrupted = false;
            Turn given = turn;
            while (given == null) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
                given = turn;
            }
            if (interrupted) {
                thread.interrupt();
            }
            return given;
        }
    }
}
