package io.sagaspring.lease;

import java.util.Locale;

/**
 * The state of a name of leases.
 *
 * @since 0.1.0
 */
public enum LeaseState {
    /** A caller holds the lease. */
    HELD,
    /** The lease was released, was freed by a person, or has expired. */
    FREE,
    /** The work under the name is complete. */
    COMPLETED;

    /** {@return the state in lower case} */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
