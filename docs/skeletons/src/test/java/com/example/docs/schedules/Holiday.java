package com.example.docs.schedules;

import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.Schedules;
import java.time.Instant;
import org.springframework.stereotype.Service;

@Service
class Holiday {

    private final Schedules schedules;

    Holiday(Schedules schedules) {
        this.schedules = schedules;
    }

    void begin(String by) {
        schedules.pause("dunning", "bank holiday", by);
    }

    void end(String by, Instant since) {
        schedules.resume("dunning", by);
        schedules.backfill("dunning", since, Instant.now(), Overlap.QUEUE_ONE, by);
    }
}
