package io.sagaspring.sample.payouts;

import io.sagaspring.run.queue.RunQueue;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PayoutsConfiguration {

    static final String QUEUE = "psp";

    /**
     * Limits the payouts of all instances together. A payout keeps its permits while it waits for its next attempt, so
     * that the payouts of a tenant also end in their order.
     */
    @Bean
    RunQueue psp(@Value("${sample.payouts.at-once:4}") int atOnce) {
        return RunQueue.named(QUEUE).atOnce(atOnce).atOnceForEach(1).keepsPermits();
    }
}
