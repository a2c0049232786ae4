package io.sagaspring.entity;

import java.util.Set;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.jspecify.annotations.Nullable;

/** The reading of an entity's version. */
final class VersionMapping {

    private static final Set<Class<?>> VERSIONS =
            Set.of(Long.class, Integer.class, Short.class, java.math.BigInteger.class, Byte.class);

    private final MappedEntity entity;

    VersionMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /** Returns the mapping of the version, or null if it is not supported. */
    @Nullable
    EntityVersionMapping version() {
        EntityVersionMapping version = entity.persister().getVersionMapping();
        if (version == null || entity.persister().optimisticLockStyle() == OptimisticLockStyle.NONE) {
            entity.refuse("has no @Version, so nothing would stop two callers. Add a numeric one.");
            return null;
        }
        JdbcMapping mapping = version.getSingleJdbcMapping();
        if (mapping.getValueConverter() != null
                || !VERSIONS.contains(mapping.getJavaTypeDescriptor().getJavaTypeClass())) {
            entity.refuse(
                    "has a @Version of type %s. It must be a whole number, because two changes may have the same time."
                            .formatted(mapping.getJavaTypeDescriptor()
                                    .getJavaTypeClass()
                                    .getSimpleName()));
            return null;
        }
        return version;
    }
}
