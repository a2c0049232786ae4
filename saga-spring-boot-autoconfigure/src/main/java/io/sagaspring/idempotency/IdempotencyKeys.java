package io.sagaspring.idempotency;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.TransactionPhase;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Checks, claims and completes keys in separate calls. Most applications use {@link Idempotency} instead. The claim is
 * committed before the work begins. The completion is a second commit.
 *
 * @since 0.1.0
 */
public final class IdempotencyKeys {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    /**
     * The longest wait for a locked row. A claim is written within milliseconds, so a row that stays locked belongs to
     * a same-transaction key whose work is still executing.
     */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(1);

    private final KeyStore store;
    private final Keeper keeper;

    /**
     * Creates the operations on the keys of a store.
     *
     * @param store the store
     * @param keeper the heartbeat keeper that renews the claims
     */
    public IdempotencyKeys(KeyStore store, Keeper keeper) {
        this.store = store;
        this.keeper = keeper;
    }

    KeyStore store() {
        return store;
    }

    /**
     * Claims a key, or returns its state if it is not free. For a key without a request id, the result is a claim that
     * protects nothing, without a call to the database.
     *
     * @param key the key of the request
     * @return the new claim, the stored reply, or {@link KeyCheck.Processing} if a request with the key is in progress
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has reached its limit of keys
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     */
    public KeyCheck check(IdempotencyKey key) {
        return check(key, Duration.ZERO);
    }

    /**
     * Claims a key, or waits for its owner. A waiting caller reads the key repeatedly, and claims it if the owner has
     * freed it or the owner's lease has ended.
     *
     * @param key the key of the request
     * @param patience the longest time to wait
     * @return the new claim, the stored reply, or {@link KeyCheck.Processing} if a request with the key is still in
     *     progress
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has reached its limit of keys
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     */
    public KeyCheck check(IdempotencyKey key, Duration patience) {
        if (key.requestId() == null) {
            return new KeyCheck.New(KeyClaim.none());
        }
        KeyTable.Slot slot = store.slot(key);
        KeyCheck check = claimWithin(slot, patience);
        if (check instanceof KeyCheck.Processing) {
            store.publish(slot, KeyEvent.DUPLICATE);
        }
        return check;
    }

    private KeyCheck claimWithin(KeyTable.Slot slot, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            KeyCheck check = claimOrFind(slot);
            Duration remaining = Duration.ofNanos(giveUp - System.nanoTime());
            if (!(check instanceof KeyCheck.Processing) || remaining.isNegative() || remaining.isZero()) {
                return check;
            }
            try {
                Thread.sleep(shorter(pause, remaining).toMillis() + 1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return check;
            }
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
    }

    private KeyCheck claimOrFind(KeyTable.Slot slot) {
        if (TransactionPhase.isActive()) {
            throw new InsideTransactionException(slot.key());
        }
        UUID attempt = UUID.randomUUID();
        while (true) {
            Duration since = keeper.now();
            try {
                Optional<KeyTable.Found> found = store.claim(slot, attempt, LOCK_PATIENCE);
                if (found.isPresent()) {
                    return answer(found.get(), since);
                }
            } catch (KeyTable.LockedException locked) {
                return new KeyCheck.Processing(Duration.ZERO);
            }
        }
    }

    private KeyCheck answer(KeyTable.Found found, Duration since) {
        if (found.mine()) {
            if (store.isOneTooMany(found.slot())) {
                store.release(found);
                throw store.tooMany(found.slot().key());
            }
            Hold hold = store.startRenewing(keeper, found, since);
            store.publish(found.slot(), KeyEvent.CLAIMED);
            return new KeyCheck.New(new HeldClaim(found, store, hold));
        }
        return store.earlierReply(found)
                .<KeyCheck>map(KeyCheck.Completed::new)
                .orElseGet(() -> new KeyCheck.Processing(found.leaseLeft()));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
