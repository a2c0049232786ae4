package io.sagaspring.run;

/**
 * Listens to changes of runs on this node. If a listener throws an exception, the exception is logged and has no other
 * effect.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RunListener {

    /**
     * Handles a change of a run.
     *
     * @param run the name of the run's code
     * @param id the run's id
     * @param event the kind of change
     */
    void happened(String run, RunId id, RunEvent event);

    /**
     * Handles a change of a run, with its time, error and reason. Override this method if you need these details. By
     * default, this method calls {@link #happened(String, RunId, RunEvent)}.
     *
     * @param notice the change
     */
    default void happened(RunNotice notice) {
        happened(notice.run(), notice.id(), notice.event());
    }

    /**
     * Returns true if this listener must be called in the tenant of the run. If that tenant cannot be restored, such a
     * listener is not called.
     *
     * @return true, unless this listener treats all tenants alike, as a counter does
     */
    default boolean needsTenant() {
        return true;
    }
}
