package io.sagaspring.lease;

/**
 * An event of a lease on this node, or of an attempt to acquire one.
 *
 * @since 0.1.0
 */
public enum LeaseEvent {
    /** A caller on this node has acquired the lease. */
    ACQUIRED,
    /** An attempt failed because another caller still holds the lease after the requested wait. */
    TAKEN,
    /** An attempt failed because the work under the lease's name is complete. */
    PASSED,
    /** The owner on this node must stop. {@link Lease#isLost} lists the reasons. */
    LOST,
    /** The lease was released. */
    RELEASED,
    /** The work under the lease's name was completed. */
    COMPLETED
}
