package io.sagaspring.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, describes problems, and passes on the name of the
 * authenticated user.
 */
@EndpointWebExtension(endpoint = PausesEndpoint.class)
final class PausesEndpointWebExtension {

    private final PausesEndpoint pauses;

    public PausesEndpointWebExtension(PausesEndpoint pauses) {
        this.pauses = pauses;
    }

    /**
     * Pauses a kind of runs or a janitor on all nodes.
     *
     * @param what {@code kind} or {@code janitor}
     * @param name the name of the run class or the saga, or the module of the janitor
     * @param reason the reason
     * @param security the security context of the request
     * @return 200 if it is paused now, 400 if the reason is missing, 404 if this node does not know it, 409 if it was
     *     already paused
     */
    @WriteOperation
    public WebEndpointResponse<?> pause(
            @Selector String what, @Selector String name, @Nullable String reason, SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(pauses.pause(what, name, reason, CurrentOperator.of(security))));
    }

    /**
     * Resumes a kind of runs or a janitor on all nodes.
     *
     * @param what {@code kind} or {@code janitor}
     * @param name the name of the run class or the saga, or the module of the janitor
     * @param security the security context of the request
     * @return 200 if it is resumed, 404 if this node does not know it, 409 if it was not paused
     */
    @DeleteOperation
    public WebEndpointResponse<?> resume(@Selector String what, @Selector String name, SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(pauses.resume(what, name, CurrentOperator.of(security))));
    }
}
