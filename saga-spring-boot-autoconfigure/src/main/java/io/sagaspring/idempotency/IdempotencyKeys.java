package io.sagaspring.idempotency;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.TransactionPhase;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Check, claim, complete, for who wants the pieces; most want {@link Idempotency}. A claim is a commit of its own, made
 * before the work begins, and so is its completion.
 *
 * @since 0.1.0
 */
public final class IdempotencyKeys {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    /** Claims are written within milliseconds; one that stays open is of a transaction that does its work with its key. */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(1);

    private final KeyStore store;
    private final Keeper keeper;

    /**
     * The keys of a store.
     *
     * @param store where they are kept
     * @param keeper keeps claims alive
     */
    public IdempotencyKeys(KeyStore store, Keeper keeper) {
        this.store = store;
        this.keeper = keeper;
    }

    KeyStore store() {
        return store;
    }

    /**
     * Claims a key, or tells what became of it. Without a request id nothing is asked, and the claim is none.
     *
     * @param key what the request is
     * @return the claim, the reply, or that somebody is working on it
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has as many as it may have
     */
    public KeyCheck check(IdempotencyKey key) {
        return check(key, Duration.ZERO);
    }

    /**
     * Claims a key, or waits for who has it. A waiter reads, and takes over only what its owner has left.
     *
     * @param key what the request is
     * @param patience for how long
     * @return the claim, the reply, or that somebody is still working on it
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has as many as it may have
     */
    public KeyCheck check(IdempotencyKey key, Duration patience) {
        KeyCheck check = waitedFor(key, patience);
        if (check instanceof KeyCheck.Processing) {
            store.tell(key, KeyEvent.DUPLICATE);
        }
        return check;
    }

    private KeyCheck waitedFor(IdempotencyKey key, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            KeyCheck check = look(key);
            Duration left = Duration.ofNanos(giveUp - System.nanoTime());
            if (!(check instanceof KeyCheck.Processing) || left.isNegative() || left.isZero()) {
                return check;
            }
            try {
                Thread.sleep(shorter(pause, left).toMillis() + 1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return check;
            }
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
    }

    private KeyCheck look(IdempotencyKey key) {
        if (key.requestId() == null) {
            return new KeyCheck.New(KeyClaim.none());
        }
        if (TransactionPhase.isActive()) {
            throw new InsideTransactionException(key);
        }
        UUID attempt = UUID.randomUUID();
        KeyTable.Slot slot = new KeyTable.Slot(key);
        while (true) {
            Duration since = keeper.now();
            try {
                Optional<KeyTable.Found> found = store.claim(slot, attempt, LOCK_PATIENCE);
                if (found.isPresent()) {
                    return answer(key, found.get(), since);
                }
            } catch (KeyTable.LockedException locked) {
                return new KeyCheck.Processing(Duration.ZERO);
            }
        }
    }

    private KeyCheck answer(IdempotencyKey key, KeyTable.Found found, Duration since) {
        if (found.mine()) {
            if (store.isOneTooMany(key)) {
                store.release(found);
                throw store.tooMany(key);
            }
            Hold hold = store.keep(keeper, found, since);
            store.tell(key, KeyEvent.CLAIMED);
            return new KeyCheck.New(new HeldClaim(key, found, store, hold));
        }
        return store.earlierReply(key, found)
                .<KeyCheck>map(KeyCheck.Completed::new)
                .orElseGet(() -> new KeyCheck.Processing(found.leaseLeft()));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
