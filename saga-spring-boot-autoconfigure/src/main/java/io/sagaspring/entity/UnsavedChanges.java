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
 * The changes of a persistence context that are not saved. An attribute whose class has no {@code equals} looks changed to
 * JPA as soon as it is loaded: it counts only if the database would be given something else.
 */
final class UnsavedChanges {

    private final SessionImplementor session;
    private final List<String> changed = new ArrayList<>();
    private final List<Runnable> restore = new ArrayList<>();

    private UnsavedChanges(SessionImplementor session) {
        this.session = session;
    }

    /** The changed attributes, or null if nothing has changed. The list is empty where whole entities or collections have. */
    static @Nullable List<String> of(Session session) {
        return session.isDirty() ? new UnsavedChanges(session.unwrap(SessionImplementor.class)).find() : null;
    }

    private @Nullable List<String> find() {
        for (Map.Entry<Object, EntityEntry> each :
                session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
            compare(each.getKey(), each.getValue());
        }
        // What is written alike now counts as unchanged. Is there anything else?
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
            if (isWrittenAlike(persister, name, was, is)) {
                loaded[attribute] = is;
                restore.add(() -> loaded[attribute] = was);
            } else {
                changed.add("%s.%s%s".formatted(persister.getMappedClass().getSimpleName(), name, hint(is)));
            }
        }
    }

    private boolean isWrittenAlike(EntityPersister persister, String name, @Nullable Object was, @Nullable Object is) {
        return was != null
                && is != null
                && persister.findAttributeMapping(name) instanceof BasicValuedModelPart basic
                && isConverted(basic.getSingleJdbcMapping())
                && Objects.equals(
                        written(basic.getSingleJdbcMapping(), was), written(basic.getSingleJdbcMapping(), is));
    }

    /** Without a converter, only the attribute's own class would say whether it is equal, and its type has said that it is not. */
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
                : " (%s has no equals, so JPA takes it for changed in any case)"
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
