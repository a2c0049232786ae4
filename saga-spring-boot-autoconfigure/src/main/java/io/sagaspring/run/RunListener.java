package io.sagaspring.run;

/**
 * Is notified of changes of runs on this node. An exception that it throws changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RunListener {

    /**
     * Notifies of a change of a run.
     *
     * @param run the name of its code
     * @param id the run's id
     * @param event the kind of change
     */
    void happened(String run, RunId id, RunEvent event);

    /**
     * Notifies of a change of a run, with its time, error and reason. Override it to read them; by default it calls the
     * method without.
     *
     * @param notice the change
     */
    default void happened(RunNotice notice) {
        happened(notice.run(), notice.id(), notice.event());
    }
}
