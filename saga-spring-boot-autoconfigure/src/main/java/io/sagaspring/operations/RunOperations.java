package io.sagaspring.operations;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SignalResult;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.Tenants;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The operations on runs, including those of sagas. They apply to the runs of all tenants, even if the calling thread
 * has a current tenant.
 *
 * @since 0.1.0
 */
public final class RunOperations {

    private final RunEngine engine;
    private final Runs runs;
    private final Supplier<@Nullable Sagas> sagas;
    private final RunRequests requests;

    /**
     * Creates the operations.
     *
     * @param engine the engine whose API changes the runs
     * @param sagas the supplier of the API of sagas, or of null if sagas are disabled
     * @param tenants the tenants of the application
     * @param audit the audit of the operations
     */
    public RunOperations(RunEngine engine, Supplier<@Nullable Sagas> sagas, Tenants tenants, Audit audit) {
        this.engine = engine;
        this.runs = engine.runs();
        this.sagas = sagas;
        this.requests = new RunRequests(runs, tenants, audit);
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
                        () -> resolvedAsDone(view, run, checked(step), operator, JsonText.read("result", result))));
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

    private boolean resolvedAsDone(
            @Nullable RunView view, RunId run, String step, Operator operator, @Nullable JsonNode result) {
        if (view == null) {
            return false;
        }
        try {
            return requests.inTenantOf(view, () -> runs.resolveAsDone(run, step, result, operator.toString()));
        } catch (PayloadException unstorable) {
            throw new InvalidOperationException(
                    "The result cannot be stored: %s".formatted(unstorable.getMessage()), unstorable);
        }
    }

    /**
     * Signals a run. If the run is the execution of a saga, the signal ends a wait of this saga.
     *
     * @param run the run's id
     * @param signal the name of the signal, or of the saga's wait
     * @param key the key of the signal, or null for a new one; a repeated signal with the same name and key has no effect
     * @param payload the value of the signal, as JSON; {@code null} in JSON if there is none
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the payload is not JSON or cannot be stored, a name is not allowed, or the
     *     saga has no such wait
     */
    public OperationResult signal(RunId run, String signal, @Nullable String key, String payload, Operator operator) {
        return requests.perform("run.signal", run, operator, null, view -> {
            JsonNode value = JsonText.read("payload", payload);
            if (view == null) {
                return RunRequests.unknown(run);
            }
            if (!view.state().isEnd() && !engine.names().contains(view.run())) {
                return OperationResult.refused(
                        "This node lacks the code of run %s, '%s', and so cannot tell how the run receives a signal. Send the request to a node that has the code."
                                .formatted(run, view.run()));
            }
            try {
                String unique = key == null ? UUID.randomUUID().toString() : key;
                return signalled(run, signal, requests.inTenantOf(view, () -> sent(run, signal, unique, value)));
            } catch (IllegalArgumentException | PayloadException refused) {
                throw new InvalidOperationException(String.valueOf(refused.getMessage()), refused);
            }
        });
    }

    private SignalResult sent(RunId run, String signal, String key, @Nullable JsonNode value) {
        Sagas known = sagas.get();
        return known != null && known.find(run).isPresent()
                ? known.signal(run, signal, key, value)
                : runs.signal(run, signal, key, value);
    }

    private static OperationResult signalled(RunId run, String signal, SignalResult result) {
        return switch (result) {
            case ACCEPTED ->
                OperationResult.accepted(
                        "Run %s has got the signal '%s'. It continues when its code waits for this signal."
                                .formatted(run, signal));
            case REPEATED ->
                OperationResult.refused("Run %s has already got a signal '%s' with this key. Nothing was changed."
                        .formatted(run, signal));
            case TOO_LATE ->
                OperationResult.refused("Run %s has ended or no longer waits for the signal '%s'. Nothing was changed."
                        .formatted(run, signal));
        };
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
        return requests.perform(operation, run, operator, reason, before -> performed(run, choice.of(before)));
    }

    private OperationResult performed(RunId run, Step step) {
        if (step.change().getAsBoolean()) {
            return OperationResult.accepted("Run %s %s.".formatted(run, step.done()));
        }
        return runs.find(run)
                .map(view -> OperationResult.refused(
                        "Run %s is %s. %s".formatted(run, view.state().text(), step.refusal())))
                .orElseGet(() -> RunRequests.unknown(run));
    }
}
