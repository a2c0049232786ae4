package io.sagaspring.operations;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.CallbackResult;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepCallback;
import io.sagaspring.saga.StepError;
import io.sagaspring.tenant.Tenants;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The operations on steps of sagas that wait for a callback. A person needs no token. The operations apply to the latest
 * attempt of the step.
 *
 * @since 0.1.0
 */
public final class CallbackOperations {

    private final Sagas sagas;
    private final RunRequests requests;

    /**
     * Creates the operations.
     *
     * @param sagas the API that finds the callbacks
     * @param runs the API that finds the runs
     * @param tenants the tenants of the application
     * @param audit the audit of the operations
     */
    public CallbackOperations(Sagas sagas, Runs runs, Tenants tenants, Audit audit) {
        this.sagas = sagas;
        this.requests = new RunRequests(runs, tenants, audit);
    }

    /**
     * Completes a step instead of the system that has not called back.
     *
     * @param run the id of the saga's execution
     * @param step the name of the step
     * @param result the value to store for the step, as JSON; {@code null} in JSON if there is none
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the result is not JSON or cannot be stored, or the saga has no such step
     */
    public OperationResult complete(RunId run, String step, String result, Operator operator) {
        JsonValue value = () -> JsonText.read("result", result);
        return perform(
                "callback.complete",
                run,
                step,
                null,
                operator,
                "is complete",
                callback -> callback.complete(value.read()));
    }

    /**
     * Fails the attempt of a step. The step is attempted again if its retry policy allows it.
     *
     * @param run the id of the saga's execution
     * @param step the name of the step
     * @param reason the reason, which becomes the message of the error
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the saga has no such step
     */
    public OperationResult fail(RunId run, String step, String reason, Operator operator) {
        StepError error = new StepError("operator", "%s: %s".formatted(operator, reason));
        return perform(
                "callback.fail",
                run,
                step,
                reason,
                operator,
                "has failed. It is attempted again if its policy allows it",
                callback -> callback.fail(error));
    }

    /** Reads the JSON within the operation, so that a wrong value is audited. */
    @FunctionalInterface
    private interface JsonValue {
        @Nullable
        JsonNode read();
    }

    private OperationResult perform(
            String operation,
            RunId run,
            String step,
            @Nullable String reason,
            Operator operator,
            String done,
            Function<StepCallback, CallbackResult> change) {
        return requests.perform(operation, run, operator, reason, view -> {
            if (view == null) {
                return RunRequests.unknown(run);
            }
            return requests.inTenantOf(view, () -> changed(view, step, done, change));
        });
    }

    private OperationResult changed(
            RunView view, String step, String done, Function<StepCallback, CallbackResult> change) {
        RunId run = view.id();
        if (sagas.find(run).isEmpty()) {
            return notOfASaga(view);
        }
        try {
            CallbackResult result = change.apply(sagas.callback(run, step));
            return result.applied()
                    ? OperationResult.accepted("Step '%s' of run %s %s.".formatted(step, run, done))
                    : OperationResult.refused(Objects.requireNonNull(result.because()));
        } catch (IllegalArgumentException | PayloadException refused) {
            throw new InvalidOperationException(String.valueOf(refused.getMessage()), refused);
        }
    }

    private static OperationResult notOfASaga(RunView view) {
        return OperationResult.refused(
                "Run %s of '%s' is no execution of a saga that this node knows. Signal a run that is no saga, or send the request to a node that has the saga."
                        .formatted(view.id(), view.run()));
    }
}
