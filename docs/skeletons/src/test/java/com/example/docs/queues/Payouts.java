package com.example.docs.queues;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.queue.RunQueue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

@Configuration
class Payouts {

    /** The payment provider accepts 50 requests at once, but only one at once for each merchant. */
    @Bean
    RunQueue psp() {
        return RunQueue.named("psp").atOnce(50).atOnceForEach(1);
    }

    record Payout(String merchant, String reference, long cents) {}

    @Component
    static class PayOut implements DurableRun<Payout, String> {

        @Override
        public String run(RunContext run, Payout payout) {
            return run.step("transfer", String.class, () -> Provider.transfer(payout, run.idempotencyKey()));
        }
    }
}
