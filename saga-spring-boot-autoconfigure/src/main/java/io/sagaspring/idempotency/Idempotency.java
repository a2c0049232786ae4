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
 * Executes work once per key, and returns the stored reply to repeated requests:
 *
 * <pre>{@code
 * Receipt receipt = idempotency.execute(IdempotencyKey.of("pay", requestId), Receipt.class, () -> pay(order));
 * }</pre>
 *
 * <p>A failure, thrown or {@linkplain #unless returned}, frees the key, so that the request can be repeated. By
 * default, claim and reply are committed separately. Then one failure does not free the key: an {@code
 * OutcomeUnknownException} is stored, and repeated requests also fail with it. A key without a request id gives no
 * protection: its work is always executed.
 *
 * @since 0.1.0
 */
public final class Idempotency {

    private static final Logger logger = LoggerFactory.getLogger(Idempotency.class);

    private final IdempotencyKeys keys;
    private final TransactionalKeys transactional;
    private final PayloadCodec codec;
    private final Options options;

    private record Options(boolean sameTransaction, Duration patience, Predicate<@Nullable Object> isFailure) {}

    /**
     * Creates a template that commits the claim and the reply separately, and refuses a concurrent duplicate at once.
     *
     * @param keys the operations that claim and complete keys in two commits
     * @param pool the data source with the keys; a claim may be committed together with the application's work on this
     *     data source
     * @param transactions the supplier of the data source's transaction manager, called when the first transaction is
     *     needed
     * @param waiters the number of callers of this node that may wait for a key while holding a connection of the pool
     * @param codec the codec of the replies
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
        this(keys, transactional, codec, new Options(false, Duration.ZERO, result -> false));
    }

    private Idempotency(IdempotencyKeys keys, TransactionalKeys transactional, PayloadCodec codec, Options options) {
        this.keys = keys;
        this.transactional = transactional;
        this.codec = codec;
        this.options = options;
    }

    /**
     * Returns a template that commits claim, work and reply together, in the current transaction or in a new one. A
     * duplicate waits for that commit for up to {@code saga.idempotency.transaction-patience}.
     *
     * @return a template whose other settings are the same
     */
    public Idempotency inTransaction() {
        return with(new Options(true, options.patience(), options.isFailure()));
    }

    /**
     * Returns a template that waits for a request in progress instead of refusing the duplicate at once. Together with
     * {@link #inTransaction}, this setting has no effect.
     *
     * @param patience the longest time that a duplicate waits
     * @return a template whose other settings are the same
     */
    public Idempotency waiting(Duration patience) {
        return with(new Options(options.sameTransaction(), patience, options.isFailure()));
    }

    /**
     * Returns a template that treats some results as failures. Such results are returned but not stored, and the key is
     * free again.
     *
     * @param isFailure the test that returns true for a result that must not be stored
     * @return a template whose other settings are the same
     */
    public Idempotency unless(Predicate<@Nullable Object> isFailure) {
        return with(new Options(options.sameTransaction(), options.patience(), isFailure));
    }

    private Idempotency with(Options changed) {
        return new Idempotency(keys, transactional, codec, changed);
    }

    /**
     * Executes the work, or returns the stored reply if the work was executed already.
     *
     * @param key the key of the request
     * @param type the type of the reply
     * @param work the work
     * @param <T> the type of the reply
     * @param <E> the exception of the work
     * @return the result of the work, or the stored result of the first request
     * @throws E if the work threw it
     * @throws DuplicateRequestException if a request with the key is in progress
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has reached its limit of keys
     * @throws io.sagaspring.fence.ActiveTransactionException if the key cannot be claimed in the active transaction
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The codec returns the given type, or null if null was written.
    public <T extends @Nullable Object, E extends Exception> T execute(
            IdempotencyKey key, Class<T> type, KeyedWork<T, E> work) throws E {
        return (T) execute(key, (Type) type, work);
    }

    /**
     * Executes the work, or returns the stored reply if the work was executed already.
     *
     * @param key the key of the request
     * @param type the type of the reply, with its type arguments
     * @param work the work
     * @param <T> the type of the reply
     * @param <E> the exception of the work
     * @return the result of the work, or the stored result of the first request
     * @throws E if the work threw it
     * @throws DuplicateRequestException if a request with the key is in progress
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has reached its limit of keys
     * @throws io.sagaspring.fence.ActiveTransactionException if the key cannot be claimed in the active transaction
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The codec returns the given type, or null if null was written.
    public <T extends @Nullable Object, E extends Exception> T execute(
            IdempotencyKey key, ParameterizedTypeReference<T> type, KeyedWork<T, E> work) throws E {
        return (T) execute(key, type.getType(), work);
    }

    /**
     * Executes the work, or returns the stored reply if the work was executed already. Use this method if the type of
     * the reply is known only at run time.
     *
     * @param key the key of the request
     * @param type the type of the reply
     * @param work the work
     * @param <E> the exception of the work
     * @return the result of the work, or the stored result of the first request
     * @throws E if the work threw it
     * @throws DuplicateRequestException if a request with the key is in progress
     * @throws KeyReusedException if the key was used for another request
     * @throws TooManyKeysException if the key is new, and its owner has reached its limit of keys
     * @throws io.sagaspring.fence.ActiveTransactionException if the key cannot be claimed in the active transaction
     */
    public <E extends Exception> @Nullable Object execute(
            IdempotencyKey key, Type type, KeyedWork<? extends @Nullable Object, E> work) throws E {
        if (key.requestId() == null) {
            return work.run();
        }
        return options.sameTransaction() ? inOneCommit(key, type, work) : inTwoCommits(key, type, work);
    }

    private <E extends Exception> @Nullable Object inTwoCommits(
            IdempotencyKey key, Type type, KeyedWork<? extends @Nullable Object, E> work) throws E {
        KeyCheck check = keys.check(key, options.patience());
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

    /**
     * Tests whether the result is a failure. If the test throws an exception, a substitute for the reply is stored,
     * because the work was executed and must not be repeated.
     */
    private boolean isFailure(KeyClaim claim, @Nullable Object result) {
        try {
            return options.isFailure().test(result);
        } catch (RuntimeException | Error thrown) {
            claim.complete(StoredReply.notKept("checking whether the result is a failure threw an exception."));
            throw thrown;
        }
    }

    private <E extends Exception> @Nullable Object inOneCommit(
            IdempotencyKey key, Type type, KeyedWork<? extends @Nullable Object, E> work) throws E {
        TransactionalKeys.Options settings =
                new TransactionalKeys.Options(options.isFailure(), result -> readableReply(result, type));
        TransactionalKeys.Outcome<? extends @Nullable Object> outcome = transactional.execute(key, settings, work);
        return outcome.replayed() == null ? outcome.result() : read(key, outcome.replayed(), type);
    }

    private @Nullable Object read(IdempotencyKey key, StoredReply stored, Type type) {
        StoredReply reply = stored.required(key);
        if (reply.body() == null) {
            return null;
        }
        if (!reply.format().equals(codec.format())) {
            throw new PayloadException(
                    "The reply to a request with the %s was written in the format '%s', but %s reads the format '%s'. Let all keys of the old codec expire before you replace the codec."
                            .formatted(key, reply.format(), codec.getClass().getName(), codec.format()),
                    null);
        }
        return codec.read(Objects.requireNonNull(reply.body()), type);
    }

    /**
     * Stores the reply. If the reply cannot be serialized and read back, a substitute is stored, so that the work is
     * not executed again.
     */
    private void complete(KeyClaim claim, IdempotencyKey key, @Nullable Object result, Type type) {
        StoredReply reply;
        try {
            reply = readableReply(result, type);
        } catch (RuntimeException unwritable) {
            logger.error("The reply to a request with the {} cannot be replayed", key, unwritable);
            reply = StoredReply.notKept(unwritable.toString());
        } catch (Error broken) {
            claim.complete(StoredReply.notKept(broken.toString()));
            throw broken;
        }
        claim.complete(reply);
    }

    /** Serializes a reply, and deserializes it again before it is stored, to make sure that it can be replayed. */
    private StoredReply readableReply(@Nullable Object result, Type type) {
        if (result == null) {
            return new StoredReply(codec.format(), null, null);
        }
        byte[] written = codec.write(result);
        Object unused = codec.read(written, type);
        return new StoredReply(codec.format(), null, written);
    }
}
