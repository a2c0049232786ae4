package io.sagaspring.fence;

import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * A table of ours whose rows are held for a time, and renewed by one statement over the keeper's own connection.
 *
 * @since 0.1.0
 */
public interface KeptRows extends Kept {

    /**
     * Returns the statements about what is held.
     *
     * @return the same for every caller
     */
    HeldRows rowsHeld();

    @Override
    default boolean usesConnection() {
        return true;
    }

    @Override
    default Set<Held> renew(Connecting keeper, Collection<Held> held) throws SQLException {
        return rowsHeld().renew(keeper.connection(), held);
    }

    @Override
    default Set<Held> stillThere(Connecting keeper, Collection<Held> held) throws SQLException {
        return rowsHeld().stillThere(keeper.connection(), held);
    }
}
