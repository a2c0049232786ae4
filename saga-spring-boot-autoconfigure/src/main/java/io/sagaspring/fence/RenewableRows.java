package io.sagaspring.fence;

import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * A table of leases in the library's schema. One statement renews many leases. The statement is executed over the
 * keeper's own connection, unless the table is in another database ({@link SeparateRows}).
 *
 * @since 0.1.0
 */
public interface RenewableRows extends RenewableLeases {

    /**
     * Returns the statements that renew and check the rows.
     *
     * @return the same statements for every call
     */
    RenewalStatements renewals();

    @Override
    default boolean usesConnection() {
        return true;
    }

    @Override
    default Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws SQLException {
        return renewals().renew(keeper.connection(), held);
    }

    @Override
    default Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) throws SQLException {
        return renewals().stillHeld(keeper.connection(), held);
    }
}
