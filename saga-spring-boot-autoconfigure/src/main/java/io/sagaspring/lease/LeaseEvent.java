package io.sagaspring.lease;

/**
 * An event in the life of a lease on this node, or an attempt of this node to acquire one.
 *
 * @since 0.1.0
 */
public enum LeaseEvent {
    /** A caller on this node has acquired the lease. */
    ACQUIRED,
    /** An attempt failed because another caller holds the lease, also after waiting for as long as requested. */
    TAKEN,
    /** An attempt failed because the work on the name is complete. */
    PASSED,
    /** The holder on this node had to stop. {@link Lease#isLost} lists the reasons. */
    LOST,
    /** The lease was released. */
    RELEASED,
    /** The work on the name was completed. */
    COMPLETED
}
