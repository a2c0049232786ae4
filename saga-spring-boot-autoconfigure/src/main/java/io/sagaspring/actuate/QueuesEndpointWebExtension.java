package io.sagaspring.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, describes problems, and passes on the name of the
 * authenticated user.
 */
@EndpointWebExtension(endpoint = QueuesEndpoint.class)
final class QueuesEndpointWebExtension {

    private final QueuesEndpoint queues;

    /**
     * Creates the extension.
     *
     * @param queues the endpoint
     */
    public QueuesEndpointWebExtension(QueuesEndpoint queues) {
        this.queues = queues;
    }

    /**
     * Returns one queue.
     *
     * @param name the name of the queue
     * @return 200 with the queue, 404 if it is unknown
     */
    @ReadOperation
    public WebEndpointResponse<?> find(@Selector String name) {
        return response(queues.find(name));
    }

    /**
     * Pauses or resumes a queue, or changes its limits.
     *
     * @param name the name of the queue
     * @param operation {@code pause}, {@code resume} or {@code limits}
     * @param reason the reason
     * @param atOnce the largest number of runs that execute at once; required for {@code limits}, otherwise ignored
     * @param atOnceForEach the largest number of runs of a key that execute at once, or null to remove this limit; only
     *     for {@code limits}
     * @param security the security context of the request
     * @return 200 with the queue, 400 if the request cannot be read or the limits cannot work, 404 if this application
     *     does not declare the queue
     */
    @WriteOperation
    public WebEndpointResponse<?> change(
            @Selector String name,
            String operation,
            @Nullable String reason,
            @Nullable Integer atOnce,
            @Nullable Integer atOnceForEach,
            SecurityContext security) {
        return BadRequest.orElse(() -> response(queues.change(
                name,
                new QueuesEndpoint.Request(operation, reason, atOnce, atOnceForEach),
                CurrentOperator.of(security))));
    }

    private static WebEndpointResponse<?> response(QueuesEndpoint.@Nullable Shown found) {
        return found == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(found);
    }
}
