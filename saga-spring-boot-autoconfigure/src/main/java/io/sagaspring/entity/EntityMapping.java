package io.sagaspring.entity;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.generator.internal.TenantIdGeneration;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EntityIdentifierMapping;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.TableDetails;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.SingleTableEntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.hibernate.type.CustomType;
import org.hibernate.type.descriptor.jdbc.JdbcLiteralFormatter;
import org.jspecify.annotations.Nullable;

/** The reading of an entity's mapping. It collects everything in the mapping that is not supported. */
final class EntityMapping {

    private static final Set<Class<?>> NUMBERS =
            Set.of(Long.class, Integer.class, Short.class, java.math.BigInteger.class);
    private static final Set<Class<?>> VERSIONS =
            Set.of(Long.class, Integer.class, Short.class, java.math.BigInteger.class, Byte.class);

    private final Class<?> entity;
    private final PersistenceUnit unit;
    private final SessionFactoryImplementor factory;
    private final EntityPersister persister;
    private final List<String> refusals = new ArrayList<>();

    EntityMapping(Class<?> entity, PersistenceUnit unit, EntityPersister persister) {
        this.entity = entity;
        this.unit = unit;
        this.factory = unit.sessionFactory();
        this.persister = persister;
    }

    EntityTable table(String statusProperty, Collection<String> names) {
        refuseUnsupportedUpdates();
        JdbcMapping id = id();
        EntityVersionMapping version = version();
        AttributeMapping attribute = persister.findAttributeMapping(statusProperty);
        Statuses statuses = new Statuses(entity, Map.of(), null);
        if (attribute instanceof BasicValuedModelPart status) {
            statuses = statuses(status, attribute, statusProperty, names);
        } else {
            refuse(
                    "has no basic property '%s' to hold its status. Name the property with 'status-property'; there are %s."
                            .formatted(statusProperty, basicProperties()));
        }
        MappedColumns columns = null;
        if (refusals.isEmpty() && version != null && attribute instanceof BasicValuedModelPart status) {
            columns = columns(version, status);
        }
        if (columns == null || id == null || attribute == null || !refusals.isEmpty()) {
            throw new UnsupportedMappingException(refusals);
        }
        return new EntityTable(entity, unit, columns, attribute, id, statuses);
    }

    /** Refuses the features that change the meaning of an update. */
    private void refuseUnsupportedUpdates() {
        if (!persister.isMutable()) {
            refuse("is immutable, so its status could never change.");
        }
        if (persister.optimisticLockStyle() != OptimisticLockStyle.VERSION
                && persister.optimisticLockStyle() != OptimisticLockStyle.NONE) {
            refuse("uses @OptimisticLocking of type %s. Only a numeric @Version is supported."
                    .formatted(persister.optimisticLockStyle()));
        }
        if (persister.getSoftDeleteMapping() != null) {
            refuse("uses @SoftDelete, which a claim would not see. Mark deleted rows with a property of your own.");
        }
        if (persister instanceof AbstractEntityPersister abstractPersister
                && abstractPersister.hasWhereRestrictions()) {
            refuse("has an @SQLRestriction, which a claim would not see.");
        }
        if (factory.getSessionFactoryOptions().isMultiTenancyEnabled()) {
            refuse("belongs to a persistence unit with multi-tenancy. A sweep would not know whose rows to free.");
        }
        if (Stream.of(persister.getPropertyNames())
                .map(persister::findAttributeMapping)
                .anyMatch(attribute -> attribute != null && attribute.getGenerator() instanceof TenantIdGeneration)) {
            refuse("has a @TenantId. A sweep would not know whose rows to free.");
        }
        // The persister decides, and not the discriminator: a joined hierarchy may have a discriminator, too.
        if (persister instanceof SingleTableEntityPersister && persister.getSuperMappingType() != null) {
            refuse(
                    "shares its table with its sibling classes. Configure the workflow for %s, the root of the hierarchy."
                            .formatted(persister.getRootEntityName()));
        }
    }

    private @Nullable JdbcMapping id() {
        EntityIdentifierMapping mapping = persister.getIdentifierMapping();
        if (!(mapping instanceof BasicValuedModelPart)) {
            refuse("has a composite id. Supported are single ids: numbers, UUID, String.");
            return null;
        }
        JdbcMapping id = mapping.getSingleJdbcMapping();
        Class<?> type = id.getJavaTypeDescriptor().getJavaTypeClass();
        if (id.getValueConverter() != null || !(NUMBERS.contains(type) || type == UUID.class || type == String.class)) {
            refuse("has an id of type %s%s. Supported are numbers, UUID and String."
                    .formatted(type.getSimpleName(), id.getValueConverter() == null ? "" : " with a converter"));
            return null;
        }
        if (id.getJdbcType().isBinary()) {
            // The ledger identifies an entity by the text of its id, and the database would spell the bytes
            // differently.
            refuse("has an id of type %s that is stored as bytes. Store it as it is.".formatted(type.getSimpleName()));
            return null;
        }
        return id;
    }

    private @Nullable EntityVersionMapping version() {
        EntityVersionMapping version = persister.getVersionMapping();
        if (version == null || persister.optimisticLockStyle() == OptimisticLockStyle.NONE) {
            refuse("has no @Version, so nothing would stop two callers. Add a numeric one.");
            return null;
        }
        JdbcMapping mapping = version.getSingleJdbcMapping();
        if (mapping.getValueConverter() != null
                || !VERSIONS.contains(mapping.getJavaTypeDescriptor().getJavaTypeClass())) {
            refuse("has a @Version of type %s. It must be a whole number, because two changes may have the same time."
                    .formatted(
                            mapping.getJavaTypeDescriptor().getJavaTypeClass().getSimpleName()));
            return null;
        }
        return version;
    }

    private Statuses statuses(
            BasicValuedModelPart status, AttributeMapping attribute, String property, Collection<String> names) {
        JdbcMapping mapping = status.getSingleJdbcMapping();
        Class<?> type = mapping.getJavaTypeDescriptor().getJavaTypeClass();
        String alteredBy = mapping.getValueConverter() != null
                ? " with a converter"
                : mapping instanceof CustomType<?> ? " with a type of its own" : "";
        if (!alteredBy.isEmpty() || !(type.isEnum() || type == String.class)) {
            refuse("has a status '%s' of type %s%s. Supported are enums and String, stored as they are."
                    .formatted(property, type.getSimpleName(), alteredBy));
            return new Statuses(entity, Map.of(), null);
        }
        if (status.isFormula() || !attribute.getAttributeMetadata().isUpdatable() || isTransformed(status)) {
            refuse("has a status '%s' that is computed, transformed or not updatable.".formatted(property));
        }
        if (!attribute.getAttributeMetadata().isIncludedInOptimisticLocking()) {
            refuse(
                    "excludes its status '%s' from optimistic locking, so a change of the status would not raise the version."
                            .formatted(property));
        }
        return type.isEnum()
                ? new Statuses(entity, constants(mapping, type, property, names), null)
                : new Statuses(entity, Map.of(), name -> new Statuses.Value(name, literal(mapping, name), name));
    }

    /**
     * Returns true if a custom expression reads or writes the column. Hibernate's own ones are an alias and a question
     * mark.
     */
    private static boolean isTransformed(BasicValuedModelPart status) {
        String read = status.getCustomReadExpression();
        String write = status.getCustomWriteExpression();
        return (read != null && !read.equals("{@}." + status.getSelectionExpression()))
                || (write != null && !write.equals("?"));
    }

    private Map<String, Statuses.Value> constants(
            JdbcMapping mapping, Class<?> type, String property, Collection<String> names) {
        Map<String, Statuses.Value> values = new LinkedHashMap<>();
        boolean ordinal = mapping.getJdbcType().isNumber();
        Object[] constants = type.getEnumConstants();
        for (int position = 0; position < constants.length; position++) {
            String name = ((Enum<?>) constants[position]).name();
            values.put(
                    name,
                    new Statuses.Value(
                            constants[position],
                            literal(mapping, constants[position]),
                            ordinal ? Integer.toString(position) : name));
        }
        List<String> unknown =
                names.stream().filter(name -> !values.containsKey(name)).toList();
        if (!unknown.isEmpty()) {
            refuse("cannot be in %s: its status '%s' is a %s, which has %s."
                    .formatted(unknown, property, type.getSimpleName(), values.keySet()));
        }
        return values;
    }

    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    private String literal(JdbcMapping mapping, Object value) {
        return ((JdbcLiteralFormatter<Object>) mapping.getJdbcLiteralFormatter())
                .toJdbcLiteral(value, factory.getJdbcServices().getDialect(), factory.getWrapperOptions());
    }

    private @Nullable MappedColumns columns(EntityVersionMapping version, BasicValuedModelPart status) {
        String versionTable = version.getContainingTableExpression();
        String statusTable = status.getContainingTableExpression();
        String ownTable = persister.getMappedTableDetails().getTableName();
        if (persister instanceof UnionSubclassEntityPersister union && !persister.hasSubclasses()) {
            // The class's own table also holds the inherited columns, but their mapping names the table of the
            // superclass.
            versionTable = union.getTableName();
            statusTable = versionTable;
            ownTable = versionTable;
        }
        if (Stream.of(versionTable, statusTable, ownTable).anyMatch(table -> table.startsWith("("))) {
            refuse("is spread over a table for each of its classes. Configure the workflow for one of those.");
            return null;
        }
        boolean own = ownTable.equals(versionTable) || ownTable.equals(statusTable);
        return new MappedColumns(
                versionTable,
                keyOf(versionTable),
                version.getSelectionExpression(),
                statusTable,
                keyOf(statusTable),
                status.getSelectionExpression(),
                own ? null : ownTable,
                own ? null : keyOf(ownTable));
    }

    private String keyOf(String table) {
        List<String> keys = new ArrayList<>();
        persister.forEachTableDetails(details -> addKey(details, table, keys));
        return keys.isEmpty() ? persister.getIdentifierColumnNames()[0] : keys.get(0);
    }

    private static void addKey(TableDetails details, String table, List<String> keys) {
        if (details.getTableName().equals(table)) {
            keys.add(details.getKeyDetails().getKeyColumn(0).getColumnName());
        }
    }

    private String basicProperties() {
        return Stream.of(persister.getPropertyNames())
                .filter(name -> persister.findAttributeMapping(name) instanceof BasicValuedModelPart)
                .collect(joining(", "));
    }

    private void refuse(String predicate) {
        refusals.add("Entity %s %s".formatted(entity.getName(), predicate));
    }
}
