package io.sagaspring.actuate;

import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs that wait for a person. */
public final class RunHealth implements HealthPart {

    private final RunStore store;

    /**
     * The health of runs.
     *
     * @param store knows them
     */
    public RunHealth(RunStore store) {
        this.store = store;
    }

    @Override
    public void look(Map<String, Object> details, List<String> problems) {
        Map<String, Long> troubled = new TreeMap<>();
        try {
            store.troubled().forEach((state, count) -> troubled.put(state.text(), count));
        } catch (RuntimeException unreachable) {
            problems.add("It is not known whether runs wait for a person: %s".formatted(unreachable.getMessage()));
        }
        details.put("troubledRuns", troubled);
        troubled.forEach((state, count) -> problems.add("%d runs are %s: %s".formatted(count, state, whatToDo(state))));
    }

    private static String whatToDo(String state) {
        return switch (RunState.of(state)) {
            case BLOCKED -> "their journals do not fit the code. The log names the steps.";
            case IN_DOUBT -> "somebody has to say whether a step took effect.";
            default -> "they were taken up again and again and came no further. Find out why, and retry them.";
        };
    }
}
