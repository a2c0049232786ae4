package io.sagaspring.test.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on a durable run. The message of a failed assertion shows the journal of the run.
 *
 * @since 0.1.0
 */
public final class TestedRunAssert extends AbstractAssert<TestedRunAssert, RunView> {

    private final TestedRun run;
    private final Nodes nodes;
    private final Runs runs;
    private final EffectLog effects;

    TestedRunAssert(TestedRun run, Nodes nodes, Runs runs, EffectLog effects) {
        super(run.view(), TestedRunAssert.class);
        this.run = run;
        this.nodes = nodes;
        this.runs = runs;
        this.effects = effects;
    }

    /**
     * Verifies that the run is completed.
     *
     * @return this
     */
    public TestedRunAssert isCompleted() {
        return hasState(RunState.COMPLETED);
    }

    /**
     * Verifies that the run is completed with this result.
     *
     * @param code the run's class
     * @param result the expected result, which must equal the one that is read from the store
     * @return this
     * @param <O> the type of the result
     */
    public <O extends @Nullable Object> TestedRunAssert isCompletedWith(
            Class<? extends DurableRun<?, O>> code, O result) {
        Object found;
        try {
            found = isCompleted().runs.handle(run.id(), code).await(Duration.ZERO);
        } catch (TimeoutException | InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
        if (!Objects.equals(found, result)) {
            throw because("Expected the result <%s>, but it is <%s>.".formatted(result, found));
        }
        return this;
    }

    /**
     * Verifies that the run failed, and that its error contains a text.
     *
     * @param text the name of an exception's class, or a part of its message
     * @return this
     */
    public TestedRunAssert isFailedWith(String text) {
        String error = hasState(RunState.FAILED).actual.error();
        if (error == null || !error.contains(text)) {
            throw because("Expected the error to contain '%s', but it is '%s'.".formatted(text, error));
        }
        return this;
    }

    /**
     * Verifies that the run has a label.
     *
     * @param name the name of the label
     * @param value the expected value
     * @return this
     */
    public TestedRunAssert hasLabel(String name, String value) {
        if (!value.equals(actual.labels().get(name))) {
            throw because("Expected the label '%s' to be '%s', but the run has the labels %s."
                    .formatted(name, value, actual.labels()));
        }
        return this;
    }

    /**
     * Verifies that the run was cancelled.
     *
     * @return this
     */
    public TestedRunAssert isCancelled() {
        return hasState(RunState.CANCELLED);
    }

    /**
     * Verifies that the run waits for a signal, for the end of a sleep, or for the next attempt of a step.
     *
     * @return this
     */
    public TestedRunAssert isWaiting() {
        return hasState(RunState.WAITING);
    }

    /**
     * Verifies the state of the run.
     *
     * @param state the expected state
     * @return this
     */
    public TestedRunAssert hasState(RunState state) {
        if (actual.state() != state) {
            throw because("Expected the run to be %s, but it is %s."
                    .formatted(state.text(), actual.state().text()));
        }
        return this;
    }

    /**
     * Returns assertions on a step, whether or not it has begun.
     *
     * @param name the name of the step, including its key if it has one
     * @return the assertions
     */
    public TestedStepAssert hasStep(String name) {
        return new TestedStepAssert(
                this,
                name,
                actual.steps().stream().filter(each -> each.step().equals(name)).toList(),
                nodes.calls().count(run.id(), name),
                effects.calls().stream()
                        .filter(each -> each.key().equals("%s:%s".formatted(run.id(), name)))
                        .toList());
    }

    /**
     * Returns to the run, so that the test can continue.
     *
     * @return the run
     */
    public TestedRun when() {
        return run;
    }

    /** Returns an error with this message and the journal of the run. */
    AssertionError because(String message) {
        return failure("%s", "%s%n%s".formatted(message, RunText.of(actual)));
    }
}
