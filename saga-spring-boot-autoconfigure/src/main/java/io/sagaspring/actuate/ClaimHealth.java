package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.janitor.Sweep;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reports stuck claims, parked or overdue background work, and late sweeps. */
final class ClaimHealth implements HealthPart {

    private static final int INTERVALS = 3;

    private static final Backlogs.Sentences DUE = new Backlogs.Sentences(
            "Background work of kind '%s' has been due for %s, and no node has picked it up (count: %s). ",
            "Look in the log for attempts that do not end, or raise saga.due.concurrency.",
            "This node has no handler for this kind. Start a node that has one, restore the after-effect, or give up the work (DELETE sagadue/{id}).");

    private final Supplier<Collection<Sweep>> sweeps;
    private final Survey<ClaimFacts> survey;
    private final ElapsedClock ticks;
    private final Duration overdue;
    private final Duration startedAt;

    /**
     * Creates the health of claims and background work.
     *
     * @param sweeps the supplier of the sweeps, one for each module with a janitor
     * @param survey the survey that queries the claims and the background work in the database
     * @param ticks the clock that measures elapsed time on this node
     * @param overdue the time that work may be due before health reports a problem
     */
    public ClaimHealth(
            Supplier<Collection<Sweep>> sweeps, Survey<ClaimFacts> survey, ElapsedClock ticks, Duration overdue) {
        this.sweeps = sweeps;
        this.survey = survey;
        this.ticks = ticks;
        this.overdue = overdue;
        this.startedAt = ticks.now();
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        askDatabase(details, problems);
        details.put("sweeps", sweeps(problems));
    }

    private void askDatabase(Map<String, Object> details, List<String> problems) {
        survey.report(problems, facts -> {
            details.put("stuck", facts.stuck());
            details.put("oldest", oldest(facts.oldest()));
            details.put("parked", facts.parked());
            facts.stuck().forEach((module, count) -> {
                if (count > 0) {
                    problems.add(
                            "Stuck claims: %d of module '%s'. Their owners have sent no heartbeat for too long. If the janitor does not free them soon, look for its errors in the log."
                                    .formatted(count, module));
                }
            });
            if (facts.parked() > 0) {
                problems.add(
                        "Parked background work: %d. No attempt is left. Read the errors at the endpoint sagadue, then retry the work or give it up."
                                .formatted(facts.parked()));
            }
            Map<String, Object> due = new TreeMap<>();
            Backlogs.report(facts.backlog(), overdue, DUE, due, problems);
            details.put("due", due);
        });
    }

    private static Map<String, String> oldest(@Nullable ClaimedRow row) {
        if (row == null) {
            return Map.of();
        }
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("entity", row.entity());
        shown.put("id", row.id());
        shown.put("state", row.claimState());
        shown.put("age", DurationText.of(row.age()));
        if (row.tenant() != null) {
            shown.put("tenant", row.tenant());
        }
        return shown;
    }

    private Map<String, Map<String, String>> sweeps(List<String> problems) {
        Map<String, Map<String, String>> shown = new LinkedHashMap<>();
        for (Sweep sweep : sweeps.get()) {
            Duration interval = sweep.settings().interval();
            sweep.hangingHooks()
                    .forEach((hook, hanging) -> problems.add(
                            "%s has not returned for %s, although it was interrupted. It is not called again until it returns."
                                    .formatted(hook, DurationText.of(hanging))));
            Duration lag = sweep.lag();
            // If the module was never swept, the time counts from the start-up of this node.
            Duration late = lag == null ? ticks.now().minus(startedAt) : lag;
            if (!sweep.isPaused() && late.compareTo(interval.multipliedBy(INTERVALS)) > 0) {
                problems.add("Module '%s': %s %s ago (interval %s). Look for the janitor's errors in the log."
                        .formatted(
                                sweep.module(),
                                lag == null ? "no sweep has finished since start-up" : "the latest sweep finished",
                                DurationText.of(late),
                                DurationText.of(interval)));
            }
            shown.put(
                    sweep.module(),
                    Map.of(
                            "interval",
                            DurationText.of(interval),
                            "lag",
                            lag == null ? "never swept" : DurationText.of(lag)));
        }
        return shown;
    }
}
