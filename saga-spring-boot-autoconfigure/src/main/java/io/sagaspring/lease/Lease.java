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
 * A lease that the caller holds. This node renews the lease until it is closed or lost.
 *
 * <p>The next owner gets a greater token. Send the token with each operation that a previous owner must no longer
 * perform, and have the receiver reject older tokens.
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
     * Returns the lease of the work that this thread is executing: the innermost {@link #during}, {@link
     * LeaseManager#during} or method annotated {@link Leased}.
     *
     * <p>Other threads that the work starts have no current lease, and are not interrupted when the lease is lost.
     *
     * @return the lease; do not close it, because the code that acquired it does
     * @throws IllegalStateException if this thread is not executing work under a lease
     */
    public static Lease current() {
        Lease lease = current.get();
        if (lease == null) {
            throw new IllegalStateException(
                    "This thread has no current lease. Call Lease.current() inside Lease.during(…), or inside a @Leased method that was called through its bean.");
        }
        return lease;
    }

    /**
     * Returns the name of the lease.
     *
     * @return the name
     */
    public LeaseName name() {
        return name;
    }

    /**
     * Returns the fencing token, which is greater than the token of every earlier owner.
     *
     * @return the token
     */
    public FencingToken token() {
        return token;
    }

    /**
     * Asks the store whether the caller still holds the lease.
     *
     * <p>Inside a read-write transaction of the store's data source, {@link Guard.Held} remains true until that
     * transaction ends, because the row is locked. A locked row cannot be renewed. So keep such a transaction shorter
     * than the lease's duration minus two heartbeat intervals. By default, the difference is 10 s. If the transaction
     * takes longer, the owner is interrupted, as it is when the database cannot be reached.
     *
     * @return {@link Guard.Held}, or the reason why the lease is no longer held
     */
    public Guard guard() {
        Guard guard = manager.guard(name, token);
        return isLost() && guard.isHeld() ? new Guard.LeaseExpired() : guard;
    }

    /**
     * Throws an exception unless {@link #guard} returns {@link Guard.Held}.
     *
     * @throws LeaseLostException if the lease is no longer held
     */
    public void requireHeld() {
        Guard guard = guard();
        if (!guard.isHeld()) {
            throw new LeaseLostException(this, guard);
        }
    }

    /**
     * Returns true if the owner must stop. Does not ask the store. The owner must stop for one of these reasons:
     *
     * <ul>
     *   <li>The lease was taken over or released.
     *   <li>The lease could not be renewed in time, so that another caller may take it over.
     *   <li>This node is shutting down.
     * </ul>
     *
     * @return true if one of these reasons applies
     */
    public boolean isLost() {
        return hold.stop() != null;
    }

    /**
     * Calls a listener when the lease is lost. If the store cannot be reached, the listener is called before the lease
     * expires.
     *
     * <p>The listener usually runs on a thread of the heartbeat keeper and must not block. The listener runs in the
     * tenant in which you call this method.
     *
     * @param listener the listener, which is called once: when the lease is lost, or immediately if it is already lost
     */
    public void onLoss(Runnable listener) {
        hold.onStop(manager.inThisTenant(listener));
    }

    /**
     * Executes work and interrupts it when the lease is lost.
     *
     * @param work the work
     * @param <T> the type of the result
     * @return the result of the work
     * @throws LeaseLostException if the lease was lost before the work ended
     * @throws IllegalStateException if the lease was closed
     * @throws Exception if the work throws it
     */
    public <T extends @Nullable Object> T during(Callable<T> work) throws Exception {
        if (closed) {
            throw new IllegalStateException(
                    "The %s was closed, so no work can run under it. Run the work before close().".formatted(this));
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
     * Renews the lease now. The library also renews it at each heartbeat. Call this method if you must know that a
     * renewal succeeded.
     *
     * @return true if the lease is still held
     */
    public boolean renew() {
        return !isLost() && manager.renew(name, token);
    }

    /**
     * Completes the work under the lease's name. No one can acquire the name again until the store's retention has
     * passed.
     *
     * <p>Inside a transaction of the store's data source, the completion takes effect when that transaction commits. If
     * that transaction rolls back, the lease is held as before. A store that does not join transactions completes the
     * work immediately.
     *
     * @param completion the completion to record
     * @return {@link Guard.AlreadyPassed} with the recorded completion, which may be an earlier one; or the reason why
     *     nothing was recorded
     */
    public Guard complete(Completion completion) {
        hold.setEnding(true);
        Guard guard = null;
        try {
            guard = manager.complete(name, token, completion);
        } finally {
            if (!(guard instanceof Guard.AlreadyPassed)) {
                hold.setEnding(false);
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

    /** Reverts the completion if the transaction is rolled back, completely or to an earlier savepoint. */
    private final class Ending implements TransactionSynchronization {

        private final Set<Object> laterSavepoints = Collections.newSetFromMap(new IdentityHashMap<>());
        private boolean reverted;

        @Override
        public void savepoint(Object savepoint) {
            laterSavepoints.add(savepoint);
        }

        @Override
        public void savepointRollback(Object savepoint) {
            if (!laterSavepoints.contains(savepoint)) {
                revert();
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_ROLLED_BACK) {
                revert();
            } else if (!reverted) {
                hold.close();
            }
        }

        private void revert() {
            if (reverted) {
                return;
            }
            reverted = true;
            if (closed) {
                hold.close();
            } else {
                hold.setEnding(false);
                ended = false;
            }
        }
    }

    /**
     * Releases the lease, unless the work under its name was completed.
     *
     * <p>Inside a transaction of the store's data source, the lease is released when that transaction commits. If the
     * release fails or is rolled back, the lease expires on its own.
     */
    @Override
    public void close() {
        closed = true;
        if (ended) {
            return;
        }
        ended = true;
        hold.setEnding(true);
        try (hold) {
            if (!manager.release(name, token)) {
                logger.warn("The lease on '{}' (token {}) was lost before it was released", name, token);
            }
        } catch (RuntimeException failed) {
            logger.warn(
                    "The lease on '{}' (token {}) could not be released; it will expire on its own",
                    name,
                    token,
                    failed);
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
