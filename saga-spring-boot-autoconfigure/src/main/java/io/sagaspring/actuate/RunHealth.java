package io.sagaspring.actuate;

import io.sagaspring.due.Backlog;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reports runs that wait for a person, and runs that have waited too long for a node. */
final class RunHealth implements HealthPart {

    private static final String DUE = "Runs of '%s' have been due for %s, and no node has picked them up (count: %s). ";
    private static final String UNKNOWN =
            "This node has no code with that name: start a node that has it, restore the code, or give up the runs (POST sagaruns/{id}/give-up).";

    private static final Backlogs.Sentences IF_IT_EXECUTES = new Backlogs.Sentences(
            DUE,
            "Look at sagaruns?state=running for steps that do not return, or raise saga.runs.concurrency.",
            UNKNOWN);

    private static final Backlogs.Sentences IF_IT_DOES_NOT = new Backlogs.Sentences(
            DUE,
            "This node executes no runs (saga.runs.concurrency=0): look at the nodes that do, or start one.",
            UNKNOWN);

    private final Survey<RunFacts> survey;
    private final Duration overdue;
    private final boolean executes;
    private final Function<RunState, @Nullable String> pages;

    /**
     * Creates the health of runs.
     *
     * @param survey the survey that queries the runs in the database
     * @param overdue the time that a run may be due before health reports a problem
     * @param executes true if this node executes runs
     * @param pages the function that returns the page of the runs in a state, or null if no address is known
     */
    public RunHealth(
            Survey<RunFacts> survey, Duration overdue, boolean executes, Function<RunState, @Nullable String> pages) {
        this.survey = survey;
        this.overdue = overdue;
        this.executes = executes;
        this.pages = pages;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        details.put("executesRuns", executes);
        survey.report(problems, facts -> {
            Map<String, Long> shown = new TreeMap<>();
            facts.troubled().forEach((state, count) -> {
                shown.put(state.text(), count);
                problems.add("Runs in state '%s': %d. %s".formatted(state.text(), count, whatToDo(state)));
            });
            details.put("troubledRuns", shown);
            Map<String, String> linked = new TreeMap<>();
            for (RunState state : facts.troubled().keySet()) {
                String page = pages.apply(state);
                if (page != null) {
                    linked.put(state.text(), page);
                }
            }
            if (!linked.isEmpty()) {
                details.put("troubledRunPages", linked);
            }
            Map<String, Object> due = new TreeMap<>();
            List<Backlog> backlog = facts.backlog().stream()
                    .filter(each -> !facts.paused().contains(each.kind()))
                    .toList();
            Backlogs.report(backlog, overdue, executes ? IF_IT_EXECUTES : IF_IT_DOES_NOT, due, problems);
            details.put("dueRuns", due);
        });
    }

    private static String whatToDo(RunState state) {
        return switch (state) {
            case BLOCKED ->
                "They cannot continue, for example because their journals do not fit the deployed code. The error of each run gives its cause (GET sagaruns?state=blocked).";
            case IN_DOUBT -> "A person must decide whether a step took effect (POST sagaruns/{id}/done or not-done).";
            case COMPENSATION_FAILED ->
                "Their compensations failed. Find out why, and retry the runs (POST sagaruns/{id}). Each continues with the compensation that failed.";
            default ->
                "They were picked up repeatedly without progress. Find out why, and retry them (POST sagaruns/{id}).";
        };
    }
}
