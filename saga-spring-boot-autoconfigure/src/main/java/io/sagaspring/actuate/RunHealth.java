package io.sagaspring.actuate;

import io.sagaspring.run.RunState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs that wait for a person. */
public final class RunHealth implements HealthPart {

    private final Survey<Map<RunState, Long>> survey;

    /**
     * The health of runs.
     *
     * @param survey asks the database
     */
    public RunHealth(Survey<Map<RunState, Long>> survey) {
        this.survey = survey;
    }

    @Override
    public void look(Map<String, Object> details, List<String> problems) {
        survey.look(problems, troubled -> {
            Map<String, Long> shown = new TreeMap<>();
            troubled.forEach((state, count) -> {
                shown.put(state.text(), count);
                problems.add("%d runs are %s: %s".formatted(count, state.text(), whatToDo(state)));
            });
            details.put("troubledRuns", shown);
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
