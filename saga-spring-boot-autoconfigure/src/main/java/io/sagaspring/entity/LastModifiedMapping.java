package io.sagaspring.entity;

import java.beans.PropertyDescriptor;
import java.lang.reflect.AnnotatedElement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.EntityVersionMapping;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.springframework.beans.BeanUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** Reads the mapping of the properties that Spring Data or Hibernate sets to the time of an entity's last change. */
final class LastModifiedMapping {

    /** The class names of the annotations, as strings because Spring Data may be missing from the class path. */
    private static final List<String> ANNOTATIONS = List.of(
            "org.springframework.data.annotation.LastModifiedDate", "org.hibernate.annotations.UpdateTimestamp");

    private final MappedEntity entity;

    LastModifiedMapping(MappedEntity entity) {
        this.entity = entity;
    }

    LastModified in(MappedColumns columns) {
        List<LastModified.Column> found = new ArrayList<>();
        Stream.of(entity.persister().getPropertyNames())
                .map(entity.persister()::findAttributeMapping)
                .filter(Objects::nonNull)
                .filter(attribute -> !isVersion(attribute))
                .forEach(attribute -> collect(attribute, entity.type(), attribute.getAttributeName(), columns, found));
        return new LastModified(List.copyOf(found));
    }

    private boolean isVersion(AttributeMapping attribute) {
        EntityVersionMapping version = entity.persister().getVersionMapping();
        return version != null
                && version.getVersionAttribute().getAttributeName().equals(attribute.getAttributeName());
    }

    /**
     * Collects the column of an annotated attribute. If the attribute is an embeddable without the annotation, searches
     * the attributes of the embeddable.
     */
    private void collect(
            AttributeMapping attribute,
            Class<?> owner,
            String path,
            MappedColumns columns,
            List<LastModified.Column> found) {
        if (isAnnotated(attribute, owner)) {
            column(attribute, path, columns, found);
        } else if (attribute instanceof EmbeddableValuedModelPart embedded) {
            embedded.getEmbeddableTypeDescriptor()
                    .forEachAttributeMapping(part -> collect(
                            part,
                            embedded.getEmbeddableTypeDescriptor()
                                    .getMappedJavaType()
                                    .getJavaTypeClass(),
                            path + "." + part.getAttributeName(),
                            columns,
                            found));
        }
    }

    /** Returns true if the field or the getter is annotated, regardless of which of them JPA uses. */
    private static boolean isAnnotated(AttributeMapping attribute, Class<?> owner) {
        String name = attribute.getAttributeName();
        PropertyDescriptor property = BeanUtils.getPropertyDescriptor(owner, name);
        return Stream.of(
                        attribute.getPropertyAccess().getGetter().getMember(),
                        ReflectionUtils.findField(owner, name),
                        property == null ? null : property.getReadMethod())
                .filter(AnnotatedElement.class::isInstance)
                .map(AnnotatedElement.class::cast)
                .anyMatch(element ->
                        ANNOTATIONS.stream().anyMatch(each -> AnnotatedElementUtils.isAnnotated(element, each)));
    }

    private void column(
            AttributeMapping attribute, String path, MappedColumns columns, List<LastModified.Column> found) {
        if (!(attribute instanceof BasicValuedModelPart basic) || basic.isFormula() || !isDateTime(basic)) {
            entity.refuse(
                    "has a last-modified property '%s' that is not stored in a date-time column. A flip cannot write it, so set saga.claims.write-last-modified=false."
                            .formatted(path));
            return;
        }
        String table = entity.persister() instanceof UnionSubclassEntityPersister
                ? columns.versionTable()
                : basic.getContainingTableExpression();
        if (!table.equals(columns.versionTable()) && !table.equals(columns.statusTable())) {
            entity.refuse(
                    "has a last-modified property '%s' in table %s, which a flip does not write. Move it to the table of the status or the version, or set saga.claims.write-last-modified=false."
                            .formatted(path, table));
            return;
        }
        found.add(new LastModified.Column(table, basic.getSelectionExpression(), now(jdbcType(basic))));
    }

    private static JdbcType jdbcType(BasicValuedModelPart basic) {
        return basic.getSingleJdbcMapping().getJdbcType();
    }

    private static boolean isDateTime(BasicValuedModelPart basic) {
        int type = jdbcType(basic).getDdlTypeCode();
        return type == SqlTypes.TIMESTAMP || hasTimeZone(type);
    }

    private static boolean hasTimeZone(int type) {
        return type == SqlTypes.TIMESTAMP_WITH_TIMEZONE || type == SqlTypes.TIMESTAMP_UTC;
    }

    /**
     * Returns the expression for the current time. For a column without a time zone, the time is in the zone in which
     * JPA writes the column.
     */
    private String now(JdbcType type) {
        TimeZone zone = entity.factory().getSessionFactoryOptions().getJdbcTimeZone();
        if (hasTimeZone(type.getDdlTypeCode())) {
            return "CAST(clock_timestamp() AS timestamp with time zone)";
        }
        // The database session may have another zone than the one in which JPA writes the time. JPA writes the time in
        // the zone of Hibernate's time zone setting, or in this JVM's zone if that is not set. If a type of java.time
        // is bound without a conversion, Hibernate ignores the setting.
        boolean ignoresSetting =
                type.getJdbcTypeCode() != SqlTypes.TIMESTAMP || type.getDefaultSqlTypeCode() != SqlTypes.TIMESTAMP;
        return "CAST(clock_timestamp() AT TIME ZONE %s AS timestamp)"
                .formatted(VersionTime.name(zone == null || ignoresSetting ? ZoneId.systemDefault() : zone.toZoneId()));
    }
}
