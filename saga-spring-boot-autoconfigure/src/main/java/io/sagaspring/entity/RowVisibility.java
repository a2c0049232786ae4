package io.sagaspring.entity;

import io.sagaspring.jdbc.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.annotations.SoftDeleteType;
import org.hibernate.metamodel.mapping.EntityDiscriminatorMapping;
import org.hibernate.metamodel.mapping.EntityMappingType;
import org.hibernate.metamodel.mapping.SoftDeleteMapping;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.SingleTableEntityPersister;
import org.hibernate.persister.internal.SqlFragmentPredicate;
import org.hibernate.spi.NavigablePath;
import org.hibernate.sql.ast.tree.expression.ColumnReference;
import org.hibernate.sql.ast.tree.from.MutatingTableReferenceGroupWrapper;
import org.hibernate.sql.ast.tree.from.NamedTableReference;
import org.hibernate.sql.ast.tree.from.TableReference;
import org.jspecify.annotations.Nullable;

/** Reads the mapping's conditions under which JPA loads a row as an entity of this class. */
final class RowVisibility {

    private final MappedEntity entity;

    RowVisibility(MappedEntity entity) {
        this.entity = entity;
    }

    RowPredicates predicates(@Nullable TenantColumn tenant) {
        List<String> visibility = new ArrayList<>();
        SoftDeleteMapping deletion = entity.persister().getSoftDeleteMapping();
        if (deletion != null) {
            visibility.add(notDeleted(deletion));
        }
        if (entity.persister() instanceof AbstractEntityPersister restricted && restricted.hasWhereRestrictions()) {
            visibility.add(restriction(restricted));
        }
        return new RowPredicates(
                // Check the persister's type, not whether there is a discriminator, because a joined hierarchy may also
                // have one.
                entity.persister() instanceof SingleTableEntityPersister single && single.getSuperMappingType() != null
                        ? discriminator(single)
                        : "",
                String.join(" AND ", visibility),
                tenant);
    }

    private String discriminator(SingleTableEntityPersister persister) {
        EntityDiscriminatorMapping column = persister.getDiscriminatorMapping();
        if (column.isFormula()) {
            entity.refuse(
                    "shares its table with its sibling classes, and a @DiscriminatorFormula tells them apart. Use a @DiscriminatorColumn, or configure the workflow for %s, the root of the hierarchy."
                            .formatted(persister.getRootEntityName()));
            return "";
        }
        List<String> values = Stream.concat(
                        Stream.of(persister.getEntityName()), persister.getSubclassEntityNames().stream())
                .map(name -> entity.factory().getMappingMetamodel().getEntityDescriptor(name))
                .filter(each -> !each.isAbstract())
                .map(EntityMappingType::getDiscriminatorSQLValue)
                .distinct()
                .sorted()
                .toList();
        // Hibernate gives these two names a special meaning: "null" stands for a missing discriminator, and "not null"
        // for any other discriminator.
        if (values.stream().anyMatch(value -> value.equals("null") || value.equals("not null"))) {
            entity.refuse(
                    "has the @DiscriminatorValue 'null' or 'not null', or a subclass has one of these values. Give each class its own value, or configure the workflow for %s, the root of the hierarchy."
                            .formatted(persister.getRootEntityName()));
        }
        return "%s.%s IN (%s)"
                .formatted(RowPredicates.ALIAS, column.getSelectionExpression(), String.join(", ", values));
    }

    private String notDeleted(SoftDeleteMapping deletion) {
        String column = RowPredicates.ALIAS + "." + deletion.getColumnName();
        if (deletion.getSoftDeleteStrategy() == SoftDeleteType.TIMESTAMP) {
            return column + " IS NULL";
        }
        String literal = deletion.createNonDeletedValueBinding(
                        new ColumnReference((String) null, deletion, deletion.getJdbcMapping()))
                .getValueExpression()
                .getFragment();
        return "%s = %s".formatted(column, literal);
    }

    private String restriction(AbstractEntityPersister persister) {
        List<String> found = new ArrayList<>();
        persister.applyWhereRestrictions(
                predicate -> found.add(((SqlFragmentPredicate) predicate).getSqlFragment()),
                new MutatingTableReferenceGroupWrapper(new NavigablePath("restriction"), persister, new VersionTable()),
                true,
                null);
        String fragment = "(%s)".formatted(found.get(0));
        if (!isSentUnchanged(fragment)) {
            entity.refuse(
                    "has an @SQLRestriction with a question mark or a colon that looks like a parameter. Call a function instead of the operator that contains this character.");
        }
        return fragment;
    }

    private static boolean isSentUnchanged(String fragment) {
        try {
            return Sql.named("entity.restriction", "SELECT " + fragment).text().endsWith(fragment);
        } catch (IllegalArgumentException questionMark) {
            return false;
        }
    }

    /**
     * The table whose alias Hibernate uses when it writes a restriction as SQL. It is always the table with the
     * version, whichever table Hibernate asks for, because only the root of a hierarchy has restrictions.
     */
    private static final class VersionTable extends NamedTableReference {

        VersionTable() {
            super(RowPredicates.ALIAS, RowPredicates.ALIAS);
        }

        @Override
        public TableReference getTableReference(@Nullable NavigablePath path, String tableExpression, boolean resolve) {
            return this;
        }
    }
}
