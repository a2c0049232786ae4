package io.sagaspring.run;

/**
 * A listener that is notified of changes of runs on this node. An exception that it throws is logged and has no other effect.
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
     * Notifies of a change of a run, with its time, error and reason. Override this method to read them. By default it calls {@link
     * #happened(String, RunId, RunEvent)}.
     *
     * @param notice the change
     */
    default void happened(RunNotice notice) {
        happened(notice.run(), notice.id(), notice.event());
    }

    /**
     * Tells whether this listener is to be called in the tenant of the run. If that tenant cannot be restored, such a listener is not
     * called.
     *
     * @return true, unless this listener is the same for all tenants, such as a counter
     */
    default boolean needsTenant() {
        return true;
    }
}
