package io.sagaspring.actuate;

import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over HTTP a retry has a status. */
@EndpointWebExtension(endpoint = DueEndpoint.class)
public final class DueEndpointWebExtension {

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
        return new WebEndpointResponse<>(
                due.retry(id).due() ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
