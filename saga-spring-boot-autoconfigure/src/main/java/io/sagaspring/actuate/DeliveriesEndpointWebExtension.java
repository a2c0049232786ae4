package io.sagaspring.actuate;

import io.sagaspring.listener.DeliveryState;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, and passes on the name of the authenticated user.
 */
@EndpointWebExtension(endpoint = DeliveriesEndpoint.class)
final class DeliveriesEndpointWebExtension {

    private final DeliveriesEndpoint deliveries;

    /**
     * Creates the extension.
     *
     * @param deliveries the endpoint
     */
    public DeliveriesEndpointWebExtension(DeliveriesEndpoint deliveries) {
        this.deliveries = deliveries;
    }

    /**
     * Lists deliveries.
     *
     * @param listener the id of the listener, or null for all
     * @param key the key, or null for all
     * @param state the state; parked if it is not given
     * @param tenant the tenant, an empty string for deliveries without a tenant, or null for all
     * @param limit the largest length of the list, at most 1,000; 100 if it is not given
     * @return 200 with the deliveries, 400 if a filter cannot be read
     */
    @ReadOperation
    public WebEndpointResponse<?> find(
            @Nullable String listener,
            @Nullable String key,
            @Nullable DeliveryState state,
            @Nullable String tenant,
            @Nullable Integer limit) {
        return BadRequest.orElse(() -> new WebEndpointResponse<>(deliveries.find(listener, key, state, tenant, limit)));
    }

    /**
     * Makes a delivery due now, with all attempts available.
     *
     * @param id the id of the delivery, as the list shows it
     * @return 204 if the delivery is due now, 404 if no such delivery is parked or waits for its next attempt
     */
    @WriteOperation
    public WebEndpointResponse<Void> retry(@Selector long id) {
        return answer(deliveries.retry(id, CurrentOperator.ofRequest()).due());
    }

    /**
     * Gives up a delivery. The event is not delivered, and the next delivery of the same line follows.
     *
     * @param id the id of the delivery, as the list shows it
     * @param reason the reason, for the log
     * @param security the security context of the request
     * @return 204 if the delivery was removed, 404 if there is no such delivery or a node is calling its listener
     */
    @DeleteOperation
    public WebEndpointResponse<Void> giveUp(@Selector long id, @Nullable String reason, SecurityContext security) {
        return answer(
                deliveries.giveUp(id, reason, CurrentOperator.of(security)).removed());
    }

    private static WebEndpointResponse<Void> answer(boolean found) {
        return new WebEndpointResponse<>(
                found ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
