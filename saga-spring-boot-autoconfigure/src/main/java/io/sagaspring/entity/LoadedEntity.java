package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * An entity in a transaction of the application's code. If the entity was loaded, it was read from the database and not
 * from a cache, because a statement of the library may just have changed its row.
 *
 * @since 0.1.0
 */
public abstract sealed class LoadedEntity permits ManagedEntity, UnmanagedEntity {

    LoadedEntity() {}

    /** Signals that the entity was modified concurrently. */
    public static final class EditedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EditedException(@Nullable Throwable cause) {
            super("Another transaction has changed the entity that the step was about to write.", cause, false, false);
        }
    }

    /** Signals that the entity does not have the status that the caller requires. */
    public static final class MovedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final String status;

        MovedException(String status) {
            super("The entity is in status '%s'.".formatted(status), null, false, false);
            this.status = status;
        }

        /** {@return the status of the entity} */
        public String status() {
            return status;
        }
    }

    /**
     * The result of an entity's last flip in the transaction.
     *
     * @param removed true if the application's code has removed the entity, so that there was nothing to flip
     * @param version the new version, or null if the library did not write the status itself
     */
    record Flipped(boolean removed, @Nullable Long version) {

        /** The result if JPA writes the status. */
        static final Flipped BY_JPA = new Flipped(false, null);

        /** The result if the application's code has removed the entity. */
        static final Flipped REMOVED = new Flipped(true, null);

        static Flipped to(long version) {
            return new Flipped(false, version);
        }
    }

    /**
     * Returns the object that the application's code works on. This call may run the application's code to load the
     * object.
     *
     * @return the entity, or its id if the application's code needs only the id; empty if the application's own code
     *     does not find it
     */
    public abstract Optional<Object> instance();

    /**
     * Returns the status with which the entity was loaded, or that the application's code has set in memory since then.
     *
     * @return the status's name
     */
    abstract String status();

    /**
     * Requires a status. This check only avoids work that would be rolled back. The claim's token protects the entity.
     *
     * @param expected the status's name
     * @throws MovedException if the entity has another status
     */
    final void requireStatus(String expected) {
        String status = status();
        if (!status.equals(expected)) {
            throw new MovedException(status);
        }
    }

    /**
     * Requires the version that the caller has seen.
     *
     * @param expected the version that the caller has seen
     * @throws EditedException if the entity has another version
     */
    abstract void requireVersion(long expected);

    /**
     * Finds the entity again after the application's code has run.
     *
     * @return this entity; or the entity loaded again, if the application's code has detached this one; or empty if the
     *     entity was removed
     */
    abstract Optional<LoadedEntity> current();

    /**
     * Requires that no other transaction has changed the entity since it was first loaded.
     *
     * @param first the entity as it was first loaded
     * @throws EditedException if another transaction has written another version
     */
    abstract void requireUneditedSince(LoadedEntity first);

    /**
     * Moves the entity to its new status after the application's code has run, even if that code has detached the
     * entity. The status is written directly before the commit, followed by the last statements of the step.
     *
     * @param from the status that the entity must still have if the application's code has detached it
     * @param into the new status
     * @param last the last statements of the step
     * @throws MovedException if the entity was detached and has another status now
     * @throws EditedException if another transaction has changed the entity
     */
    public final void moveOn(String from, String into, LastStatements last) {
        current().ifPresentOrElse(entity -> entity.moveOnSince(this, from, into), last::requireRemovable);
        TransactionSynchronizationManager.registerSynchronization(new EntityCommit(this, last));
    }

    private void moveOnSince(LoadedEntity first, String from, String into) {
        if (first != this) {
            requireStatus(from);
            requireUneditedSince(first);
        }
        moveTo(into);
    }

    /**
     * Sets the entity's status. The status is written with the next {@link #flushThen}, with a new version.
     *
     * @param name the status
     * @throws EditedException if this method had to increment the version, and another transaction has already
     * incremented it
     */
    abstract void moveTo(String name);

    /**
     * Writes the status, unless JPA has written it. Call this method in the statements of {@link #flushThen}.
     *
     * @param connection the connection on which these statements run
     * @return the result of the flip
     * @throws EditedException if another transaction has changed this same entity
     * @throws SQLException if a statement fails
     */
    abstract Flipped flip(Connection connection) throws SQLException;

    /**
     * Returns true if a failure reports that another transaction has changed this same entity. Call this method after
     * the rollback.
     *
     * @param failure the exception of the application's code
     * @return true if the failure is an optimistic-locking failure on this entity
     */
    public abstract boolean isEdited(Throwable failure);

    /**
     * Writes all pending changes, and then runs statements of the library in the same transaction.
     *
     * @param statements the statements, which run on the transaction's connection
     * @param <T> the type of the result
     * @return the result of the statements
     * @throws EditedException if another transaction has changed this same entity
     */
    abstract <T extends @Nullable Object> T flushThen(OwnTransactions.Work<T> statements);

    /** Evicts the entity from the caches of this node. */
    abstract void forgetCached();
}
