package io.sagaspring.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, and passes on the name of the authenticated user.
 */
@EndpointWebExtension(endpoint = DueEndpoint.class)
final class DueEndpointWebExtension {

    private final DueEndpoint due;

    public DueEndpointWebExtension(DueEndpoint due) {
        this.due = due;
    }

    /**
     * Makes one parked piece of work due again, with all attempts available.
     *
     * @param id the work's id, as the list shows it
     * @return 204 if the work is due again, 404 if no such work is parked
     */
    @WriteOperation
    public WebEndpointResponse<Void> retry(@Selector long id) {
        return answer(due.retry(id, null, CurrentOperator.ofRequest()).due());
    }

    /**
     * Makes one parked piece of work of a tenant due again.
     *
     * @param id the work's id, as the list shows it
     * @param tenant the tenant of the work
     * @return 204 if the work is due again, 404 if no such work is parked
     */
    @WriteOperation
    public WebEndpointResponse<Void> retryOf(@Selector long id, @Selector String tenant) {
        return answer(due.retry(id, tenant, CurrentOperator.ofRequest()).due());
    }

    /**
     * Gives up one piece of work that is parked or has no handler. The work is removed without being executed.
     *
     * @param id the work's id, as the list shows it
     * @param tenant the tenant of the work, which is needed if the tenant has a database of its own
     * @param security the security context of the request
     * @return 204 if the work was removed, 404 if there is no such work that is parked or has no handler
     */
    @DeleteOperation
    public WebEndpointResponse<Void> giveUp(@Selector long id, @Nullable String tenant, SecurityContext security) {
        return answer(due.giveUp(id, tenant, CurrentOperator.of(security)).removed());
    }

    private static WebEndpointResponse<Void> answer(boolean found) {
        return new WebEndpointResponse<>(
                found ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
