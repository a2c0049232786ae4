package io.sagaspring.entity;

import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

/**
 * A transaction in which the application's code works on an entity.
 *
 * @since 0.1.0
 */
public interface ForeignTransaction {

    /**
     * Returns the status of the transaction.
     *
     * @return the status, by which the transaction can be marked for rollback
     */
    TransactionStatus status();

    /**
     * Finds the connection of the transaction.
     *
     * @return the connection, or null if the transaction has none at this moment
     */
    @Nullable
    Connection connection();

    /**
     * Loads an entity from the database, bypassing all caches.
     *
     * @param id the entity's id
     * @param known the row as the library has just committed it, or null if it is not known
     * @return the entity, or empty if there is none
     */
    Optional<LoadedEntity> load(Object id, @Nullable EntityRow known);

    /**
     * Finds an entity without loading it, for the application's code that needs only its id.
     *
     * @param id the entity's id
     * @param known the row as the library has just committed it, or null if it is not known
     * @return the entity, which has the id in place of a loaded instance, or empty if there is no such entity
     */
    Optional<LoadedEntity> identify(Object id, @Nullable EntityRow known);

    /**
     * Finds an entity, and checks that it has the status and the version that a step expects.
     *
     * @param expected the id, status and version of the entity
     * @param whole true to load the entity, false if the application's code needs only its id
     * @return the entity, or empty if there is none
     * @throws LoadedEntity.MovedException if the entity has another status
     * @throws LoadedEntity.EditedException if the entity has another version
     */
    default Optional<LoadedEntity> find(ExpectedEntity expected, boolean whole) {
        Optional<LoadedEntity> found =
                whole ? load(expected.id(), expected.known()) : identify(expected.id(), expected.known());
        found.ifPresent(expected::requireOf);
        return found;
    }
}
