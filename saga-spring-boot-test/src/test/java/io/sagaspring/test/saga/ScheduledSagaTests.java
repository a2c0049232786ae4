package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SagaTest(sagas = ScheduledSagaTests.Nightly.class)
class ScheduledSagaTests {

    private static final Instant NIGHT = Instant.parse("2026-11-25T01:30:00Z");

    @Autowired
    SagaScenario scenario;

    @RunSchedule(name = "nightly", cron = "0 30 1 * * *")
    static class Nightly implements Saga<Firing> {

        @Override
        public void define(SagaDefinition<Firing> saga) {
            saga.timeout(Duration.ofHours(1));
            saga.step("report", context -> "report of " + context.input().at());
            saga.waitForSignal("approval");
        }
    }

    @Test
    void aScheduleFiresOncePerInstantAndTimePassesForItsExecution() {
        SagaExecution fired = scenario.fire("nightly", NIGHT);

        SagaExecution again = scenario.fire("nightly", NIGHT);
        SagaExecution next = scenario.fire("nightly", NIGHT.plus(Duration.ofDays(1)));
        fired.then().hasStep("report").completed();
        assertThat(again.id()).isEqualTo(fired.id());
        assertThat(next.id()).isNotEqualTo(fired.id());

        scenario.timePasses(Duration.ofHours(2));
        fired.then().isFailed();
    }

    @Test
    void aScheduleThatNoSagaHasIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scenario.fire("nighly", NIGHT))
                .withMessageContaining("has a @RunSchedule with the name 'nighly'");
    }
}
