package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SagaTest(runs = ScheduledRunTests.Cleanup.class, sagas = ScheduledSagaTests.Nightly.class)
class ScheduledRunTests {

    private static final Instant NIGHT = Instant.parse("2026-11-25T01:30:00Z");

    @Autowired
    RunScenario scenario;

    @Autowired
    SagaScenario sagas;

    @RunSchedule(name = "cleanup", cron = "0 30 1 * * *")
    static class Cleanup implements DurableRun<Firing, String> {

        @Override
        public String run(RunContext run, Firing firing) {
            run.sleep("until the backup has ended", Duration.ofHours(2));
            return run.step("clean", String.class, () -> "cleaned at " + firing.at());
        }
    }

    @Test
    void aScheduleFiresOncePerInstantAndTimePassesForItsRun() {
        TestedRun fired = scenario.fire("cleanup", NIGHT);

        TestedRun again = scenario.fire("cleanup", NIGHT);
        TestedRun next = scenario.fire("cleanup", NIGHT.plus(Duration.ofDays(1)));
        fired.then().isWaiting();
        assertThat(again.id()).isEqualTo(fired.id());
        assertThat(next.id()).isNotEqualTo(fired.id());

        scenario.timePasses(Duration.ofHours(2));
        fired.then().isCompletedWith(Cleanup.class, "cleaned at 2026-11-25T01:30:00Z");
    }

    @Test
    void aFiredRunContinuesAfterItsNodeHasDied() {
        scenario.fire("cleanup", NIGHT)
                .crashesAfterBodyOf("clean")
                .timePasses(Duration.ofHours(2))
                .resumed()
                .then()
                .isCompletedWith(Cleanup.class, "cleaned at 2026-11-25T01:30:00Z")
                .hasStep("clean")
                .wasCalled(2);
    }

    @Test
    void aRunScenarioFiresOnlyRunsAndASagaScenarioOnlySagas() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scenario.fire("nightly", NIGHT))
                .withMessage(
                        "No run of this test has a @RunSchedule with the name 'nightly'. Add the run to @SagaTest, or correct the name.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sagas.fire("cleanup", NIGHT))
                .withMessage(
                        "No saga of this test has a @RunSchedule with the name 'cleanup'. Add the saga to @SagaTest, or correct the name.");
    }
}
