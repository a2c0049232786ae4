package io.sagaspring.actuate;

import io.sagaspring.actuate.RunsEndpoint.Told;
import java.security.Principal;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over HTTP what a run was told has a status, and who cancels mostly a name. */
@EndpointWebExtension(endpoint = RunsEndpoint.class)
public final class RunsEndpointWebExtension {

    private static final int CONFLICT = 409;

    private final RunsEndpoint runs;

    /**
     * The web's view of an endpoint.
     *
     * @param runs the endpoint
     */
    public RunsEndpointWebExtension(RunsEndpoint runs) {
        this.runs = runs;
    }

    /**
     * Has a run go on from the step that failed.
     *
     * @param id which
     * @return 200 if it goes on, 404 if there is no such run, 409 if it neither failed nor is parked or blocked
     */
    @WriteOperation
    public WebEndpointResponse<Told> retry(@Selector String id) {
        return answer(runs.retry(id));
    }

    /**
     * Asks a run to stop.
     *
     * @param id which
     * @param security who asks
     * @return 200 if it was asked to, 404 if there is no such run, 409 if it is over
     */
    @DeleteOperation
    public WebEndpointResponse<Told> cancel(@Selector String id, SecurityContext security) {
        Principal principal = security.getPrincipal();
        return answer(runs.cancel(
                id,
                principal == null ? "cancelled by an operator" : "cancelled by '%s'".formatted(principal.getName())));
    }

    private static WebEndpointResponse<Told> answer(Told told) {
        return new WebEndpointResponse<>(
                told,
                switch (told.result()) {
                    case ACCEPTED -> WebEndpointResponse.STATUS_OK;
                    case UNKNOWN -> WebEndpointResponse.STATUS_NOT_FOUND;
                    case REFUSED -> CONFLICT;
                });
    }
}
