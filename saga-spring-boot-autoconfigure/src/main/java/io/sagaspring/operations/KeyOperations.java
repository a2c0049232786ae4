package io.sagaspring.operations;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.idempotency.KeyView;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.operations.Audit.Request;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The operations on idempotency keys.
 *
 * @since 0.1.0
 */
public final class KeyOperations {

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    private final StoredKeys keys;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param keys the stored keys
     * @param audit the audit of the operations
     */
    public KeyOperations(StoredKeys keys, Audit audit) {
        this.keys = keys;
        this.audit = audit;
    }

    /**
     * Frees the key of a request that has not been answered. The next request with the key executes the work again. The
     * previous owner is fenced off: it can no longer store its reply. Side effects that it already had remain.
     *
     * <p>A key with a stored reply is not freed. Its work is done, and a client that repeats the request would execute
     * it a second time.
     *
     * @param id the digest of the key, in hexadecimal digits
     * @param token the token of the claim
     * @param reason the reason, or null if there is none
     * @param operator the person
     * @return the result
     */
    public OperationResult free(String id, long token, @Nullable String reason, Operator operator) {
        return audit.perform(
                new Request("key.free", OperationTarget.of("key", id), operator, reason),
                () -> freed(id, new FencingToken(token)));
    }

    private OperationResult freed(String id, FencingToken token) {
        if (!DIGEST.matcher(id).matches()) {
            return unknown(id);
        }
        return switch (keys.free(id, token)) {
            case FREED ->
                OperationResult.accepted(
                        "The key %s is free. The next request with this key executes the work again.".formatted(id));
            case LOCKED ->
                OperationResult.refused(
                        "A transaction has locked the key %s. Nothing was changed. Try again when that transaction has ended."
                                .formatted(id));
            case NOT_HELD -> keys.find(id).map(found -> refused(found, token)).orElseGet(() -> unknown(id));
        };
    }

    private static OperationResult refused(KeyView found, FencingToken token) {
        return OperationResult.refused(
                found.leaseEndsAt() == null
                        ? "The request with the key %s was answered, so its work is done. Nothing was changed. The key can be used again after %s."
                                .formatted(found.id(), found.expiresAt())
                        : "The key %s is claimed with token %s, not with %s. Nothing was changed. Look at the current owner first."
                                .formatted(found.id(), found.token(), token));
    }

    private static OperationResult unknown(String id) {
        return OperationResult.unknown("There is no key %s.".formatted(id));
    }
}
