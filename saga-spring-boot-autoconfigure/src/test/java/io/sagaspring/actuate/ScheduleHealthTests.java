package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.schedule.Missed;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.ScheduleView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Health reports a late schedule for which this node must do something. */
class ScheduleHealthTests {

    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
    private static final Duration OVERDUE = Duration.ofDays(2);

    private static List<String> problems(boolean isDeclared, Duration late) {
        Instant next = NOW.minus(late);
        ScheduleView schedule = new ScheduleView(
                "dunning",
                "dunningRun",
                "rate PT1H",
                Missed.LATEST,
                Overlap.SKIP,
                null,
                isDeclared,
                next,
                null,
                null,
                null,
                0,
                null,
                null,
                false,
                null,
                null,
                null,
                NOW,
                "node");
        Survey<ScheduleFacts> survey =
                new Survey<>(() -> new ScheduleFacts(NOW, List.of(schedule)), ElapsedClock.OF_THIS_MACHINE);
        List<String> problems = new ArrayList<>();
        new ScheduleHealth(survey, OVERDUE).report(new HashMap<>(), problems);
        return problems;
    }

    @Test
    void aDeclaredScheduleIsReportedOnlyAfterTheTimeThatTheApplicationSets() {
        assertThat(problems(true, Duration.ofHours(30))).isEmpty();
        assertThat(problems(true, Duration.ofHours(49)))
                .containsExactly(
                        "The schedule 'dunning' should have fired 2 d 1 h ago. Look for 'Looking for due schedules failed' in the log, and check saga.schedules.enabled.");
    }

    @Test
    void anUndeclaredScheduleIsReportedAfterADay() {
        assertThat(problems(false, Duration.ofHours(23))).isEmpty();
        assertThat(problems(false, Duration.ofHours(30)))
                .containsExactly(
                        "The schedule 'dunning' should have fired 1 d 6 h ago, and this node does not declare it. Deploy the code that declares the schedule, or remove the schedule (DELETE sagaschedules/dunning).");
    }
}
