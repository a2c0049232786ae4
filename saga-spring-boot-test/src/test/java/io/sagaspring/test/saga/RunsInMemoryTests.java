package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SagaTest(runs = {Purchase.class, Doubled.class})
class RunsInMemoryTests extends RunScenarioContract {

    /** Has no retry policy of its own. */
    static class Plain implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            return run.step("charge", String.class, () -> input);
        }
    }

    @Nested
    @SagaTest(
            runs = Plain.class,
            properties = {"saga.runs.defaults.retry.max-attempts=2", "saga.runs.defaults.retry.delay=5s"})
    class WithDefaults {

        @Test
        void aStepWithoutARetryPolicyUsesThePropertiesOfTheApplication(@Autowired RunScenario ours) {
            ours.given(Plain.class, "o-1")
                    .failing("charge", 1, () -> new IllegalStateException("busy"))
                    .whenStarted()
                    .timePasses(Duration.ofSeconds(4))
                    .then()
                    .hasStep("charge")
                    .retrying()
                    .and()
                    .when()
                    .timePasses(Duration.ofSeconds(1))
                    .then()
                    .isCompletedWith(Plain.class, "o-1");
            assertThat(ours.clock().moved()).isEqualTo(Duration.ofSeconds(5));
        }
    }
}
