package io.sagaspring.idempotency;

import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Does work once for each key, and replies to repetitions what it replied then:
 *
 * <pre>{@code
 * Receipt receipt = idempotency.execute(IdempotencyKey.of("pay", requestId), Receipt.class, () -> pay(order));
 * }</pre>
 *
 * <p>A failure, thrown or {@linkplain #unless returned}, frees the key, so that the request may be made again. Without a
 * request id the work is simply done.
 *
 * @since 0.1.0
 */
public final class Idempotency {

    private static final Logger logger = LoggerFactory.getLogger(Idempotency.class);

    private final IdempotencyKeys keys;
    private final TransactionalKeys transactional;
    private final PayloadCodec codec;
    private final Manner manner;

    private record Manner(boolean sameTransaction, Duration patience, Predicate<@Nullable Object> isFailure) {}

    /**
     * A template in two commits, without patience.
     *
     * @param keys for claims that are commits of their own
     * @param pool has the keys; a claim may be committed with work of the same data source
     * @param transactions begins transactions on it; asked for when the first is needed
     * @param waiters how many callers of this node may wait for a key with a connection of the pool
     * @param codec writes replies
     */
    public Idempotency(
            IdempotencyKeys keys,
            DataSource pool,
            Supplier<PlatformTransactionManager> transactions,
            int waiters,
            PayloadCodec codec) {
        this(keys, new TransactionalKeys(keys.store(), pool, transactions, () -> waiters), codec);
    }

    Idempotency(IdempotencyKeys keys, TransactionalKeys transactional, PayloadCodec codec) {
        this(keys, transactional, codec, new Manner(false, Duration.ZERO, result -> false));
    }

    private Idempotency(IdempotencyKeys keys, TransactionalKeys transactional, PayloadCodec codec, Manner manner) {
        this.keys = keys;
        this.transactional = transactional;
        this.codec = codec;
        this.manner = manner;
    }

    /**
     * Commits claim, work and reply together, in the current transaction or in a new one. A duplicate waits for it, up to
     * {@code saga.idempotency.transaction-patience}.
     *
     * @return a template like this one
     */
    public Idempotency inTransaction() {
        return with(new Manner(true, manner.patience(), manner.isFailure()));
    }

    /**
     * Waits for a request that is being worked on, instead of refusing its repetition at once.
     *
     * @param patience for how long
     * @return a template like this one
     */
    public Idempotency waiting(Duration patience) {
        return with(new Manner(manner.sameTransaction(), patience, manner.isFailure()));
    }

    /**
     * Takes some results for failures: they are returned, but not stored, and the key is free again.
     *
     * @param isFailure whether a result is none to keep
     * @return a template like this one
     */
    public Idempotency unless(Predicate<@Nullable Object> isFailure) {
        return with(new Manner(manner.sameTransaction(), manner.patience(), isFailure));
    }

    private Idempotency with(Manner changed) {
        return new Idempotency(keys, transactional, codec, changed);
    }

    /**
     * Does the work, unless it was done before.
     *
     * @param key what the request is
     * @param type what the work replies
     * @param work what to do
     * @param <T> what the work replies
     * @param <E> what the work may throw
     * @return the work's result, or what it was the first time
     * @throws E what the work threw
     * @throws DuplicateRequestException if the request is being worked on
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has as many as it may have
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The codec reads what it is told to, and null where null was written.
    public <T extends @Nullable Object, E extends Exception> T execute(
            IdempotencyKey key, Class<T> type, KeyedWork<T, E> work) throws E {
        return (T) execute(key, (Type) type, work);
    }

    /**
     * Does the work, unless it was done before.
     *
     * @param key what the request is
     * @param type what the work replies, with its type arguments
     * @param work what to do
     * @param <T> what the work replies
     * @param <E> what the work may throw
     * @return the work's result, or what it was the first time
     * @throws E what the work threw
     * @throws DuplicateRequestException if the request is being worked on
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has as many as it may have
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The codec reads what it is told to, and null where null was written.
    public <T extends @Nullable Object, E extends Exception> T execute(
            IdempotencyKey key, ParameterizedTypeReference<T> type, KeyedWork<T, E> work) throws E {
        return (T) execute(key, type.getType(), work);
    }

    /**
     * Does the work, unless it was done before. For who knows the type of the result only when it runs.
     *
     * @param key what the request is
     * @param type what the work replies
     * @param work what to do
     * @param <E> what the work may throw
     * @return the work's result, or what it was the first time
     * @throws E what the work threw
     * @throws DuplicateRequestException if the request is being worked on
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has as many as it may have
     */
    public <E extends Exception> @Nullable Object execute(
            IdempotencyKey key, Type type, KeyedWork<? extends @Nullable Object, E> work) throws E {
        if (key.requestId() == null) {
            return work.run();
        }
        return manner.sameTransaction() ? together(key, type, work) : inTwoCommits(key, type, work);
    }

    private <E extends Exception> @Nullable Object inTwoCommits(
            IdempotencyKey key, Type type, KeyedWork<? extends @Nullable Object, E> work) throws E {
        KeyCheck check = keys.check(key, manner.patience());
        if (check instanceof KeyCheck.Completed completed) {
            return read(key, completed.reply(), type);
        }
        if (check instanceof KeyCheck.Processing processing) {
            throw DuplicateRequestException.of(key, processing.leaseLeft());
        }
        KeyClaim claim = ((KeyCheck.New) check).claim();
        Object result;
        try {
            result = claim.during(work);
        } catch (Throwable thrown) {
            claim.fail(thrown);
            throw thrown;
        }
        if (isFailure(claim, result)) {
            claim.fail();
        } else {
            complete(claim, key, result, type);
        }
        return result;
    }

    /** What cannot be judged was done: the key is not free again. */
    private boolean isFailure(KeyClaim claim, @Nullable Object result) {
        try {
            return manner.isFailure().test(result);
        } catch (RuntimeException | Error thrown) {
            claim.complete(StoredReply.notKept("it could not be told whether it was a failure."));
            throw thrown;
        }
    }

    private <E extends Exception> @Nullable Object together(
            IdempotencyKey key, Type type, KeyedWork<? extends @Nullable Object, E> work) throws E {
        TransactionalKeys.Terms terms =
                new TransactionalKeys.Terms(manner.isFailure(), result -> writtenOrRolledBack(result, type));
        TransactionalKeys.Outcome<? extends @Nullable Object> outcome = transactional.execute(key, terms, work);
        return outcome.replayed() == null ? outcome.result() : read(key, outcome.replayed(), type);
    }

    private @Nullable Object read(IdempotencyKey key, StoredReply stored, Type type) {
        StoredReply reply = stored.required(key);
        if (reply.body() == null) {
            return null;
        }
        if (!reply.format().equals(codec.format())) {
            throw new PayloadException(
                    "The reply to the %s was written as '%s', and %s reads '%s'. Let keys written by another codec expire before it is replaced."
                            .formatted(key, reply.format(), codec.getClass().getName(), codec.format()),
                    null);
        }
        return codec.read(Objects.requireNonNull(reply.body()), type);
    }

    /** The work has taken effect. What cannot be stored must not have it done again. */
    private void complete(KeyClaim claim, IdempotencyKey key, @Nullable Object result, Type type) {
        StoredReply reply;
        try {
            reply = writtenOrRolledBack(result, type);
        } catch (RuntimeException unwritable) {
            logger.error("The reply to the {} cannot be replayed", key, unwritable);
            reply = StoredReply.notKept(unwritable.toString());
        } catch (Error broken) {
            claim.complete(StoredReply.notKept(broken.toString()));
            throw broken;
        }
        claim.complete(reply);
    }

    /** A reply that a repetition could not read is none to keep. */
    private StoredReply writtenOrRolledBack(@Nullable Object result, Type type) {
        if (result == null) {
            return new StoredReply(codec.format(), null, null);
        }
        byte[] written = codec.write(result);
        Object unused = codec.read(written, type);
        return new StoredReply(codec.format(), null, written);
    }
}
