package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * A table whose rows are held for a time, each with a token that no other row has. Renewing all rows of this node is one statement.
 *
 * @since 0.1.0
 */
public interface KeptTable extends Kept {

    /**
     * Says, by the database's clock, that these rows are still worked on. A row that another transaction is about to
     * change is passed over rather than waited for.
     *
     * @param connection the keeper's own, in auto-commit mode
     * @param held what this node holds
     * @return what was renewed
     * @throws SQLException if the database cannot be asked
     */
    Set<FencingToken> renew(Connection connection, Collection<Held> held) throws SQLException;

    /**
     * Which of these are still held by this node, renewed or not.
     *
     * @param connection the keeper's own, in auto-commit mode
     * @param held what was not renewed
     * @return those whose token is still the row's
     * @throws SQLException if the database cannot be asked
     */
    Set<FencingToken> stillThere(Connection connection, Collection<Held> held) throws SQLException;

    @Override
    default boolean usesConnection() {
        return true;
    }

    @Override
    default Set<Held> renew(Connecting keeper, Collection<Held> held) throws SQLException {
        return Held.of(renew(keeper.connection(), held), held);
    }

    @Override
    default Set<Held> stillThere(Connecting keeper, Collection<Held> held) throws SQLException {
        return Held.of(stillThere(keeper.connection(), held), held);
    }
}
