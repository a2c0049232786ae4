package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * A table or store of leases that the keeper renews. One call renews many leases. The keeper passes all leases of this
 * node in the table or store, in batches if {@link #usesConnection} returns false.
 *
 * @since 0.1.0
 */
public interface RenewableLeases {

    /** Gives access to the keeper's own connection, which is opened on first use. */
    @FunctionalInterface
    interface Connecting {

        /**
         * Returns the connection.
         *
         * @return the connection, in auto-commit mode; it stays the same for the whole heartbeat unless it breaks
         * @throws SQLException if the database cannot be reached
         */
        Connection connection() throws SQLException;
    }

    /**
     * Returns true if the leases are renewed over the keeper's own connection. Otherwise the keeper renews them on a
     * separate thread, so that other leases need not wait for them.
     *
     * @return true if the keeper's connection is used
     */
    default boolean usesConnection() {
        return false;
    }

    /**
     * Renews leases.
     *
     * @param keeper the access to the keeper's connection
     * @param held the leases to renew, which this node holds
     * @return the leases that were renewed
     * @throws Exception if the table or store cannot be reached
     */
    Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws Exception;

    /**
     * Finds the leases that this node still holds although they were not renewed.
     *
     * @param keeper the access to the keeper's connection
     * @param held the leases that were not renewed
     * @return the leases that this node still holds
     * @throws Exception if the table or store cannot be reached
     */
    Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) throws Exception;
}
