package io.sagaspring.test.saga;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.StepError;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ObjectAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on an execution. The message of a failed assertion shows all steps of the execution.
 *
 * @since 0.1.0
 */
public final class SagaExecutionAssert extends AbstractAssert<SagaExecutionAssert, ExecutionView> {

    private static final Pattern COMPENSATION = Pattern.compile("([^:]+):undo(:\\d+)?");

    private final SagaExecution execution;
    private final Nodes nodes;
    private final EffectLog effects;

    SagaExecutionAssert(SagaExecution execution, Nodes nodes, EffectLog effects) {
        super(execution.view(), SagaExecutionAssert.class);
        this.execution = execution;
        this.nodes = nodes;
        this.effects = effects;
    }

    /**
     * Verifies that the execution is completed.
     *
     * @return this
     */
    public SagaExecutionAssert isCompleted() {
        return hasState(RunState.COMPLETED);
    }

    /**
     * Verifies that the execution has a label.
     *
     * @param name the name of the label
     * @param value the expected value
     * @return this
     */
    public SagaExecutionAssert hasLabel(String name, String value) {
        if (!value.equals(actual.labels().get(name))) {
            throw because("Expected the label '%s' to be '%s', but the execution has the labels %s."
                    .formatted(name, value, actual.labels()));
        }
        return this;
    }

    /**
     * Verifies that the execution has failed. This is the state after the completed steps have been compensated.
     *
     * @return this
     */
    public SagaExecutionAssert isFailed() {
        return hasState(RunState.FAILED);
    }

    /**
     * Verifies that the execution failed with an error of this type.
     *
     * @param type the error's type: the name of an exception's class, the type passed to {@code failed}, or
     *     {@code timeout}
     * @return this
     */
    public SagaExecutionAssert isFailedWith(String type) {
        StepError error = isFailed().actual.error();
        if (error == null || !error.type().equals(type)) {
            throw because("Expected the execution to fail with '%s', but it %s."
                    .formatted(
                            type,
                            error == null
                                    ? "has no error"
                                    : "failed with '%s': %s".formatted(error.type(), error.message())));
        }
        return this;
    }

    /**
     * Verifies that the execution failed because of an exception.
     *
     * @param type the exception's class
     * @return this
     */
    public SagaExecutionAssert isFailedWith(Class<? extends Throwable> type) {
        return isFailedWith(type.getName());
    }

    /**
     * Verifies that the execution was cancelled, and its completed steps compensated, or that it was given up.
     *
     * @return this
     */
    public SagaExecutionAssert isCancelled() {
        return hasState(RunState.CANCELLED);
    }

    /**
     * Verifies that the execution waits for a callback, for a signal, or for the next attempt of a step.
     *
     * @return this
     */
    public SagaExecutionAssert isWaiting() {
        return hasState(RunState.WAITING);
    }

    /**
     * Verifies the state of the execution.
     *
     * @param state the expected state
     * @return this
     */
    public SagaExecutionAssert hasState(RunState state) {
        if (actual.state() != state) {
            throw because("Expected the execution to be %s, but it is %s."
                    .formatted(state.text(), actual.state().text()));
        }
        return this;
    }

    /**
     * Verifies that the execution has a step, whether or not the step has begun.
     *
     * @param name the step's name
     * @return assertions on the step
     */
    public SagaStepAssert hasStep(String name) {
        return new SagaStepAssert(
                this,
                actual.step(name)
                        .orElseThrow(() -> because(
                                "Expected a step '%s', but there is none, or it was skipped.".formatted(name))));
    }

    /**
     * Verifies that the execution has no step with this name, or that the condition of the step was false.
     *
     * @param name the step's name
     * @return this
     */
    public SagaExecutionAssert skipped(String name) {
        if (actual.step(name).isPresent()) {
            throw because("Expected the execution to skip step '%s', but the step was not skipped.".formatted(name));
        }
        return this;
    }

    /**
     * Verifies that exactly these steps were compensated.
     *
     * @param steps the steps' names, in the order of their compensation
     * @return this
     */
    public SagaExecutionAssert compensatedInOrder(String... steps) {
        List<String> compensated = nodes.journal(execution.id()).stream()
                .filter(entry -> entry.mark() == JournalEntry.Mark.DONE)
                .map(entry -> COMPENSATION.matcher(entry.step()))
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .toList();
        if (!compensated.equals(List.of(steps))) {
            throw because("Expected the compensations %s, in this order, but found %s."
                    .formatted(List.of(steps), compensated));
        }
        return this;
    }

    /**
     * Verifies that no step was compensated.
     *
     * @return this
     */
    public SagaExecutionAssert compensatedNothing() {
        return compensatedInOrder();
    }

    /**
     * Verifies a value of the context.
     *
     * @param key the key
     * @param value the expected value; the stored value is read as an object of the same class
     * @return this
     */
    public SagaExecutionAssert hasContext(String key, Object value) {
        Object stored = stored(key, value.getClass());
        if (!Objects.equals(stored, value)) {
            throw because("Expected '%s' to be <%s> in the context, but it is <%s>.".formatted(key, value, stored));
        }
        return this;
    }

    /**
     * Returns assertions on a value of the context.
     *
     * @param key the key
     * @return assertions on the value as read from JSON (a string, number, list or map), or on null if there is no
     *     value
     */
    public ObjectAssert<@Nullable Object> context(String key) {
        return Assertions.<@Nullable Object>assertThat(actual.context().get(key))
                .as("the value under '%s' in the context", key);
    }

    /**
     * Returns assertions on a value of the context.
     *
     * @param key the key
     * @param type the class to which the value is converted
     * @return assertions on the value, or on null if there is no value
     * @param <T> the type of the value
     */
    public <T> ObjectAssert<@Nullable T> context(String key, Class<T> type) {
        return Assertions.<@Nullable T>assertThat(type.cast(stored(key, type)))
                .as("the value under '%s' in the context", key);
    }

    private @Nullable Object stored(String key, Class<?> type) {
        Object stored = actual.context().get(key);
        Class<?> read =
                Map.class.isAssignableFrom(type) ? Map.class : List.class.isAssignableFrom(type) ? List.class : type;
        return stored == null ? null : nodes.payloads().read(nodes.payloads().write(stored), read);
    }

    /**
     * Returns assertions on the side effects of the execution.
     *
     * @return the assertions on the recorded calls
     */
    public SagaEffectsAssert effects() {
        return new SagaEffectsAssert(this, execution.id(), effects.calls());
    }

    /**
     * Returns to the execution, so that the test can continue.
     *
     * @return the execution
     */
    public SagaExecution when() {
        return execution;
    }

    /** Returns an error with this message and all steps of the execution. */
    AssertionError because(String message) {
        return failure("%s", "%s%n%s".formatted(message, ExecutionText.of(actual)));
    }
}
