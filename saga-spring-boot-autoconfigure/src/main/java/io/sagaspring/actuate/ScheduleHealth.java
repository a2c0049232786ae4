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
                if (next != null && each.isOverdue(facts.now(), overdue)) {
                    problems.add(problem(each, Duration.between(next, facts.now())));
                }
            }
            details.put("schedules", shown);
        });
    }

    private static String problem(ScheduleView schedule, Duration late) {
        return schedule.known()
                ? "The schedule '%s' should have fired %s ago. Look for 'Looking for due schedules failed' in the log, and check saga.schedules.enabled."
                        .formatted(schedule.name(), DurationText.of(late))
                : "The schedule '%s' should have fired %s ago, and this node does not declare it. Deploy the code that declares the schedule, or remove the schedule (DELETE sagaschedules/%s)."
                        .formatted(schedule.name(), DurationText.of(late), schedule.name());
    }
}
