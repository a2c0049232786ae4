package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * Where things lie that are held for a time. Renewing all that this node holds there is one call.
 *
 * @since 0.1.0
 */
public interface RenewableLeases {

    /** The keeper's own connection, opened when it is first asked for. */
    @FunctionalInterface
    interface Connecting {

        /**
         * The connection, for who needs one.
         *
         * @return the same for the whole beat, in auto-commit mode
         * @throws SQLException if the database cannot be reached
         */
        Connection connection() throws SQLException;
    }

    /**
     * Whether it is asked over the keeper's own connection. Whoever has another way gets a thread of its own, so that the
     * others need not wait for it.
     *
     * @return whether the keeper has a connection for it
     */
    default boolean usesConnection() {
        return false;
    }

    /**
     * Says that these are still worked on.
     *
     * @param keeper has a connection of its own
     * @param held what this node holds
     * @return what was renewed
     * @throws Exception if nobody can be asked
     */
    Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws Exception;

    /**
     * Which of these are still held by this node, renewed or not.
     *
     * @param keeper has a connection of its own
     * @param held what was not renewed
     * @return those whose token is still the last one
     * @throws Exception if nobody can be asked
     */
    Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) throws Exception;
}
