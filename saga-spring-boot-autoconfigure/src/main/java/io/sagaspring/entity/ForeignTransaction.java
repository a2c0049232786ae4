package io.sagaspring.entity;

import java.sql.Connection;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

/**
 * A transaction in which foreign code works on an entity.
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
     * @return the entity, or empty if there is none
     */
    Optional<LoadedEntity> load(Object id);

    /**
     * Loads an entity that must have the expected status and version.
     *
     * @param id the entity's id
     * @param status the status that the entity must have
     * @param version the version that the entity must have, or empty to accept any version
     * @return the entity, or empty if there is none
     * @throws LoadedEntity.MovedException if the entity has another status
     * @throws LoadedEntity.EditedException if the entity has another version
     */
    default Optional<LoadedEntity> load(Object id, String status, OptionalLong version) {
        Optional<LoadedEntity> loaded = load(id);
        loaded.ifPresent(entity -> {
            entity.requireStatus(status);
            version.ifPresent(entity::requireVersion);
        });
        return loaded;
    }
}
