package io.sagaspring.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, describes problems, and passes on the name of the
 * authenticated user.
 */
@EndpointWebExtension(endpoint = LeasesEndpoint.class)
final class LeasesEndpointWebExtension {

    private final LeasesEndpoint leases;

    public LeasesEndpointWebExtension(LeasesEndpoint leases) {
        this.leases = leases;
    }

    /**
     * Lists names of leases, ordered by name.
     *
     * @param name the text of the name; the name of a tenant is found only together with the tenant
     * @param tenant the tenant, or an empty string for names of no tenant
     * @param node the node of the latest owner
     * @param state {@code held}, {@code free} or {@code completed}
     * @param after the value of {@code next} in the previous answer
     * @param limit the largest number of names to list, at most 1,000; 100 if it is not given
     * @return 200 with the names, 400 if a filter cannot be read
     */
    @ReadOperation
    public WebEndpointResponse<?> list(
            @Nullable String name,
            @Nullable String tenant,
            @Nullable String node,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        return BadRequest.orElse(() -> new WebEndpointResponse<>(leases.list(name, tenant, node, state, after, limit)));
    }

    /**
     * Frees a lease that a caller holds.
     *
     * @param name the text of the lease's name
     * @param tenant the tenant of the name, or null if it has none
     * @param token the token of the owner, as the list shows it
     * @param reason the reason, or null if there is none
     * @param security the security context of the request
     * @return 200 if the lease is free now, 400 if the name or the token is missing, 404 if there is no such name, 409
     *     if no one or another owner holds the lease, or if a transaction has locked it
     */
    @DeleteOperation
    public WebEndpointResponse<?> free(
            @Nullable String name,
            @Nullable String tenant,
            @Nullable Long token,
            @Nullable String reason,
            SecurityContext security) {
        return BadRequest.orElse(
                () -> Responses.of(leases.free(name, tenant, token, reason, CurrentOperator.of(security))));
    }
}
