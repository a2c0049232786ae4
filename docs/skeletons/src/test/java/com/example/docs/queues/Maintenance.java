package com.example.docs.queues;

import io.sagaspring.run.QueueControl;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.QueueLimits;
import org.springframework.stereotype.Service;

@Service
class Maintenance {

    private final Runs runs;

    Maintenance(Runs runs) {
        this.runs = runs;
    }

    void begins(String person) {
        QueueControl psp = runs.queue("psp");
        boolean paused = psp.pause("maintenance of the provider", person);
    }

    void ends(String person) {
        QueueControl psp = runs.queue("psp");
        psp.limits(QueueLimits.atOnce(10).atOnceForEach(1), "the provider is slow", person);
        boolean resumed = psp.resume(person);
    }
}
