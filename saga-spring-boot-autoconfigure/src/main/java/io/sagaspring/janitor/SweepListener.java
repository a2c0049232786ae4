package io.sagaspring.janitor;

/**
 * A listener that is notified of sweeps, for metrics. If a listener throws an exception, the sweep continues.
 *
 * @since 0.1.0
 */
public interface SweepListener {

    /**
     * Called when the sweep of one database has ended.
     *
     * @param module the module
     * @param failed true if the sweep ended with an exception
     */
    default void swept(String module, boolean failed) {}

    /**
     * Called when an entity was freed, by a janitor or by a person.
     *
     * @param claim the freed entity and its former claim
     */
    default void recovered(ClaimRecovered claim) {}

    /**
     * Called when an entity could not be freed because a transaction has locked it.
     *
     * @param module the module
     */
    default void blocked(String module) {}
}
