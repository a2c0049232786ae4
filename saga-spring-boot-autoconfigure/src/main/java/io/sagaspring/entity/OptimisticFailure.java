package io.sagaspring.entity;

import jakarta.persistence.OptimisticLockException;
import java.util.Objects;
import org.hibernate.Hibernate;
import org.hibernate.StaleObjectStateException;
import org.hibernate.persister.entity.EntityPersister;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** Recognizes failures that report that another transaction has changed the entity of a step. */
final class OptimisticFailure {

    private OptimisticFailure() {}

    static boolean isAbout(MappedTable entity, Object id, Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 50; depth++, cause = cause.getCause()) {
            if (cause instanceof ObjectOptimisticLockingFailureException spring
                    && Objects.deepEquals(id, spring.getIdentifier())
                    && isCalled(entity, String.valueOf(spring.getPersistentClassName()))) {
                return true;
            }
            if (cause instanceof StaleObjectStateException stale
                    && Objects.deepEquals(id, stale.getIdentifier())
                    && isCalled(entity, stale.getEntityName())) {
                return true;
            }
            if (cause instanceof OptimisticLockException jpa
                    && jpa.getEntity() != null
                    && isInstance(entity, jpa.getEntity(), id)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInstance(MappedTable entity, Object instance, Object id) {
        Object found = Hibernate.unproxy(instance);
        return entity.entity().isInstance(found)
                && Objects.deepEquals(
                        id,
                        entity.unit().sessionFactory().getPersistenceUnitUtil().getIdentifier(found));
    }

    /** Returns true if the name that JPA reports is that of the entity or of a subclass. */
    private static boolean isCalled(MappedTable entity, String name) {
        EntityPersister found =
                entity.unit().sessionFactory().getMappingMetamodel().findEntityDescriptor(name);
        return found != null && entity.entity().isAssignableFrom(found.getMappedClass());
    }
}
