package io.sagaspring.actuate;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over HTTP an operation has a status, and who asks for it mostly a name. */
@EndpointWebExtension(endpoint = DueEndpoint.class)
final class DueEndpointWebExtension {

    private final DueEndpoint due;

    /**
     * The web's view of an endpoint.
     *
     * @param due the endpoint
     */
    public DueEndpointWebExtension(DueEndpoint due) {
        this.due = due;
    }

    /**
     * Has one piece tried again, with all its attempts.
     *
     * @param id which one, as the list shows it
     * @return 204 if it is due again, 404 if no such work is parked
     */
    @WriteOperation
    public WebEndpointResponse<Void> retry(@Selector long id) {
        return answer(due.retry(id, Operator.ofRequest()).due());
    }

    /**
     * Gives up one piece of work that is parked or has no handler: it is removed, and never done.
     *
     * @param id which one, as the list shows it
     * @param security who asks
     * @return 204 if it was removed, 404 if no such work is parked or without a handler
     */
    @DeleteOperation
    public WebEndpointResponse<Void> giveUp(@Selector long id, SecurityContext security) {
        return answer(due.giveUp(id, Operator.of(security)).removed());
    }

    private static WebEndpointResponse<Void> answer(boolean found) {
        return new WebEndpointResponse<>(
                found ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
