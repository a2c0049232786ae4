package io.sagaspring.entity;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An entity as a step expects to find it.
 *
 * @param id the entity's id
 * @param status the status that the entity must have
 * @param version the version that the entity must have, or empty to accept any version
 * @param claimed true if the library has just committed a row with this status and version
 * @since 0.1.0
 */
public record ExpectedEntity(Object id, String status, OptionalLong version, boolean claimed) {

    /** Returns the row as the library has just committed it, or null if it is not known. */
    @Nullable
    EntityRow known() {
        return claimed ? new EntityRow(status, version.orElseThrow()) : null;
    }

    void requireOf(LoadedEntity entity) {
        entity.requireStatus(status);
        version.ifPresent(entity::requireVersion);
    }
}
