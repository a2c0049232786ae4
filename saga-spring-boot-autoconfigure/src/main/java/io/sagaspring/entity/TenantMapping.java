package io.sagaspring.entity;

import java.beans.Introspector;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hibernate.annotations.TenantId;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.generator.internal.TenantIdGeneration;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.type.descriptor.ValueBinder;
import org.jspecify.annotations.Nullable;

/** Reads the mapping of an entity's tenant. */
final class TenantMapping {

    private static final String REMEDY =
            "and the application has no TenantContext. Declare a bean of this type, so that the library can handle each claim in the context of its tenant.";

    private static final Pattern GETTER = Pattern.compile("^(get|is)(?=\\p{Lu})");

    private final MappedEntity entity;

    TenantMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /** Refuses an entity that belongs to tenants if the library cannot work for each of these tenants. */
    void refuseUnsupported() {
        SessionFactoryOptions options = entity.factory().getSessionFactoryOptions();
        if (options.getTenantSchemaMapper() != null || options.getTenantCredentialsMapper() != null) {
            entity.refuse(
                    "belongs to a persistence unit with a TenantSchemaMapper or a TenantCredentialsMapper. Use a MultiTenantConnectionProvider.");
        }
        if (entity.unit().tenants().areNone()) {
            if (options.isMultiTenancyEnabled()) {
                entity.refuse("belongs to a persistence unit with multi-tenancy, " + REMEDY);
            }
            if (isOfATenant()) {
                entity.refuse("has a @TenantId, " + REMEDY);
            }
        }
    }

    private boolean isOfATenant() {
        return attribute().isPresent() || names().findAny().isPresent();
    }

    private Optional<AttributeMapping> attribute() {
        return Stream.of(entity.persister().getPropertyNames())
                .map(entity.persister()::findAttributeMapping)
                .filter(attribute -> attribute != null && attribute.getGenerator() instanceof TenantIdGeneration)
                .findFirst();
    }

    /**
     * Returns the names of the properties of the entity and of its id that have the annotation {@code @TenantId}. Reads
     * the annotation itself, because the parts of an id have no generator that would show the annotation.
     */
    private Stream<String> names() {
        Class<?> idType =
                entity.persister().getIdentifierMapping().getJavaType().getJavaTypeClass();
        return Stream.concat(members(entity.type()), members(idType)).distinct();
    }

    private static Stream<String> members(Class<?> type) {
        Stream<String> own = Stream.concat(
                Arrays.stream(type.getDeclaredFields())
                        .filter(TenantMapping::isTenant)
                        .map(Field::getName),
                Arrays.stream(type.getDeclaredMethods())
                        .filter(TenantMapping::isTenant)
                        .map(method -> Introspector.decapitalize(
                                GETTER.matcher(method.getName()).replaceFirst(""))));
        return type.getSuperclass() == null ? own : Stream.concat(own, members(type.getSuperclass()));
    }

    private static boolean isTenant(AnnotatedElement member) {
        return member.isAnnotationPresent(TenantId.class);
    }

    /**
     * Returns the column of the tenant, or null if the entity has no {@code @TenantId}.
     *
     * @param version the mapping of the version
     * @param id the id
     * @param key the columns of the id in the version's table
     */
    @Nullable
    TenantColumn column(EntityVersionMapping version, MappedId id, KeyColumns key) {
        Optional<AttributeMapping> attribute = attribute();
        if (attribute.isPresent()) {
            BasicValuedModelPart part = (BasicValuedModelPart) attribute.get();
            SelectableMapping column = part.getSelectable(0);
            if (column.isFormula()
                    || !column.getContainingTableExpression().equals(version.getContainingTableExpression())) {
                entity.refuse(
                        "has a @TenantId that is not a column of the table that has the version. Map it to a column of that table.");
            }
            return new TenantColumn(column.getSelectionExpression(), binding(part.getSingleJdbcMapping()), false);
        }
        for (int part = 0; part < id.parts().size(); part++) {
            MappedIdPart each = (MappedIdPart) id.parts().get(part);
            if (names().anyMatch(name -> each.name().equals(name) || each.name().endsWith("." + name))) {
                return new TenantColumn(key.columns().get(part), each::bind, true);
            }
        }
        return null;
    }

    @SuppressWarnings("unchecked") // Hibernate requires that tenants have the type of the column.
    private TenantColumn.Binding binding(JdbcMapping mapping) {
        return (statement, index, tenant) -> ((ValueBinder<Object>) mapping.getJdbcValueBinder())
                .bind(
                        statement,
                        mapping.convertToRelationalValue(tenant),
                        index,
                        entity.factory().getWrapperOptions());
    }
}
