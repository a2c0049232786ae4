package io.sagaspring.run;

import java.util.Map;

/**
 * Carries something of the caller that starts a run to the node that executes it. Each bean of this type is used for all runs.
 *
 * @since 0.1.0
 */
public interface RunCarrier {

    /**
     * Captures the texts to carry, on the thread that starts the run.
     *
     * @param carried takes texts by name
     */
    void capture(Map<String, String> carried);

    /**
     * Executes a run with the captured texts in place, on the thread that executes the run. Remove everything from the thread afterwards.
     *
     * @param carried the captured texts
     * @param run the name of its code
     * @param work executes the run; call it exactly once
     */
    void restore(Map<String, String> carried, String run, Runnable work);
}
