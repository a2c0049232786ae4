package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.List;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;

/**
 * An entity class with its mapping. This object collects every part of the mapping that is not supported.
 *
 * @param type the class
 * @param unit its persistence unit
 * @param persister its mapping
 * @param refusals a sentence for each unsupported part
 */
record MappedEntity(Class<?> type, PersistenceUnit unit, EntityPersister persister, List<String> refusals) {

    MappedEntity(Class<?> type, PersistenceUnit unit, EntityPersister persister) {
        this(type, unit, persister, new ArrayList<>());
    }

    SessionFactoryImplementor factory() {
        return unit.sessionFactory();
    }

    void refuse(String predicate) {
        refusals.add("Entity %s %s".formatted(type.getName(), predicate));
    }

    void requireSupported() {
        if (!refusals.isEmpty()) {
            throw new UnsupportedMappingException(refusals);
        }
    }
}
