package io.sagaspring.test.saga;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Runs;
import io.sagaspring.run.Step;
import java.time.Duration;

/**
 * A run whose first step is attempted up to three times, with pauses of 20 and 40 seconds. The run class injects
 * {@code Runs}.
 */
class Purchase implements DurableRun<String, String> {

    private final EffectLog effects;
    private final Runs runs;

    Purchase(EffectLog effects, Runs runs) {
        this.effects = effects;
        this.runs = runs;
    }

    @Override
    public String run(RunContext run, String order) {
        Step charge = Step.of("charge").retry(retry().exponential(Duration.ofSeconds(20)));
        boolean isCharged = run.step(charge, Boolean.class, () -> effects.record(run.idempotencyKey(), order));
        String approval = run.awaitSignal("approval", String.class);
        run.transactionalStep("book", () -> effects.record(run.idempotencyKey(), order));
        boolean isKnown =
                run.step("look", Boolean.class, () -> runs.find(run.runId()).isPresent());
        return "%s %s %s".formatted(approval, isCharged, isKnown);
    }
}
