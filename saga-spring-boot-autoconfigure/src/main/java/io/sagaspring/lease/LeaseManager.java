package io.sagaspring.lease;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Acquires leases. A name has at most one owner at a time:
 *
 * <pre>{@code
 * try (Lease lease = leases.acquire(LeaseName.of("dunning", loop))) {
 *     lease.during(() -> dun(loop, lease.token()));
 * }
 * }</pre>
 *
 * <p>A name belongs to the current tenant. Call {@link #global()} first to acquire a lease that all tenants share.
 *
 * <p>A lease is renewed until it is closed. If a lease can no longer be renewed, work in {@code during} is interrupted
 * before the lease expires.
 *
 * @since 0.1.0
 */
public final class LeaseManager {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    /** Practically unlimited, because a lease is renewed until it is closed. */
    private static final Duration NO_MAXIMUM = Duration.ofDays(36_500);

    private final LeaseStore store;
    private final Keeper keeper;
    private final String node;
    private final Duration shortest;
    private final LeaseNotifier notifier;
    private final Options options;

    /**
     * The options of a manager.
     *
     * @param ttl the time that a lease lasts after its last heartbeat
     * @param patience the longest time to wait for a lease
     * @param global true if names are used as they are, false if a name belongs to the current tenant
     */
    private record Options(Duration ttl, Duration patience, boolean global) {}

    /**
     * Creates a manager for the leases of a store, without tenants.
     *
     * @param store the store of the leases
     * @param keeper the heartbeat keeper, which renews the leases of this node at an interval that fits the ttl
     * @param node the display name of this node
     * @param ttl the duration of a lease after its last heartbeat
     * @param listeners the listeners for lease events
     */
    public LeaseManager(
            LeaseStore store, Keeper keeper, String node, Duration ttl, Collection<LeaseListener> listeners) {
        this(store, keeper, node, ttl, listeners, Tenants.none());
    }

    /**
     * Creates a manager for the leases of a store.
     *
     * @param store the store of the leases
     * @param keeper the heartbeat keeper, which renews the leases of this node at an interval that fits the ttl
     * @param node the display name of this node
     * @param ttl the time that a lease lasts after its last heartbeat
     * @param listeners the listeners for the events of leases
     * @param tenants the source of the current tenant
     */
    public LeaseManager(
            LeaseStore store,
            Keeper keeper,
            String node,
            Duration ttl,
            Collection<LeaseListener> listeners,
            Tenants tenants) {
        this(
                store,
                keeper,
                node,
                ttl,
                new LeaseNotifier(List.copyOf(listeners), tenants),
                new Options(ttl, Duration.ZERO, false));
    }

    private LeaseManager(
            LeaseStore store, Keeper keeper, String node, Duration shortest, LeaseNotifier notifier, Options options) {
        this.store = store;
        this.keeper = keeper;
        this.node = node;
        this.shortest = shortest;
        this.notifier = notifier;
        this.options = options;
    }

    private LeaseManager with(Options changed) {
        return new LeaseManager(store, keeper, node, shortest, notifier, changed);
    }

    /**
     * Returns a manager whose leases last for the given time after their last heartbeat.
     *
     * @param ttl the duration of a lease after its last heartbeat, at least {@code saga.leases.ttl}
     * @return a manager that is otherwise like this one
     * @throws IllegalArgumentException if the ttl is shorter than {@code saga.leases.ttl}
     */
    public LeaseManager lasting(Duration ttl) {
        if (ttl.compareTo(shortest) < 0) {
            throw new IllegalArgumentException(
                    "Lease duration %s is shorter than saga.leases.ttl (%s), which sets how often this node renews its leases. Use a longer duration or lower saga.leases.ttl."
                            .formatted(DurationText.exactly(ttl), DurationText.exactly(shortest)));
        }
        return with(new Options(ttl, options.patience(), options.global()));
    }

    /**
     * Returns a manager that waits for a lease that another caller holds.
     *
     * @param patience the longest time to wait
     * @return a manager that is otherwise like this one
     */
    public LeaseManager waiting(Duration patience) {
        return with(new Options(options.ttl(), patience, options.global()));
    }

    /**
     * Returns a manager whose names belong to no tenant, whichever tenant is current. A name then has one owner among
     * all tenants.
     *
     * @return a manager that is otherwise like this one
     */
    public LeaseManager global() {
        return with(new Options(options.ttl(), options.patience(), true));
    }

    /**
     * Tries to acquire a lease.
     *
     * @param name the name of the lease
     * @return the lease, or the reason why it could not be acquired
     * @throws IllegalTransactionStateException if a transaction is active
     */
    public Acquisition tryAcquire(LeaseName name) {
        requireNoTransaction(name);
        LeaseName own = own(name);
        Acquisition answer = acquireOrWait(own);
        if (!(answer instanceof Acquisition.Acquired)) {
            notifier.publish(own, answer instanceof Acquisition.AlreadyPassed ? LeaseEvent.PASSED : LeaseEvent.TAKEN);
        }
        return answer;
    }

    private Acquisition acquireOrWait(LeaseName name) {
        long deadline = System.nanoTime() + options.patience().toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            Acquisition answer = tryOnce(name);
            Duration remaining = Duration.ofNanos(deadline - System.nanoTime());
            if (!(answer instanceof Acquisition.AlreadyClaimed) || remaining.isNegative() || remaining.isZero()) {
                return answer;
            }
            try {
                Thread.sleep(jittered(shorter(pause, remaining)).toMillis() + 1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return answer;
            }
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
    }

    /**
     * Acquires a lease.
     *
     * @param name the name of the lease
     * @return the lease; close it when the work has ended
     * @throws LeaseRefusedException if another caller holds the lease, or the work under the name is complete
     * @throws IllegalTransactionStateException if a transaction is active
     */
    public Lease acquire(LeaseName name) {
        Acquisition answer = tryAcquire(name);
        if (answer instanceof Acquisition.Acquired acquired) {
            return acquired.lease();
        }
        throw new LeaseRefusedException(name, answer);
    }

    /**
     * Executes work under a lease and interrupts it when the lease is lost.
     *
     * @param name the name of the lease
     * @param work the work
     * @param <T> the type of the result
     * @return the result of the work
     * @throws LeaseRefusedException if another caller holds the lease, or the work under the name is complete
     * @throws LeaseLostException if the lease was lost before the work ended
     * @throws IllegalTransactionStateException if a transaction is active
     * @throws Exception if the work throws it
     */
    public <T extends @Nullable Object> T during(LeaseName name, Callable<T> work) throws Exception {
        try (Lease lease = acquire(name)) {
            return lease.during(work);
        }
    }

    /**
     * Continues the lease of a process that has died, unless another caller has since acquired the name or the work is
     * complete.
     *
     * <p>If two processes continue with the same token, the store cannot distinguish them, and both hold the lease.
     *
     * @param name the name of the lease
     * @param token the token that the previous owner stored
     * @return the lease with the same token, or empty if it cannot be continued
     * @throws IllegalTransactionStateException if a transaction is active
     */
    public Optional<Lease> reattach(LeaseName name, FencingToken token) {
        requireNoTransaction(name);
        Duration since = keeper.now();
        LeaseName own = own(name);
        return store.reattach(own, token, options.ttl()) ? Optional.of(held(own, token, since)) : Optional.empty();
    }

    /**
     * Asks the store whether the owner of a token still holds the lease. Inside a read-write transaction of the
     * store's data source, {@link Guard.Held} remains true until that transaction ends.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @return {@link Guard.Held}, or the reason why the lease is no longer held
     */
    public Guard guard(LeaseName name, FencingToken token) {
        return store.find(own(name)).map(found -> guardOf(found, token)).orElseGet(Guard.LeaseExpired::new);
    }

    /**
     * Renews a lease that has not expired.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @return true if the lease is still held
     */
    public boolean renew(LeaseName name, FencingToken token) {
        return store.renew(own(name), token);
    }

    /**
     * Releases a lease.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @return true if the lease was still held
     */
    public boolean release(LeaseName name, FencingToken token) {
        LeaseName own = own(name);
        boolean released = store.release(own, token);
        if (released) {
            notifier.publish(own, LeaseEvent.RELEASED);
        }
        return released;
    }

    /**
     * Completes the work under a name, unless another caller has since acquired the name. No one can acquire the name
     * again until the store's retention has passed.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @param completion the completion to record
     * @return {@link Guard.AlreadyPassed} with the recorded completion, which may be an earlier one; or the reason why
     *     nothing was recorded
     */
    public Guard complete(LeaseName name, FencingToken token, Completion completion) {
        LeaseName own = own(name);
        if (!store.complete(own, token, completion)) {
            return guard(name, token);
        }
        notifier.publish(own, LeaseEvent.COMPLETED);
        return new Guard.AlreadyPassed(completion);
    }

    /** Adds the current tenant to the name, if there is one. */
    private LeaseName own(LeaseName name) {
        String current = options.global() ? null : notifier.tenant();
        if (current == null) {
            return name;
        }
        if (name.tenant() != null && !name.tenant().equals(current)) {
            throw new IllegalArgumentException(
                    "The lease on '%s' does not belong to the current tenant, '%s'. Use TenantContext.call to make the tenant of the lease current first."
                            .formatted(name, current));
        }
        return name.in(current);
    }

    /** Returns a listener that runs in the current tenant, whichever thread calls it. */
    Runnable inThisTenant(Runnable listener) {
        return notifier.inThisTenant(listener);
    }

    private static void requireNoTransaction(LeaseName name) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "The lease on '%s' cannot be acquired inside an active transaction. The transaction may have read data older than the lease, and may commit after another caller has acquired it. Acquire the lease first, and begin the transaction while you hold it."
                            .formatted(name));
        }
    }

    private Acquisition tryOnce(LeaseName name) {
        Duration since = keeper.now();
        LeaseStore.Attempt attempt = new LeaseStore.Attempt(UUID.randomUUID(), node, options.ttl());
        LeaseStore.Found found = store.acquire(name, attempt);
        if (found.attempt().equals(attempt.id())) {
            return new Acquisition.Acquired(held(name, found.token(), since));
        }
        return found.completion() == null
                ? new Acquisition.AlreadyClaimed(found.token(), found.remaining())
                : new Acquisition.AlreadyPassed(found.completion());
    }

    private Lease held(LeaseName name, FencingToken token, Duration since) {
        Hold hold = keeper.keep(store, new HeldLease("lease", name.text(), token), options.ttl(), NO_MAXIMUM, since);
        hold.onStop(() -> notifier.publish(name, LeaseEvent.LOST));
        notifier.publish(name, LeaseEvent.ACQUIRED);
        // Pass a global manager. The name already has its tenant, and another tenant may be current when the lease is
        // used.
        return new Lease(name, token, global(), hold);
    }

    private static Guard guardOf(LeaseStore.Found found, FencingToken token) {
        if (found.completion() != null) {
            return new Guard.AlreadyPassed(found.completion());
        }
        if (!found.token().equals(token)) {
            return new Guard.AlreadyClaimed(found.token());
        }
        return found.isTaken() ? new Guard.Held(found.remaining()) : new Guard.LeaseExpired();
    }

    private static Duration jittered(Duration pause) {
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(pause.toNanos() / 2, pause.toNanos() + 1));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
