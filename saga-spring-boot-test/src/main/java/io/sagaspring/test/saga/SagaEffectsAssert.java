package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.test.saga.EffectLog.Effect;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * What an execution did to the world, as the {@link EffectLog} has it. Steps are named, and undos: {@code charge_card:undo}.
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
     * These took effect, and no others.
     *
     * @param steps in the order in which they first did
     * @return this
     */
    public SagaEffectsAssert are(String... steps) {
        List<String> effects =
                actual.stream().filter(Effect::isNew).map(this::step).toList();
        if (!effects.equals(List.of(steps))) {
            throw execution.because("Expected the effects %s, and there are %s.".formatted(List.of(steps), effects));
        }
        return this;
    }

    /**
     * The world was called once with each key: nothing was even tried twice.
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
            throw execution.because("Expected each effect key to be used once, and more often used are those of %s."
                    .formatted(repeated));
        }
        return this;
    }

    /**
     * A step called the world so often.
     *
     * @param step which
     * @param times how often, whether it took effect or not
     * @return this
     */
    public SagaEffectsAssert calledTimes(String step, int times) {
        long calls = actual.stream().filter(each -> step(each).equals(step)).count();
        if (calls != times) {
            throw execution.because(
                    "Expected '%s' to be called %d times, and it was %d times.".formatted(step, times, calls));
        }
        return this;
    }

    /**
     * A step took effect once, however often it was called: each call had the same key, and asked for the same.
     *
     * @param step which
     * @return this
     */
    public SagaEffectsAssert tookEffectOnce(String step) {
        List<Effect> calls =
                actual.stream().filter(each -> step(each).equals(step)).toList();
        if (calls.isEmpty()) {
            throw execution.because("Expected '%s' to take effect, and it was never called.".formatted(step));
        }
        if (calls.stream().map(Effect::what).distinct().count() > 1) {
            throw execution.because(
                    "Expected '%s' to ask for the same each time, and it asked for %s.".formatted(step, calls));
        }
        return this;
    }

    /**
     * A step never took effect.
     *
     * @param step which
     * @return this
     */
    public SagaEffectsAssert never(String step) {
        return calledTimes(step, 0);
    }

    private String step(Effect effect) {
        return effect.key().substring(prefix.length());
    }

    /**
     * The execution again.
     *
     * @return its assertions
     */
    public SagaExecutionAssert and() {
        return execution;
    }
}
