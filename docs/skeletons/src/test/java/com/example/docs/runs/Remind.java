package com.example.docs.runs;

import static io.sagaspring.run.Retry.retry;
import static java.time.Duration.ofSeconds;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import org.springframework.stereotype.Component;

@Component
class Remind implements DurableRun<Customer, String> {

    private static final Step MAIL = Step.of("mail")
            .retry(retry().max(5).exponential(ofSeconds(1)).jitter().noRetryOn(IllegalArgumentException.class))
            .timeout(ofSeconds(20));

    private final Bank.Mailer mailer;

    Remind(Bank.Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public String run(RunContext run, Customer customer) {
        run.step(MAIL, () -> mailer.welcome(customer, run.idempotencyKey()));
        return "reminded";
    }
}
