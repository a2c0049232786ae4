package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.hibernate.Session;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * The unsaved changes of a persistence context. JPA treats an attribute whose class has no {@code equals} as changed as
 * soon as it is loaded. If the attribute has a converter or is JSON, this class treats it as changed only if a
 * different value would be written.
 */
final class UnsavedChanges {

    private final SessionImplementor session;
    private final List<String> changed = new ArrayList<>();
    private final List<Runnable> restore = new ArrayList<>();

    private UnsavedChanges(SessionImplementor session) {
        this.session = session;
    }

    /**
     * Returns the changed attributes, or null if there is no change. The list is empty if only whole entities or
     * collections have changed.
     */
    static @Nullable List<String> of(Session session) {
        return session.isDirty() ? new UnsavedChanges(session.unwrap(SessionImplementor.class)).find() : null;
    }

    private @Nullable List<String> find() {
        for (Map.Entry<Object, EntityEntry> each :
                session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
            compare(each.getKey(), each.getValue());
        }
        // Hibernate now treats the attributes with the same written value as unchanged. Check whether anything else has
        // changed.
        if (changed.isEmpty() && !restore.isEmpty() && !session.isDirty()) {
            return null;
        }
        restore.forEach(Runnable::run);
        return changed;
    }

    private void compare(Object instance, EntityEntry entry) {
        Object[] loaded = entry.getLoadedState();
        if (loaded == null || entry.getStatus() != Status.MANAGED) {
            return;
        }
        EntityPersister persister = entry.getPersister();
        Object[] current = persister.getValues(instance);
        int[] dirty = persister.findDirty(current, loaded, instance, session);
        for (int attribute : dirty == null ? new int[0] : dirty) {
            Object was = loaded[attribute];
            Object is = current[attribute];
            String name = persister.getPropertyNames()[attribute];
            if (hasSameWrittenValue(persister, name, was, is)) {
                loaded[attribute] = is;
                restore.add(() -> loaded[attribute] = was);
            } else {
                changed.add("%s.%s%s".formatted(persister.getMappedClass().getSimpleName(), name, hint(is)));
            }
        }
    }

    private boolean hasSameWrittenValue(
            EntityPersister persister, String name, @Nullable Object was, @Nullable Object is) {
        return was != null
                && is != null
                && persister.findAttributeMapping(name) instanceof BasicValuedModelPart basic
                && isConverted(basic.getSingleJdbcMapping())
                && Objects.equals(
                        written(basic.getSingleJdbcMapping(), was), written(basic.getSingleJdbcMapping(), is));
    }

    /**
     * Returns true if the mapping converts the value. Without a conversion, only the attribute's type decides whether
     * two values are equal.
     */
    private static boolean isConverted(JdbcMapping mapping) {
        return mapping.getValueConverter() != null || mapping.getJdbcType().isJson();
    }

    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    private @Nullable Object written(JdbcMapping mapping, Object value) {
        Object relational = mapping.convertToRelationalValue(value);
        return relational != null && mapping.getJdbcType().isJson()
                ? session.getFactory()
                        .getSessionFactoryOptions()
                        .getJsonFormatMapper()
                        .toString(
                                relational,
                                (JavaType<Object>) mapping.getJdbcJavaType(),
                                session.getFactory().getWrapperOptions())
                : relational;
    }

    private static String hint(@Nullable Object value) {
        return value == null || hasEquals(value.getClass())
                ? ""
                : " (%s has no equals, so JPA always considers it changed)"
                        .formatted(value.getClass().getSimpleName());
    }

    private static boolean hasEquals(Class<?> type) {
        try {
            return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException impossible) {
            return true;
        }
    }
}
