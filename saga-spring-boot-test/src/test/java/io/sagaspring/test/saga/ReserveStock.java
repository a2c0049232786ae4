package io.sagaspring.test.saga;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import org.jspecify.annotations.Nullable;

/** A step that is a bean, with a compensation. */
class ReserveStock implements SagaTask<Checkout, String> {

    private final EffectLog effects;
    private final Moods moods;

    ReserveStock(EffectLog effects, Moods moods) {
        this.effects = effects;
        this.moods = moods;
    }

    @Override
    public String call(StepContext<Checkout> context) {
        moods.check(context.step());
        boolean unused = effects.record(context, null);
        return "reserved";
    }

    @Override
    public void compensate(StepContext<Checkout> context, @Nullable String result) {
        boolean unused = effects.record(context, result);
    }
}
