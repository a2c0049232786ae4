package io.sagaspring.actuate;

import io.sagaspring.operations.BulkOperations;
import io.sagaspring.operations.BulkResult;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.RunDetails;
import io.sagaspring.operations.RunOperations;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists, retries, cancels, signals and gives up runs, resolves steps in doubt, and calls back. Only reading is allowed
 * unless {@code management.endpoint.sagaruns.access} is {@code unrestricted}. The inputs and results of runs are not shown. Like the
 * library's other endpoints, this one shows the work of all tenants, even if a servlet filter has set a tenant for the
 * request.
 */
@Endpoint(id = "sagaruns", defaultAccess = Access.READ_ONLY)
final class RunsEndpoint {

    static final String AN_ID = "Write the id as sagaruns shows it.";

    private final Runs runs;
    private final Supplier<@Nullable Sagas> sagas;
    private final Tenants tenants;
    private final RunOperations operations;
    private final RunDecisions decisions;
    private final BulkOperations bulk;

    /**
     * Creates the endpoint.
     *
     * @param runs the API that finds the runs
     * @param sagas the supplier of {@code Sagas}, which recognizes the runs that are executions; the supplier returns
     *     null if sagas are disabled
     * @param tenants the tenants of the application; the endpoint calls {@code Runs} without a current tenant
     * @param operations the operations on runs
     * @param decisions the decisions about single runs
     * @param bulk the operations on all runs that a query selects
     */
    public RunsEndpoint(
            Runs runs,
            Supplier<@Nullable Sagas> sagas,
            Tenants tenants,
            RunOperations operations,
            RunDecisions decisions,
            BulkOperations bulk) {
        this.runs = runs;
        this.sagas = sagas;
        this.tenants = tenants;
        this.operations = operations;
        this.decisions = decisions;
        this.bulk = bulk;
    }

    /**
     * A list of runs.
     *
     * @param runs the runs, latest first
     * @param count the number of runs that the filter selects, or null if the request does not ask for it
     */
    public record Listed(List<RunView> runs, @Nullable RunCount count) {}

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
     * @return the runs
     */
    @ReadOperation
    public Listed list(
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
        return list(
                new RunFilter(
                        run, state, key, tenant, olderThan, before, limit, label, node, startedFrom, startedBefore),
                Boolean.TRUE.equals(count));
    }

    Listed list(RunFilter filter, boolean isCounted) {
        RunQuery query = filter.query();
        return ofAllTenants(() -> new Listed(runs.list(query), isCounted ? runs.count(query) : null));
    }

    /** Makes a call to {@code Runs} without a current tenant. Such a call can see the runs of every tenant. */
    private <T extends @Nullable Object> T ofAllTenants(Supplier<T> call) {
        return tenants.in(null, call);
    }

    /**
     * Returns one run with its steps, and with the first cause of its failure.
     *
     * @param id the run's id
     * @return the run, or null if it is unknown
     */
    @ReadOperation
    public @Nullable RunDetails find(@Selector String id) {
        RunId run = runId(id);
        Sagas known = sagas.get();
        return ofAllTenants(() -> runs.find(run)
                .map(found -> RunDetails.of(found, known == null ? Optional.empty() : known.find(run)))
                .orElse(null));
    }

    /**
     * Retries a run. Completed steps are not executed again.
     *
     * @param id the run's id
     * @return the result
     */
    @WriteOperation
    public OperationResult retry(@Selector String id) {
        return retry(id, CurrentOperator.UNKNOWN);
    }

    OperationResult retry(String id, Operator operator) {
        return operations.retry(runId(id), operator);
    }

    /**
     * Performs an operation on all runs that a query selects, at most on 1,000. Takes the query from a list that was
     * counted: no run that started later is changed, and no more runs than this count.
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
     * @return the result
     */
    @WriteOperation
    public BulkResult changeAll(
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
            @Nullable String reason) {
        return changeAll(
                new RunsChange(
                        operation,
                        new RunFilter(
                                run,
                                state,
                                key,
                                tenant,
                                olderThan,
                                null,
                                null,
                                label,
                                node,
                                startedFrom,
                                startedBefore),
                        latest,
                        count,
                        next,
                        reason),
                CurrentOperator.UNKNOWN);
    }

    BulkResult changeAll(RunsChange change, Operator operator) {
        return BadRequest.unless(() -> bulk.perform(change.action(), change.confirmed(), operator));
    }

    /**
     * Records a person's decision about one run. {@code done} and {@code not-done} resolve a step in doubt, {@code
     * give-up} ends the run without executing its code, {@code signal} signals it, and {@code complete-callback} and
     * {@code fail-callback} take the place of a system that has not called back.
     *
     * @param id the run's id
     * @param decision the decision
     * @param step the name of the step; for {@code done}, {@code not-done} and callbacks
     * @param result the step's result, as JSON; for {@code done} and {@code complete-callback}
     * @param signal the name of the signal; for {@code signal}
     * @param key the key of the signal, so that it has an effect only once; for {@code signal}
     * @param payload the value of the signal, as JSON; for {@code signal}
     * @param reason the reason; for {@code fail-callback}
     * @return the result
     */
    @WriteOperation
    public OperationResult decide(
            @Selector String id,
            @Selector String decision,
            @Nullable String step,
            @Nullable String result,
            @Nullable String signal,
            @Nullable String key,
            @Nullable String payload,
            @Nullable String reason) {
        return decide(
                id,
                decision,
                new RunDecisions.Fields(step, result, signal, key, payload, reason),
                CurrentOperator.UNKNOWN);
    }

    OperationResult decide(String id, String decision, RunDecisions.Fields fields, Operator operator) {
        return decisions.perform(runId(id), decision, fields, operator);
    }

    /**
     * Cancels a run: asks it to stop.
     *
     * @param id the run's id
     * @param reason the reason, or null if there is none
     * @return the result
     */
    @DeleteOperation
    public OperationResult cancel(@Selector String id, @Nullable String reason) {
        return cancel(id, reason, CurrentOperator.UNKNOWN);
    }

    OperationResult cancel(String id, @Nullable String reason, Operator operator) {
        return operations.cancel(runId(id), reason, operator);
    }

    private static RunId runId(String text) {
        return BadRequest.read(text, RunId::of, AN_ID);
    }
}
