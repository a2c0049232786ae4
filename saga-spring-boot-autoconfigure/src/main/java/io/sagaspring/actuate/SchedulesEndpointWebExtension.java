package io.sagaspring.actuate;

import io.sagaspring.actuate.SchedulesEndpoint.Details;
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
@EndpointWebExtension(endpoint = SchedulesEndpoint.class)
final class SchedulesEndpointWebExtension {

    private final SchedulesEndpoint schedules;

    /**
     * Creates the extension.
     *
     * @param schedules the endpoint
     */
    public SchedulesEndpointWebExtension(SchedulesEndpoint schedules) {
        this.schedules = schedules;
    }

    /**
     * Pauses, resumes, triggers or backfills a schedule.
     *
     * @param name the name of the schedule
     * @param operation the operation: {@code pause}, {@code resume}, {@code trigger} or {@code backfill}
     * @param reason the reason for a pause; only for {@code pause}
     * @param from the first instant that may fire; only for {@code backfill}
     * @param to the last instant that may fire; only for {@code backfill}
     * @param overlap the rule for runs that would overlap: {@code allow} or {@code queue_one}; only for {@code
     *     backfill}
     * @param security the security context of the request
     * @return 200 if the schedule was changed, 400 if the request cannot be read, 404 if there is no such schedule, 409
     *     if its state does not allow the operation
     */
    @WriteOperation
    public WebEndpointResponse<?> change(
            @Selector String name,
            @Selector String operation,
            @Nullable String reason,
            @Nullable String from,
            @Nullable String to,
            @Nullable String overlap,
            SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(schedules.change(
                name, operation, new Details(reason, from, to, overlap), CurrentOperator.of(security))));
    }

    /**
     * Removes a schedule that is no longer declared.
     *
     * @param name the name of the schedule
     * @param security the security context of the request
     * @return 200 if the schedule was removed, 404 if there is no such schedule, 409 if this node declares it
     */
    @DeleteOperation
    public WebEndpointResponse<?> remove(@Selector String name, SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(schedules.remove(name, CurrentOperator.of(security))));
    }
}
