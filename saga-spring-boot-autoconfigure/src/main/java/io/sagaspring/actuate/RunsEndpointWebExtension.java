package io.sagaspring.actuate;

import io.sagaspring.actuate.RunsEndpoint.Told;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Over HTTP an operation has a status, whoever asks for it mostly a name, and a bad request a problem detail. */
@EndpointWebExtension(endpoint = RunsEndpoint.class)
final class RunsEndpointWebExtension {

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
     * Runs, latest first, without their steps.
     *
     * @param run the name of their code, all when not given
     * @param state where they stand, all when not given
     * @param key the key it was started with, only together with the name of its code
     * @param olderThan only runs that have been in their state for longer than this, such as PT10M
     * @param before only older ones than this
     * @param limit how many at most, 100 when not given, and no more than 1,000
     * @return 200 with the runs, 400 if a filter cannot be read
     */
    @ReadOperation
    public WebEndpointResponse<?> list(
            @Nullable String run,
            @Nullable String state,
            @Nullable String key,
            @Nullable String olderThan,
            @Nullable String before,
            @Nullable Integer limit) {
        return BadRequest.orElse(() -> new WebEndpointResponse<>(runs.list(run, state, key, olderThan, before, limit)));
    }

    /**
     * One run with its steps, and with the first cause of its failure.
     *
     * @param id which
     * @return 200 with the run, 400 if that is no id, 404 if there is no such run
     */
    @ReadOperation
    public WebEndpointResponse<?> find(@Selector String id) {
        return BadRequest.orElse(() -> {
            RunDetails found = runs.find(id);
            return found == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                    : new WebEndpointResponse<>(found);
        });
    }

    /**
     * Has a run go on from the step that failed.
     *
     * @param id which
     * @return 200 if it goes on, 404 if there is no such run, 409 if it neither failed nor is parked or blocked
     */
    @WriteOperation
    public WebEndpointResponse<?> retry(@Selector String id) {
        return BadRequest.orElse(() -> answer(runs.retry(id, Operator.ofRequest())));
    }

    /**
     * Decides what only a person can decide.
     *
     * @param id the run's id
     * @param decision {@code done}, {@code not-done} or {@code give-up}
     * @param step the step in doubt, with its key; not for {@code give-up}
     * @param result what the step returned, as JSON; only for {@code done}
     * @param security who asks
     * @return 200 if it was decided, 400 if the decision cannot be read, 404 if there is no such run, 409 if nothing of that kind
     *     is to be decided
     */
    @WriteOperation
    public WebEndpointResponse<?> decide(
            @Selector String id,
            @Selector String decision,
            @Nullable String step,
            @Nullable String result,
            SecurityContext security) {
        return BadRequest.orElse(() -> answer(runs.decide(id, decision, step, result, Operator.of(security))));
    }

    /**
     * Asks a run to stop.
     *
     * @param id which
     * @param security who asks
     * @return 200 if it was asked to, 404 if there is no such run, 409 if it is over
     */
    @DeleteOperation
    public WebEndpointResponse<?> cancel(@Selector String id, SecurityContext security) {
        return BadRequest.orElse(() -> answer(runs.cancel(id, Operator.of(security))));
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
