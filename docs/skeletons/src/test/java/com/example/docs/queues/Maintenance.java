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

    boolean begins(String person) {
        return runs.queue("psp").pause("maintenance of the provider", person);
    }

    boolean ends(String person) {
        QueueControl psp = runs.queue("psp");
        psp.limits(QueueLimits.atOnce(10).atOnceForEach(1), "the provider is slow", person);
        return psp.resume(person);
    }
}
