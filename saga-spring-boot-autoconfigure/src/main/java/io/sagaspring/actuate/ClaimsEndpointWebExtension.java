package io.sagaspring.actuate;

import io.sagaspring.operations.ClaimRelease;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Extends the endpoint for HTTP: sets the status of a response, and passes on the name of the authenticated user. */
@EndpointWebExtension(endpoint = ClaimsEndpoint.class)
final class ClaimsEndpointWebExtension {

    private static final int CONFLICT = 409;

    private final ClaimsEndpoint claims;

    public ClaimsEndpointWebExtension(ClaimsEndpoint claims) {
        this.claims = claims;
    }

    /**
     * Releases one claim.
     *
     * @param entity the entity's table, as the list shows it
     * @param id the entity's id
     * @param token the claim's token, or null for any claim of the entity
     * @param tenant the tenant of the claim, or null if the entity's table and id identify the claim
     * @param security the security context of the request
     * @return 200 if the claim was released, 404 if the entity is not claimed, 409 for every other result
     */
    @DeleteOperation
    public WebEndpointResponse<ClaimRelease> release(
            String entity, String id, @Nullable Long token, @Nullable String tenant, SecurityContext security) {
        ClaimRelease release = claims.release(entity, id, token, tenant, CurrentOperator.of(security));
        return new WebEndpointResponse<>(
                release,
                switch (release.result()) {
                    case RELEASED -> WebEndpointResponse.STATUS_OK;
                    case NOT_CLAIMED -> WebEndpointResponse.STATUS_NOT_FOUND;
                    case OTHER_CLAIM, BLOCKED, UNKNOWN -> CONFLICT;
                });
    }
}
