package com.example.docs.runs;

import io.sagaspring.test.saga.EffectLog;
import io.sagaspring.test.saga.RunScenario;
import io.sagaspring.test.saga.SagaTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@SagaTest(runs = Remind.class)
class RemindTests {

    private static final Customer ADA = new Customer("c-1", "ada@example.org");

    @Autowired
    RunScenario scenario;

    @Test
    void aMailThatFailedIsSentAgainWithTheSameKey() {
        scenario.given(Remind.class, ADA)
                .failing("mail", 2, () -> new IllegalStateException("busy"))
                .whenStarted()
                .timePasses(Duration.ofSeconds(3))
                .then()
                .isCompletedWith(Remind.class, "reminded")
                .hasStep("mail")
                .wasCalled(3)
                .tookEffectOnce();
    }

    @TestConfiguration
    static class Fakes {

        @Bean
        Bank.Mailer mailer(EffectLog effects) {
            return (customer, key) -> effects.record(key, customer.id());
        }
    }
}
