package io.sagaspring.actuate;

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
 * Lists, retries, cancels and gives up runs, and resolves steps in doubt. Only reading is allowed unless {@code
 * management.endpoint.sagaruns.access} is {@code unrestricted}. The inputs and results of runs are not shown. Like the
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

    /**
     * Creates the endpoint.
     *
     * @param runs the API that finds the runs
     * @param sagas the supplier of {@code Sagas}, which recognizes the runs that are executions; the supplier returns
     *     null if sagas are disabled
     * @param tenants the tenants of the application; the endpoint calls {@code Runs} without a current tenant
     * @param operations the operations on runs
     */
    public RunsEndpoint(Runs runs, Supplier<@Nullable Sagas> sagas, Tenants tenants, RunOperations operations) {
        this.runs = runs;
        this.sagas = sagas;
        this.tenants = tenants;
        this.operations = operations;
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
     * Records a person's decision. {@code done} and {@code not-done} resolve a step in doubt, and {@code give-up} ends
     * the run without executing its code.
     *
     * @param id the run's id
     * @param decision the decision: {@code done}, {@code not-done} or {@code give-up}
     * @param step the step, as the latest entry of the run's journal names it; not for {@code give-up}
     * @param result the step's result, as JSON; only for {@code done}
     * @return the result
     */
    @WriteOperation
    public OperationResult decide(
            @Selector String id, @Selector String decision, @Nullable String step, @Nullable String result) {
        return decide(id, decision, step, result, CurrentOperator.UNKNOWN);
    }

    OperationResult decide(
            String id, String decision, @Nullable String step, @Nullable String result, Operator operator) {
        RunId run = runId(id);
        return switch (decision) {
            case "done" -> {
                String which = required(step);
                String value = requiredResult(result);
                yield BadRequest.unless(() -> operations.resolveAsDone(run, which, value, operator));
            }
            case "not-done" -> {
                if (result != null) {
                    throw BadRequest.because(
                            "The result '%s' was given for a step that was not done. Leave the result out, or resolve the step as done."
                                    .formatted(result));
                }
                String which = required(step);
                yield BadRequest.unless(() -> operations.resolveAsNotDone(run, which, operator));
            }
            case "give-up" -> {
                if (step != null || result != null) {
                    throw BadRequest.because(
                            "The decision give-up ends the whole run, so it takes no step and no result. Leave both out, or resolve the step as done or not-done.");
                }
                yield operations.giveUp(run, operator);
            }
            default ->
                throw BadRequest.because(
                        "'%s' is not a decision about a run. Write done, not-done or give-up.".formatted(decision));
        };
    }

    private static String required(@Nullable String step) {
        if (step == null) {
            throw BadRequest.because(
                    "The parameter 'step' is missing. Copy the name of the step in doubt from the latest entry of the run's journal.");
        }
        return step;
    }

    private static String requiredResult(@Nullable String result) {
        if (result == null || result.isBlank()) {
            throw BadRequest.because(
                    "The result is missing. Give the step's result as a string of JSON, such as \"42\" or \"\\\"a receipt\\\"\", or \"null\" if the step returns nothing.");
        }
        return result;
    }

    /**
     * Cancels a run: asks it to stop.
     *
     * @param id the run's id
     * @return the result
     */
    @DeleteOperation
    public OperationResult cancel(@Selector String id) {
        return cancel(id, CurrentOperator.UNKNOWN);
    }

    OperationResult cancel(String id, Operator operator) {
        return operations.cancel(runId(id), null, operator);
    }

    private static RunId runId(String text) {
        return BadRequest.read(text, RunId::of, AN_ID);
    }
}
