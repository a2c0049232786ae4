package com.example.docs.runs;

import static java.time.Duration.ofSeconds;

import io.sagaspring.run.RunNotCompletedException;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import org.springframework.stereotype.Service;

@Service
class Reminders {

    private final Runs runs;

    Reminders(Runs runs) {
        this.runs = runs;
    }

    String remind(Customer customer) throws InterruptedException {
        try {
            RunOptions options = RunOptions.withKey("remind:" + customer.id());
            return runs.execute(Remind.class, customer, options, ofSeconds(10));
        } catch (RunNotCompletedException noResult) {
            return "%s: run %s".formatted(noResult.state().text(), noResult.runId());
        }
    }
}
