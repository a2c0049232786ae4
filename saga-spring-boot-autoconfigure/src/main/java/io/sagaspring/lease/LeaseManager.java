package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.TransactionPhase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.IllegalTransactionStateException;

/**
 * One holder at a time for each name:
 *
 * <pre>{@code
 * try (Lease lease = leases.acquire(LeaseName.of("dunning", loop))) {
 *     lease.during(() -> dun(loop, lease.token()));
 * }
 * }</pre>
 *
 * <p>It is kept alive until it is closed. Its holder is interrupted when it is lost, and so before anybody else can have it.
 *
 * @since 0.1.0
 */
public final class LeaseManager {

    private static final Logger logger = LoggerFactory.getLogger(LeaseManager.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    /** Held as long as its work lasts. */
    private static final Duration NO_MAXIMUM = Duration.ofDays(36_500);

    private final LeaseStore store;
    private final Keeper keeper;
    private final String node;
    private final Duration shortest;
    private final Duration ttl;
    private final Duration patience;
    private final List<LeaseListener> listeners;

    /**
     * Leases of a store.
     *
     * @param store where they are kept
     * @param keeper keeps alive what this node holds
     * @param node the name of this node, as it shows to people
     * @param ttl how long a holder may be silent; the keeper beats as often as that needs
     * @param listeners are told what becomes of leases
     */
    public LeaseManager(
            LeaseStore store, Keeper keeper, String node, Duration ttl, Collection<LeaseListener> listeners) {
        this(store, keeper, node, ttl, ttl, Duration.ZERO, List.copyOf(listeners));
    }

    private LeaseManager(
            LeaseStore store,
            Keeper keeper,
            String node,
            Duration shortest,
            Duration ttl,
            Duration patience,
            List<LeaseListener> listeners) {
        this.store = store;
        this.keeper = keeper;
        this.node = node;
        this.shortest = shortest;
        this.ttl = ttl;
        this.patience = patience;
        this.listeners = listeners;
    }

    /**
     * Has leases live longer without their holder.
     *
     * @param ttl how long a holder may be silent, not less than {@code saga.leases.ttl}
     * @return leases like these
     */
    public LeaseManager lasting(Duration ttl) {
        if (ttl.compareTo(shortest) < 0) {
            throw new IllegalArgumentException(
                    "A lease cannot last for %s: what this node holds is renewed as often as saga.leases.ttl=%s needs. Lower that, or let the lease last longer."
                            .formatted(ttl, shortest));
        }
        return new LeaseManager(store, keeper, node, shortest, ttl, patience, listeners);
    }

    /**
     * Waits for who has a name.
     *
     * @param patience for how long
     * @return leases like these
     */
    public LeaseManager waiting(Duration patience) {
        return new LeaseManager(store, keeper, node, shortest, ttl, patience, listeners);
    }

    /**
     * Acquires a name, or says why not.
     *
     * @param name what to acquire
     * @return the lease, or who has it, or that the work is at its end
     * @throws IllegalTransactionStateException if a transaction is active
     */
    public Acquisition tryAcquire(LeaseName name) {
        requireNoTransaction(name);
        Acquisition answer = waitedFor(name);
        if (!(answer instanceof Acquisition.Acquired)) {
            tell(name, answer instanceof Acquisition.AlreadyPassed ? LeaseEvent.PASSED : LeaseEvent.TAKEN);
        }
        return answer;
    }

    private Acquisition waitedFor(LeaseName name) {
        long giveUp = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            Acquisition answer = tryOnce(name);
            Duration left = Duration.ofNanos(giveUp - System.nanoTime());
            if (!(answer instanceof Acquisition.AlreadyClaimed) || left.isNegative() || left.isZero()) {
                return answer;
            }
            try {
                Thread.sleep(jittered(shorter(pause, left)).toMillis() + 1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return answer;
            }
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
    }

    /**
     * Acquires a name.
     *
     * @param name what to acquire
     * @return to be closed when the work is over
     * @throws LeaseRefusedException if somebody has it, or the work is at its end
     */
    public Lease acquire(LeaseName name) {
        Acquisition answer = tryAcquire(name);
        if (answer instanceof Acquisition.Acquired acquired) {
            return acquired.lease();
        }
        throw new LeaseRefusedException(name, answer);
    }

    /**
     * Does work under a lease, and stops it when the lease is lost.
     *
     * @param name what to acquire
     * @param work what to do
     * @param <T> what it returns
     * @return what it returned
     * @throws LeaseRefusedException if somebody has it, or the work is at its end
     * @throws LeaseLostException if the lease was lost before the work was over
     * @throws Exception what the work threw
     */
    public <T extends @Nullable Object> T during(LeaseName name, Callable<T> work) throws Exception {
        try (Lease lease = acquire(name)) {
            return lease.during(work);
        }
    }

    /**
     * Goes on with a lease of a process that is gone, if nobody else has acquired the name since. Two processes that do so
     * with one token cannot be told apart.
     *
     * @param name what was held
     * @param token what its holder has stored
     * @return the lease, with the same token
     * @throws IllegalTransactionStateException if a transaction is active
     */
    public Optional<Lease> reattach(LeaseName name, FencingToken token) {
        requireNoTransaction(name);
        Duration since = keeper.now();
        return store.reattach(name, token, ttl) ? Optional.of(kept(name, token, since)) : Optional.empty();
    }

    /**
     * Whether who has a token may still act. Inside a transaction of the store's data source it stays so until that ends.
     *
     * @param name what was acquired
     * @param token what its holder has
     * @return {@link Guard.Held}, or why not
     */
    public Guard guard(LeaseName name, FencingToken token) {
        return store.look(name).map(found -> judged(found, token)).orElseGet(Guard.LeaseExpired::new);
    }

    /**
     * Prolongs a lease that has not expired.
     *
     * @param name what was acquired
     * @param token what its holder has
     * @return whether it is still held
     */
    public boolean renew(LeaseName name, FencingToken token) {
        return store.renew(name, token);
    }

    /**
     * Gives a name up.
     *
     * @param name what was acquired
     * @param token what its holder has
     * @return whether it was still held
     */
    public boolean release(LeaseName name, FencingToken token) {
        boolean released = store.release(name, token);
        if (released) {
            tell(name, LeaseEvent.RELEASED);
        }
        return released;
    }

    /**
     * Ends the work on a name for good, unless somebody else has acquired it since.
     *
     * @param name what was acquired
     * @param token what its holder has
     * @param completion how it came to its end
     * @return {@link Guard.AlreadyPassed} with this completion, or why it could not be ended
     */
    public Guard complete(LeaseName name, FencingToken token, Completion completion) {
        if (!store.complete(name, token, completion)) {
            return guard(name, token);
        }
        tell(name, LeaseEvent.COMPLETED);
        return new Guard.AlreadyPassed(completion);
    }

    private static void requireNoTransaction(LeaseName name) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "The lease on '%s' was to be acquired inside an active transaction: what that has read may be older than the lease, and it may commit when somebody else has it. Acquire it first, and begin the transaction under it."
                            .formatted(name));
        }
    }

    private Acquisition tryOnce(LeaseName name) {
        Duration since = keeper.now();
        LeaseStore.Attempt attempt = new LeaseStore.Attempt(UUID.randomUUID(), node, ttl);
        LeaseStore.Found found = store.acquire(name, attempt);
        if (found.attempt().equals(attempt.id())) {
            return new Acquisition.Acquired(kept(name, found.token(), since));
        }
        return found.completion() == null
                ? new Acquisition.AlreadyClaimed(found.token(), found.left())
                : new Acquisition.AlreadyPassed(found.completion());
    }

    private Lease kept(LeaseName name, FencingToken token, Duration since) {
        Hold hold = keeper.keep(store, new HeldLease("lease", name.value(), token), ttl, NO_MAXIMUM, since);
        hold.onStop(() -> tell(name, LeaseEvent.LOST));
        tell(name, LeaseEvent.ACQUIRED);
        return new Lease(name, token, this, hold);
    }

    private void tell(LeaseName name, LeaseEvent event) {
        for (LeaseListener listener : listeners) {
            try {
                listener.happened(name, event);
            } catch (Throwable failed) {
                logger.warn("A listener failed on '{}' of the lease on '{}'", event, name, failed);
            }
        }
    }

    private static Guard judged(LeaseStore.Found found, FencingToken token) {
        if (found.completion() != null) {
            return new Guard.AlreadyPassed(found.completion());
        }
        if (!found.token().equals(token)) {
            return new Guard.AlreadyClaimed(found.token());
        }
        return found.isTaken() ? new Guard.Held(found.left()) : new Guard.LeaseExpired();
    }

    private static Duration jittered(Duration pause) {
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(pause.toNanos() / 2, pause.toNanos() + 1));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
