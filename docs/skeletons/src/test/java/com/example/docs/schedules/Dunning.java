package com.example.docs.schedules;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

@Component
@RunSchedule(name = "dunning", cron = "0 30 2 * * *", zone = "Europe/Berlin")
class Dunning implements DurableRun<Firing, @Nullable Void> {

    private final Reminders reminders;

    Dunning(Reminders reminders) {
        this.reminders = reminders;
    }

    @Override
    public @Nullable Void run(RunContext run, Firing firing) {
        run.step("remind", () -> reminders.send(firing.at(), run.idempotencyKey()));
        return null;
    }
}
