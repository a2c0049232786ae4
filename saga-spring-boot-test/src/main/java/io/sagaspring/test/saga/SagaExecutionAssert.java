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
 * What became of an execution. Each message has all of its steps.
 *
 * @since 0.1.0
 */
public final class SagaExecutionAssert extends AbstractAssert<SagaExecutionAssert, ExecutionView> {

    private static final Pattern UNDO = Pattern.compile("([^:]+):undo(:\\d+)?");

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
     * It came to its end.
     *
     * @return this
     */
    public SagaExecutionAssert isCompleted() {
        return hasState(RunState.COMPLETED);
    }

    /**
     * It failed, and what it did is undone.
     *
     * @return this
     */
    public SagaExecutionAssert isFailed() {
        return hasState(RunState.FAILED);
    }

    /**
     * It failed for a reason.
     *
     * @param type that of the error: the name of an exception's class, what {@code failed} said, or {@code timeout}
     * @return this
     */
    public SagaExecutionAssert isFailedWith(String type) {
        StepError error = isFailed().actual.error();
        if (error == null || !error.type().equals(type)) {
            throw because("Expected it to have failed with '%s', and it did with %s."
                    .formatted(
                            type,
                            error == null
                                    ? "nothing"
                                    : "'%s', which says: %s".formatted(error.type(), error.message())));
        }
        return this;
    }

    /**
     * It failed because of an exception.
     *
     * @param type its class
     * @return this
     */
    public SagaExecutionAssert isFailedWith(Class<? extends Throwable> type) {
        return isFailedWith(type.getName());
    }

    /**
     * It was cancelled, and what it did is undone.
     *
     * @return this
     */
    public SagaExecutionAssert isCancelled() {
        return hasState(RunState.CANCELLED);
    }

    /**
     * It waits: for a callback, for a signal, or for its next attempt.
     *
     * @return this
     */
    public SagaExecutionAssert isWaiting() {
        return hasState(RunState.WAITING);
    }

    /**
     * It stands there.
     *
     * @param state where
     * @return this
     */
    public SagaExecutionAssert hasState(RunState state) {
        if (actual.state() != state) {
            throw because("Expected it to be %s, and it is %s."
                    .formatted(state.text(), actual.state().text()));
        }
        return this;
    }

    /**
     * It has a step, whose turn came or will come.
     *
     * @param name its name
     * @return assertions on the step
     */
    public SagaStepAssert hasStep(String name) {
        return new SagaStepAssert(
                this,
                actual.step(name)
                        .orElseThrow(
                                () -> because("Expected it to have a step '%s', and it has none.".formatted(name))));
    }

    /**
     * It has no such step, or its condition did not hold.
     *
     * @param name its name
     * @return this
     */
    public SagaExecutionAssert skipped(String name) {
        if (actual.step(name).isPresent()) {
            throw because("Expected it to have skipped step '%s'.".formatted(name));
        }
        return this;
    }

    /**
     * These steps were undone, and no others.
     *
     * @param steps their names, in the order in which they were undone
     * @return this
     */
    public SagaExecutionAssert compensatedInOrder(String... steps) {
        List<String> compensated = nodes.journal(execution.id()).stream()
                .filter(entry -> entry.mark() == JournalEntry.Mark.DONE)
                .map(entry -> UNDO.matcher(entry.step()))
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .toList();
        if (!compensated.equals(List.of(steps))) {
            throw because("Expected %s to be undone, in this order, and undone are %s."
                    .formatted(List.of(steps), compensated));
        }
        return this;
    }

    /**
     * Nothing was undone.
     *
     * @return this
     */
    public SagaExecutionAssert compensatedNothing() {
        return compensatedInOrder();
    }

    /**
     * The context has this value.
     *
     * @param key its key
     * @param value read back as a value of its class
     * @return this
     */
    public SagaExecutionAssert hasContext(String key, Object value) {
        Object stored = stored(key, value.getClass());
        if (!Objects.equals(stored, value)) {
            throw because("Expected '%s' to be <%s> in the context, and it is <%s>.".formatted(key, value, stored));
        }
        return this;
    }

    /**
     * A value of the context.
     *
     * @param key its key
     * @return assertions on it, as JSON has it: texts, numbers, lists and maps; null if there is none
     */
    public ObjectAssert<@Nullable Object> context(String key) {
        return Assertions.<@Nullable Object>assertThat(actual.context().get(key))
                .as("'%s' of the context", key);
    }

    /**
     * A value of the context.
     *
     * @param key its key
     * @param type as which it is read
     * @return assertions on it; on null if there is none
     * @param <T> as which it is read
     */
    public <T> ObjectAssert<@Nullable T> context(String key, Class<T> type) {
        return Assertions.<@Nullable T>assertThat(type.cast(stored(key, type))).as("'%s' of the context", key);
    }

    private @Nullable Object stored(String key, Class<?> type) {
        Object stored = actual.context().get(key);
        Class<?> read =
                Map.class.isAssignableFrom(type) ? Map.class : List.class.isAssignableFrom(type) ? List.class : type;
        return stored == null ? null : nodes.payloads().read(nodes.payloads().write(stored), read);
    }

    /**
     * What it did to the world.
     *
     * @return assertions on what was recorded
     */
    public SagaEffectsAssert effects() {
        return new SagaEffectsAssert(this, execution.id(), effects.calls());
    }

    /**
     * Something else happens.
     *
     * @return to say what
     */
    public SagaExecution when() {
        return execution;
    }

    /** With all of its steps. */
    AssertionError because(String message) {
        return failure("%s", "%s%n%s".formatted(message, Words.of(actual)));
    }
}
