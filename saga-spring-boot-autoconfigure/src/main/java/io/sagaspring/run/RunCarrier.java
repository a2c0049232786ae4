package io.sagaspring.run;

import java.util.Map;

/**
 * Carries a part of the caller's context to the node that executes the run. Every bean of this type is used for
 * all runs.
 *
 * @since 0.1.0
 */
public interface RunCarrier {

    /**
     * Captures the values to carry, on the thread that starts the run.
     *
     * @param carried the map to which the values are added, by name
     */
    void capture(Map<String, String> carried);

    /**
     * Executes a run with the captured values restored, on the thread that executes the run. Remove all of them from
     * the thread afterwards.
     *
     * @param carried the captured values
     * @param run the name of the run's code
     * @param work the action that executes the run; call it exactly once
     */
    void restore(Map<String, String> carried, String run, Runnable work);

    /**
     * Executes a run with the captured values restored, as {@link #restore(Map, String, Runnable)} does. Override this
     * method if you need the run's id.
     *
     * @param carried the captured values
     * @param run the name of the run's code
     * @param id the run's id
     * @param work the action that executes the run; call it exactly once
     */
    default void restore(Map<String, String> carried, String run, RunId id, Runnable work) {
        restore(carried, run, work);
    }
}
