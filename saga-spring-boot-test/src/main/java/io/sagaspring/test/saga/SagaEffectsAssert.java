package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.test.saga.EffectLog.Effect;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on the side effects of an execution, as recorded by {@link EffectLog}. Steps are identified by name,
 * and compensations in the form {@code charge_card:undo}.
 *
 * @since 0.1.0
 */
public final class SagaEffectsAssert extends AbstractAssert<SagaEffectsAssert, List<Effect>> {

    private final SagaExecutionAssert execution;
    private final String prefix;

    SagaEffectsAssert(SagaExecutionAssert execution, RunId id, List<Effect> calls) {
        super(calls.stream().filter(each -> each.key().startsWith(id + ":")).toList(), SagaEffectsAssert.class);
        this.execution = execution;
        this.prefix = id + ":";
    }

    /**
     * Verifies that exactly these steps took effect.
     *
     * @param steps the steps and compensations, in the order in which they first took effect
     * @return this
     */
    public SagaEffectsAssert are(String... steps) {
        List<String> effects =
                actual.stream().filter(Effect::isNew).map(this::step).toList();
        if (!effects.equals(List.of(steps))) {
            throw execution.because("Expected the effects %s, but found %s.".formatted(List.of(steps), effects));
        }
        return this;
    }

    /**
     * Verifies that each effect key was used only once, so that no call was repeated.
     *
     * @return this
     */
    public SagaEffectsAssert eachOnce() {
        List<String> repeated = actual.stream()
                .filter(each -> !each.isNew())
                .map(this::step)
                .distinct()
                .toList();
        if (!repeated.isEmpty()) {
            throw execution.because("Expected each effect key to be used once, but the keys of %s were used more often."
                    .formatted(repeated));
        }
        return this;
    }

    /**
     * Verifies how many calls a step has recorded in the {@link EffectLog}.
     *
     * @param step the step
     * @param times the number of calls, with or without an effect
     * @return this
     */
    public SagaEffectsAssert calledTimes(String step, int times) {
        long calls = actual.stream().filter(each -> step(each).equals(step)).count();
        if (calls != times) {
            throw execution.because(
                    "Expected %2$d calls by '%1$s', but there were %3$d.".formatted(step, times, calls));
        }
        return this;
    }

    /**
     * Verifies that a step took effect once, however often it was called: all calls had the same key and the same
     * content.
     *
     * @param step the step
     * @return this
     */
    public SagaEffectsAssert tookEffectOnce(String step) {
        List<Effect> calls =
                actual.stream().filter(each -> step(each).equals(step)).toList();
        if (calls.isEmpty()) {
            throw execution.because(
                    "Expected '%s' to take effect, but the EffectLog has no call by this step.".formatted(step));
        }
        if (calls.stream().map(Effect::what).distinct().count() > 1) {
            throw execution.because(
                    "Expected all calls by '%s' to be the same, but they were %s.".formatted(step, calls));
        }
        return this;
    }

    /**
     * Verifies that a step made no calls.
     *
     * @param step the step
     * @return this
     */
    public SagaEffectsAssert never(String step) {
        return calledTimes(step, 0);
    }

    private String step(Effect effect) {
        return effect.key().substring(prefix.length());
    }

    /**
     * Returns to the assertions on the execution.
     *
     * @return the assertions
     */
    public SagaExecutionAssert and() {
        return execution;
    }
}
