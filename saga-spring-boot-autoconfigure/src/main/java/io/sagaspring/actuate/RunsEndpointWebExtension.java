package io.sagaspring.actuate;

import io.sagaspring.operations.BulkResult;
import io.sagaspring.operations.RunDetails;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Extends the endpoint for HTTP: sets the status of each response, describes problems, and passes on the name of the
 * authenticated user.
 */
@EndpointWebExtension(endpoint = RunsEndpoint.class)
final class RunsEndpointWebExtension {

    private final RunsEndpoint runs;

    public RunsEndpointWebExtension(RunsEndpoint runs) {
        this.runs = runs;
    }

    /**
     * Lists runs, latest first, without their steps.
     *
     * @param run the name of the runs' code; all names if it is not given
     * @param state the state of the runs; all states if it is not given
     * @param key the key that a run was started with; only together with {@code run}
     * @param tenant the tenant of the runs, an empty string for runs of no tenant, or null for all runs
     * @param olderThan the minimum time that the runs have been in their state, such as {@code PT10M}
     * @param before the id of a run; only older runs are listed
     * @param limit the largest number of runs to list, at most 1,000; 100 if it is not given
     * @param label a label of the runs, such as {@code customer:42}; several labels if it is given more than once
     * @param node the node that executes the runs
     * @param startedFrom the earliest time of the start, such as {@code 2026-11-25T08:00:00Z}
     * @param startedBefore the time before which the runs were started
     * @param count true to also count the runs that the filter selects
     * @return 200 with the runs, 400 if a filter cannot be read
     */
    @ReadOperation
    public WebEndpointResponse<?> list(
            @Nullable String run,
            @Nullable String state,
            @Nullable String key,
            @Nullable String tenant,
            @Nullable String olderThan,
            @Nullable String before,
            @Nullable Integer limit,
            @Nullable Object label,
            @Nullable String node,
            @Nullable String startedFrom,
            @Nullable String startedBefore,
            @Nullable Boolean count) {
        return BadRequest.orElse(() -> new WebEndpointResponse<>(runs.list(
                new RunFilter(
                        run, state, key, tenant, olderThan, before, limit, label, node, startedFrom, startedBefore),
                Boolean.TRUE.equals(count))));
    }

    /**
     * Returns one run with its steps, and with the first cause of its failure.
     *
     * @param id the run's id
     * @return 200 with the run, 400 if the id cannot be read, 404 if there is no such run
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
     * Retries a run. Completed steps are not executed again.
     *
     * @param id the run's id
     * @return 200 if the run is retried, 400 if the id cannot be read, 404 if there is no such run, 409 if its state
     *     does not allow a retry or an open run has the same key
     */
    @WriteOperation
    public WebEndpointResponse<?> retry(@Selector String id) {
        return BadRequest.orElse(() -> Responses.of(runs.retry(id, CurrentOperator.ofRequest())));
    }

    /**
     * Performs an operation on all runs that a query selects, at most on 1,000.
     *
     * @param operation {@code retry}, {@code cancel} or {@code give-up}
     * @param state the state of the runs, which must allow the operation
     * @param run the name of the runs' code; all names if it is not given
     * @param key the key that a run was started with; only together with {@code run}
     * @param tenant the tenant of the runs, an empty string for runs of no tenant, or null for all runs
     * @param olderThan the minimum time that the runs have been in their state
     * @param label a label of the runs, or several labels
     * @param node the node that executes the runs
     * @param startedFrom the earliest time of the start
     * @param startedBefore the time before which the runs were started
     * @param latest the id of the first run in the list
     * @param count the number of runs, as the list has counted them
     * @param next the {@code next} of the previous answer, to continue; {@code count} is then the remaining number
     * @param reason the reason, or null if there is none
     * @param security the security context of the request
     * @return 200 with the numbers of changed and refused runs, 400 if the request cannot be read, 404 if the query
     *     selects no run any more
     */
    @WriteOperation
    public WebEndpointResponse<?> changeAll(
            @Nullable String operation,
            @Nullable String state,
            @Nullable String run,
            @Nullable String key,
            @Nullable String tenant,
            @Nullable String olderThan,
            @Nullable Object label,
            @Nullable String node,
            @Nullable String startedFrom,
            @Nullable String startedBefore,
            @Nullable String latest,
            @Nullable Integer count,
            @Nullable String next,
            @Nullable String reason,
            SecurityContext security) {
        return BadRequest.orElse(() -> {
            RunFilter filter = new RunFilter(
                    run, state, key, tenant, olderThan, null, null, label, node, startedFrom, startedBefore);
            BulkResult result = runs.changeAll(
                    new RunsChange(operation, filter, latest, count, next, reason), CurrentOperator.of(security));
            return Responses.of(result.operation().result(), result);
        });
    }

    /**
     * Records a person's decision about one run.
     *
     * @param id the run's id
     * @param decision {@code done}, {@code not-done}, {@code give-up}, {@code signal}, {@code complete-callback} or
     *     {@code fail-callback}
     * @param step the name of the step; for {@code done}, {@code not-done} and callbacks
     * @param result the step's result, as JSON; for {@code done} and {@code complete-callback}
     * @param signal the name of the signal; for {@code signal}
     * @param key the key of the signal, so that it has an effect only once; for {@code signal}
     * @param payload the value of the signal, as JSON; for {@code signal}
     * @param reason the reason; for {@code fail-callback}
     * @param security the security context of the request
     * @return 200 if the decision was recorded, 400 if the request cannot be read or the value cannot be stored, 404 if
     *     there is no such run, 409 if the run's state does not allow the decision
     */
    @WriteOperation
    public WebEndpointResponse<?> decide(
            @Selector String id,
            @Selector String decision,
            @Nullable String step,
            @Nullable String result,
            @Nullable String signal,
            @Nullable String key,
            @Nullable String payload,
            @Nullable String reason,
            SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(runs.decide(
                id,
                decision,
                new RunDecisions.Fields(step, result, signal, key, payload, reason),
                CurrentOperator.of(security))));
    }

    /**
     * Cancels a run: asks it to stop.
     *
     * @param id the run's id
     * @param reason the reason, or null if there is none
     * @param security the security context of the request
     * @return 200 if the run was asked to stop, 400 if the id cannot be read, 404 if there is no such run, 409 if it
     *     has ended
     */
    @DeleteOperation
    public WebEndpointResponse<?> cancel(@Selector String id, @Nullable String reason, SecurityContext security) {
        return BadRequest.orElse(() -> Responses.of(runs.cancel(id, reason, CurrentOperator.of(security))));
    }
}
