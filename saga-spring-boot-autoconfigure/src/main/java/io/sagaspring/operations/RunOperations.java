package io.sagaspring.operations;

import io.sagaspring.operations.Audit.Request;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.tenant.Tenants;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The operations on runs, including those of sagas. They apply to the runs of all tenants, even if the calling thread
 * has a current tenant.
 *
 * @since 0.1.0
 */
public final class RunOperations {

    private final Runs runs;
    private final Tenants tenants;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param runs the API that changes the runs
     * @param tenants the tenants of the application
     * @param audit the audit of the operations
     */
    public RunOperations(Runs runs, Tenants tenants, Audit audit) {
        this.runs = runs;
        this.tenants = tenants;
        this.audit = audit;
    }

    /**
     * Retries a run. Completed steps are not executed again.
     *
     * @param run the run's id
     * @param operator the person
     * @return the result
     */
    public OperationResult retry(RunId run, Operator operator) {
        return perform("run.retry", run, operator, null, view -> {
            String done = view != null && view.state() == RunState.BLOCKED
                    ? "is retried. It was blocked, and will be blocked again unless the cause that its error names has been removed"
                    : "is retried";
            return new Step(
                    done,
                    "A run can be retried if it failed, is parked or blocked, or could not be compensated. If it was compensated, start another run.",
                    () -> runs.retry(run, operator.toString()));
        });
    }

    /**
     * Cancels a run: asks it to stop.
     *
     * @param run the run's id
     * @param reason the reason, or null if there is none
     * @param operator the person
     * @return the result
     */
    public OperationResult cancel(RunId run, @Nullable String reason, Operator operator) {
        String why = reason == null ? "" : ": " + reason;
        return perform(
                "run.cancel",
                run,
                operator,
                reason,
                view -> new Step(
                        "is being cancelled. Its code stops at the next step or wait, unless the run is compensating",
                        "It has already ended.",
                        () -> runs.cancel(run, "cancelled by %s%s".formatted(operator, why))));
    }

    /**
     * Ends a run without executing its code. Nothing is compensated.
     *
     * @param run the run's id
     * @param operator the person
     * @return the result
     */
    public OperationResult giveUp(RunId run, Operator operator) {
        return perform(
                "run.give-up",
                run,
                operator,
                null,
                view -> new Step(
                        "is given up. Nothing was compensated",
                        "A run can be given up if it is blocked, in doubt or parked, if it could not be compensated, or if this node lacks its code and no node executes it. Cancel any other run.",
                        () -> runs.giveUp(run, operator.toString())));
    }

    /**
     * Resolves a step in doubt as done. The run continues after this step.
     *
     * @param run the run's id
     * @param step the step, as the latest entry of the run's journal names it
     * @param result the step's result, as JSON; {@code null} in JSON if the step returns nothing
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the result is not JSON or cannot be stored, or the step is no name
     */
    public OperationResult resolveAsDone(RunId run, String step, String result, Operator operator) {
        return perform(
                "run.done",
                run,
                operator,
                null,
                view -> new Step(
                        "continues after step '%s'".formatted(step),
                        unresolvable(step),
                        () -> resolvedAsDone(run, checked(step), operator, json(result))));
    }

    /**
     * Resolves a step in doubt as not done. The run executes this step again.
     *
     * @param run the run's id
     * @param step the step, as the latest entry of the run's journal names it
     * @param operator the person
     * @return the result
     */
    public OperationResult resolveAsNotDone(RunId run, String step, Operator operator) {
        return perform(
                "run.not-done",
                run,
                operator,
                null,
                view -> new Step(
                        "executes step '%s' again".formatted(step),
                        unresolvable(step),
                        () -> runs.resolveAsNotDone(run, checked(step), operator.toString())));
    }

    private static String unresolvable(String step) {
        return "Step '%s' can be resolved only if the run is in doubt about this step, or is blocked directly after it. The latest entry of the run's journal names the step."
                .formatted(step);
    }

    private static String checked(String step) {
        if (step.isBlank() || step.indexOf('\0') >= 0) {
            throw new InvalidOperationException(
                    "'%s' is not the name of a step. Copy the name of the step in doubt from the latest entry of the run's journal."
                            .formatted(step));
        }
        return step;
    }

    private boolean resolvedAsDone(RunId run, String step, Operator operator, JsonNode result) {
        try {
            return runs.resolveAsDone(run, step, result.isNull() ? null : result, operator.toString());
        } catch (PayloadException unstorable) {
            throw new InvalidOperationException(
                    "The result cannot be stored: %s".formatted(unstorable.getMessage()), unstorable);
        }
    }

    private static JsonNode json(String result) {
        try {
            return JsonMapper.shared().readTree(result);
        } catch (JacksonException noJson) {
            throw new InvalidOperationException(
                    "The result '%s' is not JSON: %s. Give the step's result as a string of JSON, such as \"42\" or \"\\\"a receipt\\\"\", or \"null\" if the step returns nothing."
                            .formatted(result, noJson.getOriginalMessage()),
                    noJson);
        }
    }

    /** What an operation does, and what its result says. */
    private record Step(String done, String refusal, BooleanSupplier change) {}

    /** Chooses what to do for a run, which is null if there is no such run. */
    @FunctionalInterface
    private interface Choice {
        Step of(@Nullable RunView run);
    }

    private OperationResult perform(
            String operation, RunId run, Operator operator, @Nullable String reason, Choice choice) {
        RunView before = ofAllTenants(() -> runs.find(run)).orElse(null);
        OperationTarget target = new OperationTarget("run", run.toString(), before == null ? null : before.tenant());
        return audit.perform(
                new Request(operation, target, operator, reason),
                () -> ofAllTenants(() -> performed(run, choice.of(before))));
    }

    private OperationResult performed(RunId run, Step step) {
        try {
            if (step.change().getAsBoolean()) {
                return OperationResult.accepted("Run %s %s.".formatted(run, step.done()));
            }
            Optional<RunView> found = runs.find(run);
            return found.map(view -> OperationResult.refused(
                            "Run %s is %s. %s".formatted(run, view.state().text(), step.refusal())))
                    .orElseGet(() -> unknown(run));
        } catch (KeyInUseException inUse) {
            return OperationResult.refused(Objects.requireNonNull(inUse.getMessage()));
        } catch (NoSuchRunException none) {
            return unknown(run);
        }
    }

    private <T extends @Nullable Object> T ofAllTenants(Supplier<T> call) {
        return tenants.in(null, call);
    }

    private static OperationResult unknown(RunId run) {
        return OperationResult.unknown(
                "There is no run %s. It was never started, or it has been removed.".formatted(run));
    }
}
