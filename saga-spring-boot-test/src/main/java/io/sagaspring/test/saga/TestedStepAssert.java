package io.sagaspring.test.saga;

import io.sagaspring.run.RunView.StepView;
import io.sagaspring.test.saga.EffectLog.Effect;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on a step of a durable run.
 *
 * @since 0.1.0
 */
public final class TestedStepAssert extends AbstractAssert<TestedStepAssert, List<StepView>> {

    private final TestedRunAssert run;
    private final String name;
    private final long calls;
    private final List<Effect> effects;

    TestedStepAssert(TestedRunAssert run, String name, List<StepView> entries, long calls, List<Effect> effects) {
        super(entries, TestedStepAssert.class);
        this.run = run;
        this.name = name;
        this.calls = calls;
        this.effects = effects;
    }

    /**
     * Verifies that the step is completed.
     *
     * @return this
     */
    public TestedStepAssert completed() {
        return endsWith("done", "completed");
    }

    /**
     * Verifies that the step failed, and that the run continued.
     *
     * @return this
     */
    public TestedStepAssert failed() {
        return endsWith("failed", "permanently failed");
    }

    /**
     * Verifies that the latest attempt of the step failed, and that another one follows.
     *
     * @return this
     */
    public TestedStepAssert retrying() {
        return endsWith("attempt_failed", "retrying");
    }

    private TestedStepAssert endsWith(String mark, String state) {
        String last = actual.isEmpty() ? "" : actual.get(actual.size() - 1).mark();
        if (!last.equals(mark)) {
            throw run.because("Expected step '%s' to be %s, but %s."
                    .formatted(
                            name,
                            state,
                            last.isEmpty()
                                    ? "the journal has no entry of this step"
                                    : "its latest entry in the journal is '%s'".formatted(last)));
        }
        return this;
    }

    /**
     * Verifies how often the code of the step was called. A call in which the node died counts, too.
     *
     * @param times the number of calls
     * @return this
     */
    public TestedStepAssert wasCalled(int times) {
        if (calls != times) {
            throw run.because("Expected %d calls of step '%s', but there were %d.".formatted(times, name, calls));
        }
        return this;
    }

    /**
     * Verifies how many failed attempts are in the journal. An attempt after which the step has failed for good is not
     * counted.
     *
     * @param count the number of failed attempts that another attempt has followed, or will follow
     * @return this
     */
    public TestedStepAssert afterFailedAttempts(int count) {
        long failed = actual.stream()
                .filter(each -> each.mark().equals("attempt_failed"))
                .count();
        if (failed != count) {
            throw run.because(
                    "Expected %d failed attempts of step '%s', but there were %d.".formatted(count, name, failed));
        }
        return this;
    }

    /**
     * Verifies that the step took effect once, however often it was called: all calls of the fake service had the
     * step's idempotency key and the same content.
     *
     * @return this
     */
    public TestedStepAssert tookEffectOnce() {
        if (effects.size() != calls) {
            throw run.because("Expected %d calls with the key of step '%s' in the EffectLog, but there were %d."
                    .formatted(calls, name, effects.size()));
        }
        if (effects.isEmpty()) {
            throw run.because("Expected step '%s' to take effect, but it was never called.".formatted(name));
        }
        if (effects.stream().map(Effect::what).distinct().count() != 1) {
            throw run.because("Expected all calls by '%s' to be the same, but they were %s.".formatted(name, effects));
        }
        return this;
    }

    /**
     * Returns to the assertions on the run.
     *
     * @return the assertions
     */
    public TestedRunAssert and() {
        return run;
    }
}
