package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table of leases for tests. Its methods get the keeper's connection, and return the tokens of the leases that this
 * node still holds.
 */
public interface KeptTable extends RenewableLeases {

    Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException;

    Set<FencingToken> stillHeld(Connection connection, Collection<HeldLease> held) throws SQLException;

    @Override
    default boolean usesConnection() {
        return true;
    }

    @Override
    default Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws SQLException {
        return withTokens(held, renew(keeper.connection(), held));
    }

    @Override
    default Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) throws SQLException {
        return withTokens(held, stillHeld(keeper.connection(), held));
    }

    private static Set<HeldLease> withTokens(Collection<HeldLease> held, Set<FencingToken> tokens) {
        return held.stream().filter(each -> tokens.contains(each.token())).collect(Collectors.toSet());
    }
}
