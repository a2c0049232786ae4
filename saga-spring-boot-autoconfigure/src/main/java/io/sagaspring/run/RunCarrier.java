package io.sagaspring.run;

import java.util.Map;

/**
 * Carries something from where a run is started to wherever it is driven. A bean of this type is used for all runs.
 *
 * @since 0.1.0
 */
public interface RunCarrier {

    /**
     * Says what is to be carried, on the thread that starts the run.
     *
     * @param carried takes texts by name
     */
    void capture(Map<String, String> carried);

    /**
     * Drives a run with what was carried, on the thread that drives it, and leaves nothing of it behind.
     *
     * @param carried what was captured
     * @param run the name of its code
     * @param executing is called exactly once
     */
    void restore(Map<String, String> carried, String run, Runnable executing);
}
