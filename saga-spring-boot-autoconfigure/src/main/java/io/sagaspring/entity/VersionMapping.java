package io.sagaspring.entity;

import java.util.Set;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.jspecify.annotations.Nullable;

/** Reads the mapping of an entity's version. */
final class VersionMapping {

    private static final Set<Class<?>> VERSIONS =
            Set.of(Long.class, Integer.class, Short.class, java.math.BigInteger.class, Byte.class);

    private final MappedEntity entity;

    VersionMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /**
     * Returns the mapping of the version. Refuses the entity and returns null if the version is missing or not
     * supported.
     */
    @Nullable
    EntityVersionMapping version() {
        EntityVersionMapping version = entity.persister().getVersionMapping();
        if (version == null || entity.persister().optimisticLockStyle() == OptimisticLockStyle.NONE) {
            entity.refuse("has no @Version, so two callers could change the same row. Add a @Version.");
            return null;
        }
        JdbcMapping mapping = version.getSingleJdbcMapping();
        Class<?> type = mapping.getJavaTypeDescriptor().getJavaTypeClass();
        if (mapping.getValueConverter() != null || !(VERSIONS.contains(type) || isTime(mapping))) {
            entity.refuse("has a @Version of type %s%s. It must be a whole number, or a time in a timestamp column."
                    .formatted(type.getSimpleName(), mapping.getValueConverter() == null ? "" : " with a converter"));
            return null;
        }
        return version;
    }

    private static boolean isTime(JdbcMapping mapping) {
        return VersionTime.TYPES.contains(mapping.getJavaTypeDescriptor().getJavaTypeClass())
                && VersionTime.isTimestamp(mapping.getJdbcType().getDefaultSqlTypeCode());
    }

    /**
     * Returns the column of a supported version.
     *
     * @param entity the entity
     * @param version the mapping of its version
     * @param table the table that holds the column
     */
    static VersionColumn column(MappedEntity entity, EntityVersionMapping version, String table) {
        JdbcMapping mapping = version.getSingleJdbcMapping();
        String name = version.getSelectionExpression();
        return new VersionColumn(
                name,
                isTime(mapping)
                        ? new VersionTime(
                                entity.unit(),
                                table,
                                name,
                                mapping.getJdbcType().getDefaultSqlTypeCode())
                        : null);
    }
}
