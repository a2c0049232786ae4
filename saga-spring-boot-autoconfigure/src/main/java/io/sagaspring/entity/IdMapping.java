package io.sagaspring.entity;

import java.util.Set;
import java.util.UUID;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EntityIdentifierMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.jspecify.annotations.Nullable;

/** The reading of an entity's id. */
final class IdMapping {

    private static final Set<Class<?>> NUMBERS =
            Set.of(Long.class, Integer.class, Short.class, java.math.BigInteger.class);

    private final MappedEntity entity;

    IdMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /** Returns the mapping of the id, or null if it is not supported. */
    @Nullable
    JdbcMapping id() {
        EntityIdentifierMapping mapping = entity.persister().getIdentifierMapping();
        if (!(mapping instanceof BasicValuedModelPart)) {
            entity.refuse("has a composite id. Supported are single ids: numbers, UUID, String.");
            return null;
        }
        JdbcMapping id = mapping.getSingleJdbcMapping();
        Class<?> type = id.getJavaTypeDescriptor().getJavaTypeClass();
        if (id.getValueConverter() != null || !(NUMBERS.contains(type) || type == UUID.class || type == String.class)) {
            entity.refuse("has an id of type %s%s. Supported are numbers, UUID and String."
                    .formatted(type.getSimpleName(), id.getValueConverter() == null ? "" : " with a converter"));
            return null;
        }
        if (id.getJdbcType().isBinary()) {
            // The ledger identifies an entity by the text of its id, and the database would spell the bytes
            // differently.
            entity.refuse(
                    "has an id of type %s that is stored as bytes. Store it as it is.".formatted(type.getSimpleName()));
            return null;
        }
        return id;
    }
}
