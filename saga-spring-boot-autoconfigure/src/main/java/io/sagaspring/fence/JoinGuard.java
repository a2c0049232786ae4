package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes a transaction of another database. With a connection provider for tenants, a transaction manager binds the
 * connection of the tenant's database to the data source that has the library's tables.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface JoinGuard {

    /** Accepts every transaction, for an application without tenants. */
    JoinGuard NONE = connection -> null;

    /**
     * Returns the tenant whose database is not the one that has the library's tables.
     *
     * @param connection the connection of the caller's transaction
     * @return the tenant, or null if the library's statements can join the transaction
     * @throws SQLException if the database cannot be reached
     */
    @Nullable
    String tenantElsewhere(Connection connection) throws SQLException;

    /**
     * Returns the reason why the library's statements cannot join a transaction.
     *
     * @param operation the operation as the subject of a sentence
     * @param tenant the tenant whose database is another one
     * @return the exception
     */
    static IllegalStateException refusal(String operation, String tenant) {
        return new IllegalStateException(
                "%s cannot be committed in this transaction, because tenant '%s' has a database of its own, and one commit cannot span both. Use a call that commits on its own, outside the transaction."
                        .formatted(operation, tenant));
    }
}
