package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.schedule.ScheduleView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reports schedules that should have fired, but have not. */
final class ScheduleHealth implements HealthPart {

    /**
     * The delay after which a schedule that this node does not declare is a problem. The delay is long, because a
     * deployment takes a while.
     */
    private static final Duration WITHOUT_CODE = Duration.ofDays(1);

    private final Survey<ScheduleFacts> survey;
    private final Duration overdue;

    /**
     * Creates the health of schedules.
     *
     * @param survey the survey that queries the schedules in the database
     * @param overdue the time that a schedule may be late before health reports a problem
     */
    public ScheduleHealth(Survey<ScheduleFacts> survey, Duration overdue) {
        this.survey = survey;
        this.overdue = overdue;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        survey.report(problems, facts -> {
            Map<String, String> shown = new TreeMap<>();
            for (ScheduleView each : facts.schedules()) {
                Instant next = each.next();
                shown.put(each.name(), each.paused() ? "paused" : next == null ? "waits" : next.toString());
                if (next != null) {
                    report(each, Duration.between(next, facts.now()), problems);
                }
            }
            details.put("schedules", shown);
        });
    }

    private void report(ScheduleView schedule, Duration late, List<String> problems) {
        if (schedule.known()) {
            if (late.compareTo(overdue) > 0) {
                problems.add(
                        "The schedule '%s' should have fired %s ago. Look for 'Looking for due schedules failed' in the log, and check saga.schedules.enabled."
                                .formatted(schedule.name(), DurationText.of(late)));
            }
        } else if (late.compareTo(WITHOUT_CODE) > 0) {
            problems.add(
                    "The schedule '%s' should have fired %s ago, and this node does not declare it. Deploy the code that declares the schedule, or remove the schedule (DELETE sagaschedules/%s)."
                            .formatted(schedule.name(), DurationText.of(late), schedule.name()));
        }
    }
}
