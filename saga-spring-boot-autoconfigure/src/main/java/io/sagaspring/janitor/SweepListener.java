package io.sagaspring.janitor;

/**
 * Told what sweeps do, for metrics. What it throws changes nothing.
 *
 * @since 0.1.0
 */
public interface SweepListener {

    /**
     * A sweep is over.
     *
     * @param module the module
     * @param failed whether it could not be finished
     */
    default void swept(String module, boolean failed) {}

    /**
     * An entity was freed, by a janitor or by a person.
     *
     * @param claim what was freed
     */
    default void recovered(ClaimRecovered claim) {}

    /**
     * An entity could not be freed because a transaction holds it.
     *
     * @param module the module
     */
    default void blocked(String module) {}
}
