package io.sagaspring.actuate;

import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs that wait for a person, or too long for a node. */
public final class RunHealth implements HealthPart {

    private static final Backlogs.Sentences DUE = new Backlogs.Sentences(
            "Runs of '%s' have been due for %s and no node has picked them up (%s). ",
            "Look at sagaruns?state=running for steps that do not return, or raise saga.runs.concurrency.",
            "This node has no code of that name: start a node that has it, or bring the code back.");

    private final Survey<RunFacts> survey;
    private final Duration overdue;

    /**
     * The health of runs.
     *
     * @param survey asks the database
     * @param overdue for how long a run may be due before that is a problem
     */
    public RunHealth(Survey<RunFacts> survey, Duration overdue) {
        this.survey = survey;
        this.overdue = overdue;
    }

    @Override
    public void look(Map<String, Object> details, List<String> problems) {
        survey.look(problems, facts -> {
            Map<String, Long> shown = new TreeMap<>();
            facts.troubled().forEach((state, count) -> {
                shown.put(state.text(), count);
                problems.add("%d runs are %s: %s".formatted(count, state.text(), whatToDo(state)));
            });
            details.put("troubledRuns", shown);
            Map<String, Object> due = new TreeMap<>();
            Backlogs.look(facts.backlog(), overdue, DUE, due, problems);
            details.put("dueRuns", due);
        });
    }

    private static String whatToDo(RunState state) {
        return switch (state) {
            case BLOCKED -> "their journals do not fit the code. The log names the steps.";
            case IN_DOUBT -> "somebody has to say whether a step took effect.";
            case COMPENSATION_FAILED ->
                "what they did could not be undone. Find out why, and retry them: they go on with that undo.";
            default -> "they were taken up again and again and came no further. Find out why, and retry them.";
        };
    }
}
