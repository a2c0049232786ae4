package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The state of an execution and the values that its steps have stored, for a caller that has waited for the end of the
 * execution. {@link Sagas#find} returns the history of each step.
 *
 * @since 0.1.0
 */
public final class SagaResult {

    private final RunId id;
    private final RunState state;
    private final @Nullable StepError error;
    private final @Nullable String cancelReason;
    private final StepValues values;
    private final Json json;

    private SagaResult(
            RunId id,
            RunState state,
            @Nullable StepError error,
            @Nullable String cancelReason,
            StepValues values,
            Json json) {
        this.id = id;
        this.state = state;
        this.error = error;
        this.cancelReason = cancelReason;
        this.values = values;
        this.json = json;
    }

    static SagaResult completed(RunId id, StepValues values, Json json) {
        return new SagaResult(id, RunState.COMPLETED, null, null, values, json);
    }

    static SagaResult of(ExecutionView view, StepValues values, Json json) {
        return new SagaResult(view.id(), view.state(), view.error(), view.cancelReason(), values, json);
    }

    /**
     * Returns the id of the execution.
     *
     * @return the id
     */
    public RunId id() {
        return id;
    }

    /**
     * Returns the state of the execution.
     *
     * @return the state; if the caller's time-out has passed first, it may be any state
     */
    public RunState state() {
        return state;
    }

    /**
     * Returns the error of an execution that has failed, or of the compensation that was given up.
     *
     * @return the error, or empty in any other state
     */
    public Optional<StepError> error() {
        return Optional.ofNullable(error);
    }

    /**
     * Returns the reason why the execution was cancelled.
     *
     * @return the reason, or empty if the execution was not cancelled
     */
    public Optional<String> cancelReason() {
        return Optional.ofNullable(cancelReason);
    }

    /**
     * Returns a value that a step has stored.
     *
     * @param key the key, as for {@link StepContext#get}
     * @param type the type of the value
     * @return the value as it was stored
     * @param <T> the type of the value
     * @throws IllegalStateException if no value is stored under the key
     */
    public <T> T get(String key, Class<T> type) {
        return find(key, type)
                .orElseThrow(() -> new IllegalStateException(
                        "Execution %s is %s, and no step has stored a value under '%s'. Read one of the stored keys %s, or use find."
                                .formatted(id, state.text(), key, values.keys())));
    }

    /**
     * Returns a value that a step may have stored.
     *
     * @param key the key, as for {@link StepContext#get}
     * @param type the type of the value
     * @return the value as it was stored, or empty
     * @param <T> the type of the value
     */
    public <T> Optional<T> find(String key, Class<T> type) {
        return values.find(key).map(tree -> json.read(tree, type));
    }

    /**
     * Returns a value of a generic type that a step may have stored.
     *
     * @param key the key, as for {@link StepContext#get}
     * @param type the type of the value
     * @return the value as it was stored, or empty
     * @param <T> the type of the value
     */
    public <T> Optional<T> find(String key, ParameterizedTypeReference<T> type) {
        return values.find(key).map(tree -> json.read(tree, type.getType()));
    }

    @Override
    public String toString() {
        return "execution %s, %s".formatted(id, state.text());
    }
}
