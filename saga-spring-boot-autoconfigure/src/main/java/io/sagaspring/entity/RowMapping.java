package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.metamodel.mapping.TableDetails;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.jspecify.annotations.Nullable;

/** Reads the mapping of an entity's tables, and the features that hide rows or change the meaning of an update. */
final class RowMapping {

    private final MappedEntity entity;

    RowMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /**
     * Returns true if a row of a table that two classes share may be an entity of both classes. Two siblings in one
     * hierarchy share no entities.
     */
    static boolean mayBeOne(EntityPersister one, EntityPersister other) {
        return !one.getRootEntityName().equals(other.getRootEntityName())
                || one.getMappedClass().isAssignableFrom(other.getMappedClass())
                || other.getMappedClass().isAssignableFrom(one.getMappedClass());
    }

    /** Refuses the features that change the meaning of an update. */
    void refuseUnsupportedUpdates() {
        if (!entity.persister().isMutable()) {
            entity.refuse("is immutable, so its status could never change. Make the entity mutable.");
        }
        if (entity.persister().optimisticLockStyle() != OptimisticLockStyle.VERSION
                && entity.persister().optimisticLockStyle() != OptimisticLockStyle.NONE) {
            entity.refuse("uses @OptimisticLocking of type %s. Only a @Version is supported."
                    .formatted(entity.persister().optimisticLockStyle()));
        }
        new TenantMapping(entity).refuseUnsupported();
    }

    /** Returns the columns, or null if the entities of this class and of its subclasses are in separate tables. */
    @Nullable
    MappedColumns columns(MappedId id, EntityVersionMapping version, BasicValuedModelPart status) {
        String versionTable = version.getContainingTableExpression();
        String statusTable = status.getContainingTableExpression();
        String ownTable = entity.persister().getMappedTableDetails().getTableName();
        if (entity.persister() instanceof UnionSubclassEntityPersister union
                && !entity.persister().hasSubclasses()) {
            // Use the class's own table, which also holds the inherited columns. The mapping of these columns names the
            // superclass's table.
            versionTable = union.getTableName();
            statusTable = versionTable;
            ownTable = versionTable;
        }
        if (Stream.of(versionTable, statusTable, ownTable).anyMatch(table -> table.startsWith("("))) {
            entity.refuse(
                    "is stored in a separate table for each class of its hierarchy. Configure the workflow for one of these classes.");
            return null;
        }
        boolean own = ownTable.equals(versionTable) || ownTable.equals(statusTable);
        return new MappedColumns(
                versionTable,
                keyOf(versionTable),
                VersionMapping.column(entity, version, versionTable),
                statusTable,
                keyOf(statusTable),
                status.getSelectionExpression(),
                own ? null : ownTable,
                own ? null : keyOf(ownTable),
                new RowVisibility(entity)
                        .predicates(new TenantMapping(entity).column(version, id, keyOf(versionTable))));
    }

    private KeyColumns keyOf(String table) {
        List<KeyColumns> keys = new ArrayList<>();
        entity.persister().forEachTableDetails(details -> addKey(details, table, keys));
        return keys.isEmpty() ? new KeyColumns(List.of(entity.persister().getIdentifierColumnNames())) : keys.get(0);
    }

    private static void addKey(TableDetails details, String table, List<KeyColumns> keys) {
        if (details.getTableName().equals(table)) {
            keys.add(new KeyColumns(details.getKeyDetails().getKeyColumns().stream()
                    .map(TableDetails.KeyColumn::getColumnName)
                    .toList()));
        }
    }
}
