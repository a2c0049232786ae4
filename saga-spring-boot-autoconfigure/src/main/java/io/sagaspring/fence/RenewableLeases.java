package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * A table or store of leases. One call renews all leases that this node holds there.
 *
 * @since 0.1.0
 */
public interface RenewableLeases {

    /** Access to the keeper's own connection, which is opened when it is first requested. */
    @FunctionalInterface
    interface Connecting {

        /**
         * Returns the connection.
         *
         * @return the same connection for the whole heartbeat unless it breaks, in auto-commit mode
         * @throws SQLException if the database cannot be reached
         */
        Connection connection() throws SQLException;
    }

    /**
     * Tells whether the leases are renewed over the keeper's own connection. If not, the keeper renews them on a thread of their
     * own, so that others need not wait for them.
     *
     * @return true if the keeper's connection is used
     */
    default boolean usesConnection() {
        return false;
    }

    /**
     * Renews leases.
     *
     * @param keeper access to the keeper's connection
     * @param held the leases that this node holds
     * @return the leases that were renewed
     * @throws Exception if the table or store cannot be reached
     */
    Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws Exception;

    /**
     * Finds those of the given leases that this node still holds, although they were not renewed.
     *
     * @param keeper access to the keeper's connection
     * @param held the leases that were not renewed
     * @return the leases whose token is still the latest
     * @throws Exception if the table or store cannot be reached
     */
    Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) throws Exception;
}
