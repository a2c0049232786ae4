package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes a transaction of another database. If each tenant has a database of its own, a transaction manager may
 * bind the connection of a tenant's database to the data source that has the library's tables. The library's statements
 * must not join such a transaction, because they would be executed in the tenant's database.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface JoinGuard {

    /** Accepts every transaction, for an application without tenants. */
    JoinGuard NONE = connection -> null;

    /**
     * Returns the current tenant if the connection leads to a database other than the one that has the library's
     * tables.
     *
     * @param connection the connection of the caller's transaction
     * @return the tenant, or null if the library's statements can join the transaction
     * @throws SQLException if the database cannot be reached
     */
    @Nullable
    String tenantElsewhere(Connection connection) throws SQLException;

    /**
     * Creates the exception for a transaction that the library's statements cannot join.
     *
     * @param operation the operation's name, with which the exception's message begins
     * @param tenant the tenant that has a database of its own
     * @return the exception to throw
     */
    static IllegalStateException refusal(String operation, String tenant) {
        return new IllegalStateException(
                "%s cannot be committed in this transaction, because tenant '%s' has a database of its own, and one commit cannot span that database and the database that has Saga's tables. Use a call that commits on its own, outside the transaction."
                        .formatted(operation, tenant));
    }
}
