package io.sagaspring.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, describes problems, and passes on the name of the
 * authenticated user.
 */
@EndpointWebExtension(endpoint = KeysEndpoint.class)
final class KeysEndpointWebExtension {

    private final KeysEndpoint keys;

    public KeysEndpointWebExtension(KeysEndpoint keys) {
        this.keys = keys;
    }

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
     * @return 200 with the keys, 400 if a parameter cannot be read or does not fit the others
     */
    @ReadOperation
    public WebEndpointResponse<?> list(
            @Nullable String operation,
            @Nullable String request,
            @Nullable String owner,
            @Nullable String account,
            @Nullable String tenant,
            @Nullable String node,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        return BadRequest.orElse(() -> new WebEndpointResponse<>(keys.list(
                new KeysEndpoint.Filter(operation, request, owner, account, tenant, node, state, after, limit))));
    }

    /**
     * Frees the key of a request that has not been answered.
     *
     * @param id the digest that identifies the key
     * @param token the token of the claim, as the list shows it
     * @param reason the reason, or null if there is none
     * @param security the security context of the request
     * @return 200 if the key is free now, 400 if the token is missing, 404 if there is no such key, 409 if the request
     *     was answered, if the key has another token, or if a transaction has locked it
     */
    @DeleteOperation
    public WebEndpointResponse<?> free(
            @Selector String id, @Nullable Long token, @Nullable String reason, SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(keys.free(id, token, reason, CurrentOperator.of(security))));
    }
}
