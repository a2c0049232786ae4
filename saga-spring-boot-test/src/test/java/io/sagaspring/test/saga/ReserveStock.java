package io.sagaspring.test.saga;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import org.jspecify.annotations.Nullable;

/** A step as a bean, undone. */
class ReserveStock implements SagaTask<Checkout, String> {

    private final EffectLog world;
    private final Moods moods;

    ReserveStock(EffectLog world, Moods moods) {
        this.world = world;
        this.moods = moods;
    }

    @Override
    public String call(StepContext<Checkout> context) {
        moods.check(context.step());
        boolean unused = world.record(context, null);
        return "reserved";
    }

    @Override
    public void compensate(StepContext<Checkout> context, @Nullable String result) {
        boolean unused = world.record(context, result);
    }
}
