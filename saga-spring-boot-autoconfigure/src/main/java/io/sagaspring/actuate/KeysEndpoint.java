package io.sagaspring.actuate;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.InvalidKeyException;
import io.sagaspring.idempotency.KeyPage;
import io.sagaspring.idempotency.KeyQuery;
import io.sagaspring.idempotency.KeyState;
import io.sagaspring.idempotency.KeyView;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.operations.KeyOperations;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Lists and finds idempotency keys, and frees a key whose request has not been answered. Only reading is allowed unless
 * {@code management.endpoint.sagakeys.access} is {@code unrestricted}. Neither the replies nor the ids that clients have
 * chosen are shown.
 */
@Endpoint(id = "sagakeys", defaultAccess = Access.READ_ONLY)
final class KeysEndpoint {

    private static final String A_TOKEN = "Copy the token of the key from the list.";

    private final StoredKeys keys;
    private final KeyOperations operations;

    /**
     * Creates the endpoint.
     *
     * @param keys the stored keys
     * @param operations the operations on keys
     */
    public KeysEndpoint(StoredKeys keys, KeyOperations operations) {
        this.keys = keys;
        this.operations = operations;
    }

    /**
     * A page of keys.
     *
     * @param keys the keys
     * @param next the value of {@code after} for the next page, or null if there are no further keys
     */
    public record Listed(List<Shown> keys, @Nullable String next) {}

    /**
     * A key.
     *
     * @param id the digest that identifies the key
     * @param operation the name of the operation
     * @param owner the user to whom the key belongs, or {@code -}
     * @param account the part of the application's data that the request changes, or {@code -}
     * @param tenant the tenant of the key, or null if it has none
     * @param state {@code processing}, {@code abandoned}, {@code completed} or {@code expired}
     * @param node the node of the latest claim
     * @param token the token of the latest claim
     * @param claimedAt the time of the latest claim
     * @param expiresAt the end of the retention
     * @param leaseEndsAt the time at which another request can take over the key, or null if the reply is stored
     */
    public record Shown(
            String id,
            String operation,
            String owner,
            String account,
            @Nullable String tenant,
            String state,
            String node,
            long token,
            Instant claimedAt,
            Instant expiresAt,
            @Nullable Instant leaseEndsAt) {

        static Shown of(KeyView view) {
            return new Shown(
                    view.id(),
                    view.operation(),
                    view.owner(),
                    view.account(),
                    view.tenant(),
                    view.state().text(),
                    view.node(),
                    view.token().value(),
                    view.claimedAt(),
                    view.expiresAt(),
                    view.leaseEndsAt());
        }
    }

    /** The parameters of a request that lists or finds keys. Each parameter may be missing. */
    record Filter(
            @Nullable String operation,
            @Nullable String request,
            @Nullable String owner,
            @Nullable String account,
            @Nullable String tenant,
            @Nullable String node,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {}

    /**
     * Lists keys, latest first. With {@code request}, finds one key by its parts.
     *
     * @param operation the name of the operation
     * @param request the id that the client has chosen; only together with {@code operation}
     * @param owner the user to whom the keys belong
     * @param account the account of the key; only together with {@code request}
     * @param tenant the tenant, or an empty string for keys of no tenant
     * @param node the node of the latest claim; not with {@code request}
     * @param state {@code processing}, {@code abandoned}, {@code completed} or {@code expired}; not with {@code request}
     * @param after the value of {@code next} in the previous answer; not with {@code request}
     * @param limit the largest number of keys to list, at most 1,000; 100 if it is not given
     * @return the keys
     */
    @ReadOperation
    public Listed list(
            @Nullable String operation,
            @Nullable String request,
            @Nullable String owner,
            @Nullable String account,
            @Nullable String tenant,
            @Nullable String node,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        return list(new Filter(operation, request, owner, account, tenant, node, state, after, limit));
    }

    Listed list(Filter filter) {
        KeyPage page = filter.request() == null ? listed(filter) : new KeyPage(found(filter), null);
        return new Listed(page.keys().stream().map(Shown::of).toList(), page.next());
    }

    private KeyPage listed(Filter filter) {
        if (filter.account() != null) {
            throw BadRequest.because(
                    "The parameter 'account' needs the parameter 'request', because an account is only a part of a key. Add the request.");
        }
        KeyState wanted = Given.constant("state", filter.state(), KeyState.class);
        String operation = Given.nonEmpty("operation", filter.operation());
        String owner = Given.nonEmpty("owner", filter.owner());
        String tenant = Given.text("tenant", filter.tenant());
        String node = Given.nonEmpty("node", filter.node());
        Function<@Nullable String, KeyPage> reading = from ->
                keys.list(new KeyQuery(operation, owner, tenant, node, wanted, from, Given.limit(filter.limit())));
        return filter.after() == null
                ? reading.apply(null)
                : BadRequest.read(filter.after(), from -> reading.apply(from), Given.NEXT_PAGE);
    }

    /** Finds a key by its parts. The digest of all parts is the primary key. */
    private List<KeyView> found(Filter filter) {
        if (filter.node() != null || filter.state() != null || filter.after() != null) {
            throw BadRequest.because(
                    "The parameter 'request' finds one key, so it allows none of the parameters 'node', 'state' and 'after'. Leave them out.");
        }
        try {
            IdempotencyKey key = IdempotencyKey.of(
                            Given.required("operation", filter.operation(), "Give the name of the operation."),
                            filter.request())
                    .ownedBy(either(filter.owner()))
                    .onAccount(either(filter.account()));
            return keys.find(key, Given.nonEmpty("tenant", filter.tenant()));
        } catch (InvalidKeyException invalid) {
            throw BadRequest.because(String.valueOf(invalid.getMessage()));
        }
    }

    private static String either(@Nullable String part) {
        return part == null || part.isEmpty() ? IdempotencyKey.NONE : part;
    }

    /**
     * Frees the key of a request that has not been answered. The next request with the key executes the work again.
     *
     * @param id the digest that identifies the key
     * @param token the token of the claim, as the list shows it
     * @param reason the reason, or null if there is none
     * @return the result
     */
    @DeleteOperation
    public OperationResult free(@Selector String id, @Nullable Long token, @Nullable String reason) {
        return free(id, token, reason, CurrentOperator.UNKNOWN);
    }

    OperationResult free(String id, @Nullable Long token, @Nullable String reason, Operator operator) {
        return operations.free(id, Given.required("token", token, A_TOKEN), reason, operator);
    }
}
