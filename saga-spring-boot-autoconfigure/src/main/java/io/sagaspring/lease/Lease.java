package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.TransactionPhase;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A name that is the caller's, and kept so by this node until it is closed. Whoever gets it next has a greater token: send
 * the token along with what must not be done twice, and have the older one refused there.
 *
 * @since 0.1.0
 */
public final class Lease implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Lease.class);
    private static final ThreadLocal<@Nullable Lease> current = new ThreadLocal<>();

    private final LeaseName name;
    private final FencingToken token;
    private final LeaseManager manager;
    private final Hold hold;
    private volatile boolean ended;
    private volatile boolean closed;

    Lease(LeaseName name, FencingToken token, LeaseManager manager, Hold hold) {
        this.name = name;
        this.token = token;
        this.manager = manager;
        this.hold = hold;
    }

    /**
     * The one under which this thread works: the innermost that does work by {@link #during}, by {@link
     * LeaseManager#during}, or for a method annotated {@link Leased}. Threads that the work starts know none; they are not
     * interrupted either.
     *
     * @return the lease, already open, and closed by who has acquired it
     * @throws IllegalStateException if there is none
     */
    public static Lease current() {
        Lease lease = current.get();
        if (lease == null) {
            throw new IllegalStateException(
                    "This thread works under no lease. It does so while Lease.during(…) or a @Leased method runs, if that was called through its bean.");
        }
        return lease;
    }

    /**
     * What is held.
     *
     * @return the name
     */
    public LeaseName name() {
        return name;
    }

    /**
     * Greater than every earlier holder's.
     *
     * @return the token
     */
    public FencingToken token() {
        return token;
    }

    /**
     * Whether the holder may still act, as the store says. Inside a transaction of the store's data source it stays so
     * until that commits. Keep such a transaction shorter than half of the lease: the row is not renewed while it is locked,
     * and its holder is stopped as if it was cut off.
     *
     * @return {@link Guard.Held}, or why not
     */
    public Guard guard() {
        Guard guard = manager.guard(name, token);
        return isLost() && guard.isHeld() ? new Guard.LeaseExpired() : guard;
    }

    /**
     * Goes on only if the holder may still act, as {@link #guard} says.
     *
     * @throws LeaseLostException if it may not
     */
    public void requireHeld() {
        Guard guard = guard();
        if (!guard.isHeld()) {
            throw new LeaseLostException(this, guard);
        }
    }

    /**
     * Whether the holder has to stop, as this node knows it without asking anybody.
     *
     * @return true once it was taken over, or could not be renewed for so long that it may have been
     */
    public boolean isLost() {
        return hold.stop() != null;
    }

    /**
     * Has somebody told that the lease is lost: before its time is over where the store cannot be reached. It is told on a
     * thread that renews other leases, and must not wait for anything.
     *
     * @param listener is told once, at once if it is lost already
     */
    public void onLoss(Runnable listener) {
        hold.onStop(listener);
    }

    /**
     * Does work that is interrupted when the lease is lost.
     *
     * @param work what to do
     * @param <T> what it returns
     * @return what it returned
     * @throws LeaseLostException if the lease was lost before the work was over
     * @throws IllegalStateException if the lease was given up
     * @throws Exception what the work threw
     */
    public <T extends @Nullable Object> T during(Callable<T> work) throws Exception {
        if (closed) {
            throw new IllegalStateException("The %s was given up, and nothing is done under it.".formatted(this));
        }
        T result;
        try {
            result = hold.callInterruptibly(() -> asCurrent(work));
        } catch (Exception thrown) {
            if (isLost()) {
                throw new LeaseLostException(this, thrown);
            }
            throw thrown;
        }
        if (isLost()) {
            throw new LeaseLostException(this, (Throwable) null);
        }
        return result;
    }

    private <T extends @Nullable Object> T asCurrent(Callable<T> work) throws Exception {
        Lease outer = current.get();
        current.set(this);
        try {
            return work.call();
        } finally {
            if (outer == null) {
                current.remove();
            } else {
                current.set(outer);
            }
        }
    }

    /**
     * Prolongs the lease now. The library does that by itself; this is for who must know that it worked.
     *
     * @return whether it is still held
     */
    public boolean renew() {
        return !isLost() && manager.renew(name, token);
    }

    /**
     * Ends the work on the name for good. Inside a transaction of the store's data source it is ended when that commits; is it
     * rolled back, the name is held as before. A store that takes part in no transaction ends it at once.
     *
     * @param completion how it came to its end
     * @return {@link Guard.AlreadyPassed} with this completion, or why it could not be ended
     */
    public Guard complete(Completion completion) {
        hold.over(true);
        Guard guard = null;
        try {
            guard = manager.complete(name, token, completion);
        } finally {
            if (!(guard instanceof Guard.AlreadyPassed)) {
                hold.over(false);
            }
        }
        if (guard instanceof Guard.AlreadyPassed) {
            ended = true;
            endWithTransaction();
        }
        return guard;
    }

    private void endWithTransaction() {
        if (TransactionPhase.isActive() && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new Ending());
        } else {
            hold.close();
        }
    }

    /** What a transaction has ended has not ended if that is rolled back, all of it or to a savepoint before. */
    private final class Ending implements TransactionSynchronization {

        private final Set<Object> later = Collections.newSetFromMap(new IdentityHashMap<>());
        private boolean undone;

        @Override
        public void savepoint(Object savepoint) {
            later.add(savepoint);
        }

        @Override
        public void savepointRollback(Object savepoint) {
            if (!later.contains(savepoint)) {
                undo();
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_ROLLED_BACK) {
                undo();
            } else if (!undone) {
                hold.close();
            }
        }

        private void undo() {
            if (undone) {
                return;
            }
            undone = true;
            if (closed) {
                hold.close();
            } else {
                hold.over(false);
                ended = false;
            }
        }
    }

    /**
     * Gives the name up, unless it was completed. Inside a transaction it is given up when that commits. Where that fails, or
     * is rolled back, its time runs out.
     */
    @Override
    public void close() {
        closed = true;
        if (ended) {
            return;
        }
        ended = true;
        hold.over(true);
        try (hold) {
            if (!manager.release(name, token)) {
                logger.warn("The lease on '{}' (token {}) was lost before it was given up", name, token);
            }
        } catch (RuntimeException failed) {
            logger.warn("The lease on '{}' (token {}) could not be given up; its time runs out", name, token, failed);
        }
    }

    String lossReason() {
        Hold.Stop stop = hold.stop();
        return stop == null ? "it is held" : stop.reason();
    }

    @Override
    public String toString() {
        return "lease on '%s' (token %s)".formatted(name, token);
    }
}
