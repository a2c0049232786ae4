package io.sagaspring.idempotency;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.LostAnswers;
import io.sagaspring.fence.OutcomeUnknownException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A committed claim of a key. This node renews the claim until the claim ends. */
final class HeldClaim implements KeyClaim {

    private static final Logger logger = LoggerFactory.getLogger(HeldClaim.class);

    private final KeyTable.Found claim;
    private final KeyStore store;
    private final Hold hold;

    HeldClaim(KeyTable.Found claim, KeyStore store, Hold hold) {
        this.claim = claim;
        this.store = store;
        this.hold = hold;
    }

    private IdempotencyKey key() {
        return claim.slot().key();
    }

    @Override
    // The work throws only E. If the claim is already lost, the hold throws an InterruptedException, which the cast
    // lets through undeclared.
    @SuppressWarnings("unchecked")
    public <T extends @Nullable Object, E extends Exception> T during(KeyedWork<T, E> work) throws E {
        try {
            return hold.during(work::run);
        } catch (Exception thrown) {
            throw (E) thrown;
        }
    }

    @Override
    public void complete(StoredReply reply) {
        try (hold) {
            if (!stored(reply)) {
                store.publish(claim.slot(), KeyEvent.SUPERSEDED);
                throw new SupersededException(key());
            }
            store.publish(claim.slot(), KeyEvent.COMPLETED);
        }
    }

    /**
     * Stores the reply, and repeats the statement if the database's reply was lost. The claim's token makes the
     * repetition safe.
     */
    private boolean stored(StoredReply reply) {
        return LostAnswers.settledAfterWork(
                () -> "Storing the reply to a request with the " + key(), inDoubt -> store.complete(claim, reply));
    }

    @Override
    public void fail() {
        try (hold) {
            boolean freed = store.release(claim);
            store.publish(claim.slot(), freed ? KeyEvent.FREED : KeyEvent.SUPERSEDED);
            if (!freed) {
                logger.warn("The claim of the {} was taken over before it was released", key());
            }
        } catch (RuntimeException failed) {
            // Do not throw: the caller must get the exception of the work.
            logger.warn(
                    "The claim of the {} could not be released. The key is free when its lease ends, if not earlier",
                    key(),
                    failed);
        }
    }

    @Override
    public void fail(Throwable thrown) {
        OutcomeUnknownException unknown = outcomeUnknown(thrown);
        if (unknown == null) {
            fail();
            return;
        }
        try {
            complete(StoredReply.unknown("An earlier request with the " + key()));
        } catch (RuntimeException failed) {
            logger.warn("Could not store that the outcome of the request with the {} is unknown", key(), failed);
        }
    }

    private static @Nullable OutcomeUnknownException outcomeUnknown(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutcomeUnknownException unknown) {
                return unknown;
            }
        }
        return null;
    }
}
