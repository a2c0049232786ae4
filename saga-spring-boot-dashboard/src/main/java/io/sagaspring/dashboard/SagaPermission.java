package io.sagaspring.dashboard;

/**
 * A permission of a person who uses the dashboard.
 *
 * @since 0.1.0
 */
public enum SagaPermission {
    /** Permission to see the data of the dashboard. */
    VIEW,
    /** Permission to perform operations, such as the retry of a run. */
    OPERATE,
    /** Permission to see inputs, results and signals, as far as {@code saga.dashboard.payloads} shows them. */
    PAYLOADS;

    /**
     * Returns the authority that gives this permission by default.
     *
     * @return the name of the authority, such as {@code SAGA_VIEW}
     */
    public String authority() {
        return "SAGA_" + name();
    }
}
