package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/** What a test has instead of a table: it answers over the keeper's connection with the tokens of rows. */
public interface KeptTable extends Kept {

    Set<FencingToken> renew(Connection connection, Collection<Held> held) throws SQLException;

    Set<FencingToken> stillThere(Connection connection, Collection<Held> held) throws SQLException;

    @Override
    default boolean usesConnection() {
        return true;
    }

    @Override
    default Set<Held> renew(Connecting keeper, Collection<Held> held) throws SQLException {
        return those(held, renew(keeper.connection(), held));
    }

    @Override
    default Set<Held> stillThere(Connecting keeper, Collection<Held> held) throws SQLException {
        return those(held, stillThere(keeper.connection(), held));
    }

    private static Set<Held> those(Collection<Held> held, Set<FencingToken> tokens) {
        return held.stream().filter(each -> tokens.contains(each.token())).collect(Collectors.toSet());
    }
}
