package io.sagaspring.actuate;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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

    /**
     * Creates the endpoint.
     *
     * @param runs the API that finds and changes the runs
     * @param sagas the supplier of {@code Sagas}, which recognizes the runs that are executions; the supplier returns
     *     null if sagas are disabled
     * @param tenants the tenants of the application; the endpoint calls {@code Runs} without a current tenant
     */
    public RunsEndpoint(Runs runs, Supplier<@Nullable Sagas> sagas, Tenants tenants) {
        this.runs = runs;
        this.sagas = sagas;
        this.tenants = tenants;
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

    /**
     * Makes a call to {@code Runs} without a current tenant. Such a call can see and change the runs of every tenant.
     */
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
        return retry(id, Operator.UNKNOWN);
    }

    OperationResult retry(String id, String by) {
        RunId run = runId(id);
        boolean isBlocked = ofAllTenants(() -> runs.find(run))
                .filter(each -> each.state() == RunState.BLOCKED)
                .isPresent();
        return perform(
                run,
                isBlocked
                        ? "is retried. It was blocked, and will be blocked again unless the cause that its error names has been removed"
                        : "is retried",
                "A run can be retried if it failed, is parked or blocked, or could not be compensated. If it was compensated, start another run.",
                () -> runs.retry(run, by));
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
        return decide(id, decision, step, result, Operator.UNKNOWN);
    }

    OperationResult decide(String id, String decision, @Nullable String step, @Nullable String result, String by) {
        RunId run = runId(id);
        return switch (decision) {
            case "done" -> resolve(run, required(step), by, json(result));
            case "not-done" -> {
                if (result != null) {
                    throw BadRequest.because(
                            "The result '%s' was given for a step that was not done. Leave the result out, or resolve the step as done."
                                    .formatted(result));
                }
                yield resolve(run, required(step), by, null);
            }
            case "give-up" -> {
                if (step != null || result != null) {
                    throw BadRequest.because(
                            "The decision give-up ends the whole run, so it takes no step and no result. Leave both out, or resolve the step as done or not-done.");
                }
                yield perform(
                        run,
                        "is given up. Nothing was compensated",
                        "A run can be given up if it is blocked, in doubt or parked, if it could not be compensated, or if this node lacks its code and no node executes it. Cancel any other run.",
                        () -> runs.giveUp(run, by));
            }
            default ->
                throw BadRequest.because(
                        "'%s' is not a decision about a run. Write done, not-done or give-up.".formatted(decision));
        };
    }

    private OperationResult resolve(RunId run, String step, String by, @Nullable JsonNode result) {
        String refusal =
                "Step '%s' can be resolved only if the run is in doubt about this step, or is blocked directly after it. The latest entry of the run's journal names the step."
                        .formatted(step);
        return result == null
                ? perform(
                        run,
                        "executes step '%s' again".formatted(step),
                        refusal,
                        () -> runs.resolveAsNotDone(run, step, by))
                : perform(
                        run,
                        "continues after step '%s'".formatted(step),
                        refusal,
                        () -> resolvedAsDone(run, step, by, result));
    }

    private boolean resolvedAsDone(RunId run, String step, String by, JsonNode result) {
        try {
            return runs.resolveAsDone(run, step, result.isNull() ? null : result, by);
        } catch (PayloadException unstorable) {
            throw BadRequest.because("The result cannot be stored: %s".formatted(unstorable.getMessage()));
        }
    }

    private static String required(@Nullable String step) {
        String remedy = "Copy the name of the step in doubt from the latest entry of the run's journal.";
        if (step == null) {
            throw BadRequest.because("The parameter 'step' is missing. %s".formatted(remedy));
        }
        if (step.isBlank() || RunFilter.hasNul(step)) {
            throw BadRequest.because("'%s' is not the name of a step. %s".formatted(step, remedy));
        }
        return step;
    }

    private static JsonNode json(@Nullable String result) {
        String remedy =
                "Give the step's result as a string of JSON, such as \"42\" or \"\\\"a receipt\\\"\", or \"null\" if the step returns nothing.";
        if (result == null || result.isBlank()) {
            throw BadRequest.because("The result is missing. %s".formatted(remedy));
        }
        try {
            return JsonMapper.shared().readTree(result);
        } catch (JacksonException noJson) {
            throw BadRequest.because(
                    "The result '%s' is not JSON: %s. %s".formatted(result, noJson.getOriginalMessage(), remedy));
        }
    }

    /**
     * Cancels a run: asks it to stop.
     *
     * @param id the run's id
     * @return the result
     */
    @DeleteOperation
    public OperationResult cancel(@Selector String id) {
        return cancel(id, Operator.UNKNOWN);
    }

    OperationResult cancel(String id, String by) {
        RunId run = runId(id);
        return perform(
                run,
                "is being cancelled. Its code stops at the next step or wait, unless the run is compensating",
                "It has already ended.",
                () -> runs.cancel(run, "cancelled by %s".formatted(by)));
    }

    private OperationResult perform(RunId id, String done, String refusal, BooleanSupplier operation) {
        return ofAllTenants(() -> performed(id, done, refusal, operation));
    }

    private OperationResult performed(RunId id, String done, String refusal, BooleanSupplier operation) {
        try {
            if (operation.getAsBoolean()) {
                return OperationResult.accepted("Run %s %s.".formatted(id, done));
            }
            return runs.find(id)
                    .map(run -> OperationResult.refused(
                            "Run %s is %s. %s".formatted(id, run.state().text(), refusal)))
                    .orElseGet(() -> unknown(id));
        } catch (KeyInUseException inUse) {
            return OperationResult.refused(Objects.requireNonNull(inUse.getMessage()));
        } catch (NoSuchRunException none) {
            return unknown(id);
        }
    }

    private static OperationResult unknown(RunId id) {
        return OperationResult.unknown(
                "There is no run %s. It was never started, or it has been removed.".formatted(id));
    }

    private static RunId runId(String text) {
        return BadRequest.read(text, RunId::of, AN_ID);
    }
}
