package io.sagaspring.run;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The numbers of runs of one name. Each name is counted by itself, so that many runs of one name do not hide the runs
 * of another one.
 *
 * @param run the name of the run class or the saga
 * @param known true if this node has code for the name
 * @param states the number of runs in each state that has any
 * @since 0.1.0
 */
public record KindCounts(String run, boolean known, Map<RunState, RunCount> states) {

    /**
     * Copies the numbers.
     *
     * @param run the name of the run class or the saga
     * @param known true if this node has code for the name
     * @param states the number of runs in each state that has any
     */
    public KindCounts {
        EnumMap<RunState, RunCount> copy = new EnumMap<>(RunState.class);
        copy.putAll(states);
        states = Collections.unmodifiableMap(copy);
    }
}
