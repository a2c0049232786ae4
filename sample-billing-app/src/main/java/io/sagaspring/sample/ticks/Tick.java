package io.sagaspring.sample.ticks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import io.sagaspring.sample.effects.WallClock;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.RunSchedule;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Lets a clock tick at each instant of the schedule. Ticks may overlap: a tick is so quick that the next one need not
 * wait for it.
 */
@Component
@RunSchedule(name = "tick", fixedRate = "${sample.tick.every:off}", overlap = Overlap.ALLOW)
class Tick implements DurableRun<Firing, @Nullable Void> {

    private final WallClock clock;

    Tick(WallClock clock) {
        this.clock = clock;
    }

    @Override
    public @Nullable Void run(RunContext run, Firing firing) {
        // A second tick would be worse than a missing one.
        run.step(Step.of("tick").notRepeatable(), () -> clock.tick(firing.at(), run.idempotencyKey()));
        return null;
    }
}
