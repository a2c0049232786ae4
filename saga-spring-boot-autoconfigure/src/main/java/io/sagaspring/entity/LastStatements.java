package io.sagaspring.entity;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last statements of a step. They are executed directly before the commit.
 *
 * @since 0.1.0
 */
public interface LastStatements {

    /**
     * Requires that the step may remove its entity. Called only if the application's code has removed the entity.
     *
     * @throws RuntimeException if the step needs the entity after the commit
     */
    void requireRemovable();

    /**
     * Runs the code that writes everything before the commit, including the pending changes of the application's code.
     * An implementation can do more work before and after these writes.
     *
     * @param writes the code that writes the changes and the last statements, and returns what {@link #write} has
     *     returned
     */
    void surround(Supplier<String> writes);

    /**
     * Executes the statements. After them, nothing else is written before the commit.
     *
     * @param connection the connection of the step's transaction
     * @param version the entity's new version, or null if the library did not flip the entity itself
     * @return the transaction's number
     * @throws SQLException if a statement fails
     */
    String write(Connection connection, @Nullable Long version) throws SQLException;
}
