package io.sagaspring.actuate;

import io.sagaspring.actuate.ClaimsEndpoint.Release;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over HTTP a release has a status, and mostly somebody's name. */
@EndpointWebExtension(endpoint = ClaimsEndpoint.class)
final class ClaimsEndpointWebExtension {

    private static final int CONFLICT = 409;

    private final ClaimsEndpoint claims;

    /**
     * The web's view of an endpoint.
     *
     * @param claims the endpoint
     */
    public ClaimsEndpointWebExtension(ClaimsEndpoint claims) {
        this.claims = claims;
    }

    /**
     * Releases one claim.
     *
     * @param entity the entity's table, as the list shows it
     * @param id the entity's id
     * @param token which of its claims, or null for whichever there is
     * @param security who asks
     * @return 200 if it was released, 404 if there is no such claim, 409 if it cannot be released now
     */
    @DeleteOperation
    public WebEndpointResponse<Release> release(
            String entity, String id, @Nullable Long token, SecurityContext security) {
        Release release = claims.release(entity, id, token, Operator.of(security));
        return new WebEndpointResponse<>(
                release,
                switch (release.result()) {
                    case RELEASED -> WebEndpointResponse.STATUS_OK;
                    case NOT_CLAIMED -> WebEndpointResponse.STATUS_NOT_FOUND;
                    case OTHER_CLAIM, BLOCKED, UNKNOWN -> CONFLICT;
                });
    }
}
