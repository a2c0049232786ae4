package io.sagaspring.entity;

import java.util.Collection;
import java.util.Objects;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.persister.entity.EntityPersister;

/** Reads an entity's mapping. Everything in the mapping that is not supported is collected. */
final class EntityMapping {

    private final MappedEntity entity;
    private final boolean writesLastModified;

    EntityMapping(Class<?> type, PersistenceUnit unit, EntityPersister persister, boolean writesLastModified) {
        this.writesLastModified = writesLastModified;
        this.entity = new MappedEntity(type, unit, persister);
    }

    MappedTable table(String statusProperty, Collection<String> names) {
        RowMapping rows = new RowMapping(entity);
        rows.refuseUnsupportedUpdates();
        MappedId id = new IdMapping(entity).id();
        EntityVersionMapping version = new VersionMapping(entity).version();
        StatusMapping.MappedStatus status = new StatusMapping(entity).status(statusProperty, names);
        entity.requireSupported();
        MappedColumns columns = rows.columns(
                id,
                Objects.requireNonNull(version),
                Objects.requireNonNull(status).column());
        entity.requireSupported();
        Objects.requireNonNull(columns);
        LastModified modified = writesLastModified ? new LastModifiedMapping(entity).in(columns) : LastModified.NONE;
        entity.requireSupported();
        return new MappedTable(
                new TableParts(
                        entity.type(),
                        entity.unit().own(),
                        entity.unit().tenants(),
                        columns,
                        Objects.requireNonNull(id),
                        status.statuses(),
                        modified),
                entity.unit(),
                status.property(),
                null);
    }
}
