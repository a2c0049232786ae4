package io.sagaspring.entity;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Compares the columns in the application's description with those of the database. Collects all faults. */
final class DescribedColumns {

    private final ClaimTable<?> described;
    private final ClaimTable.Columns names;
    private final CatalogTable catalog;
    private final List<String> faults = new ArrayList<>();

    DescribedColumns(ClaimTable<?> described, CatalogTable catalog) {
        this.described = described;
        this.names = described.columns();
        this.catalog = catalog;
    }

    List<String> faults() {
        return faults;
    }

    private void refuse(String clause) {
        faults.add("The %s %s".formatted(described, clause));
    }

    /** Returns the column. If there is none that a statement can write, records a fault and returns null. */
    private @Nullable CatalogColumn column(String role, String name) {
        CatalogColumn found = CatalogTable.isColumnName(name) ? catalog.column(name) : null;
        if (found == null) {
            refuse("names the column %s for %s, but table %s has no such column. It has the columns %s."
                    .formatted(
                            name,
                            role,
                            described.table(),
                            String.join(", ", catalog.columns().keySet())));
        } else if (found.generated()) {
            refuse(
                    "names the column %s for %s, but the database computes this column. Name a column that can be updated."
                            .formatted(name, role));
            return null;
        }
        return found;
    }

    /** Checks the table and its version column. Returns the columns that statements need. */
    MappedColumns columns() {
        if (!catalog.ordinary()) {
            refuse("names %s, which is not a table but a view or another relation. Name the table itself."
                    .formatted(described.table()));
        }
        String table = described.table();
        KeyColumns key = new KeyColumns(names.idColumns());
        CatalogColumn version = column("the version", names.version());
        if (version != null && !version.isVersion()) {
            refuse("has its version in the column %s of type %s. Give this column the type bigint."
                    .formatted(names.version(), version.type()));
        } else if (version != null && !version.required()) {
            refuse(
                    "has its version in the column %s, which may be null. A version that is null cannot be incremented. Declare the column NOT NULL."
                            .formatted(names.version()));
        }
        return new MappedColumns(
                table,
                key,
                new VersionColumn(names.version(), null),
                table,
                key,
                names.status(),
                null,
                null,
                new RowPredicates("", "", null));
    }

    @Nullable
    DescribedId id() {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(names.id());
        int parts = type.isRecord() ? type.getRecordComponents().length : 1;
        if (parts != names.idColumns().size() || parts == 0) {
            refuse(
                    "names %s as the columns of an id of type %s. For a single value, name one column. For a record, name a column for each component, in the same order."
                            .formatted(names.idColumns(), type.getSimpleName()));
            return null;
        }
        DescribedId id = DescribedId.of(type, names.idColumns());
        boolean found = true;
        for (int part = 0; part < parts; part++) {
            found &=
                    isIdColumn(names.idColumns().get(part), id.parts().get(part).type());
        }
        if (found && !catalog.isUnique(names.idColumns())) {
            refuse(
                    "names %s as the id, but table %s has neither a primary key nor a unique index on these columns, so one claim could flip several rows. Add a unique index."
                            .formatted(names.idColumns(), described.table()));
        }
        return found ? id : null;
    }

    private boolean isIdColumn(String name, Class<?> type) {
        CatalogColumn column = column("the id", name);
        if (column == null) {
            return false;
        }
        if (!CatalogColumn.isIdType(type)) {
            refuse(
                    "has an id of type %s. Supported types: Long, Integer, Short, BigInteger, UUID, String, and records of these."
                            .formatted(type.getSimpleName()));
            return false;
        }
        if (!column.holds(type)) {
            refuse(
                    "declares the id in the column %s as %s, but the column has the type %s. Declare a class that can hold every value of the column."
                            .formatted(name, type.getSimpleName(), column.type()));
            return false;
        }
        return true;
    }

    LastModified lastModified() {
        List<LastModified.Column> columns = new ArrayList<>();
        for (String name : names.lastModified()) {
            CatalogColumn column = column("the last change", name);
            String now = column == null ? null : column.now();
            if (now != null) {
                columns.add(new LastModified.Column(described.table(), name, now));
            } else if (column != null) {
                refuse("has the time of the last change in the column %s of type %s. Name a timestamp column."
                        .formatted(name, column.type()));
            }
        }
        return new LastModified(columns);
    }

    /**
     * Reads the statuses.
     *
     * @param wanted every status that a workflow names
     */
    @Nullable
    Statuses statuses(Collection<String> wanted) {
        CatalogColumn column = column("the status", names.status());
        if (column == null) {
            return null;
        }
        if (!column.isText() && !column.isWholeNumber() && column.labels() == null) {
            refuse("has its status in the column %s of type %s. Supported types: text, enum types and whole numbers."
                    .formatted(names.status(), column.type()));
            return null;
        }
        Map<String, Statuses.Value> known = known(column);
        List<String> unknown = wanted.stream()
                .filter(name -> !known.isEmpty() ? !known.containsKey(name) : !isStorable(column, name))
                .toList();
        if (!unknown.isEmpty()) {
            refuse("cannot have the statuses %s. The status column %s %s."
                    .formatted(
                            unknown,
                            names.status(),
                            known.isEmpty()
                                    ? "holds whole numbers. Name the status by its number"
                                    : "has the values %s. Use one of these".formatted(known.keySet())));
        }
        return new Statuses(
                described.entity(),
                known,
                known.isEmpty() ? name -> value(column, name, storable(column, name)) : null,
                StoredText.PLAIN);
    }

    private static boolean isStorable(CatalogColumn column, String name) {
        return !column.isWholeNumber() || IdNumbers.isPlain(name);
    }

    private String storable(CatalogColumn column, String name) {
        if (!isStorable(column, name)) {
            throw new IllegalArgumentException(
                    "%s has no status '%s', because its status column holds whole numbers. Name the status by its number."
                            .formatted(described.entity().getSimpleName(), name));
        }
        return name;
    }

    private static Statuses.Value value(CatalogColumn column, String name, String stored) {
        return new Statuses.Value(
                name, column.isWholeNumber() ? stored : "'%s'".formatted(stored.replace("'", "''")), stored);
    }

    /** Returns the statuses that the description or the column's enum type lists, each with its value in the column. */
    private Map<String, Statuses.Value> known(CatalogColumn column) {
        Map<String, Statuses.Value> known = new LinkedHashMap<>();
        Map<String, Object> named = names.statuses();
        if (named == null) {
            Objects.requireNonNullElse(column.labels(), List.<String>of())
                    .forEach(label -> known.put(label, value(column, label, label)));
            return known;
        }
        named.forEach((name, stored) -> {
            String text = text(column, stored);
            if (text == null) {
                refuse("stores the status %s as %s, which the column %s of type %s cannot hold. %s"
                        .formatted(
                                name,
                                stored instanceof String ? "'" + stored + "'" : stored,
                                names.status(),
                                column.type(),
                                column.isWholeNumber()
                                        ? "Pass a function that returns a whole number for each constant, such as Enum::ordinal."
                                        : "Store a text that the column can hold."));
            } else if (known.values().stream().anyMatch(other -> other.text().equals(text))) {
                refuse("stores two statuses as %s. Store each as a different value.".formatted(text));
            } else {
                known.put(name, value(column, name, text));
            }
        });
        return known;
    }

    /** Returns the text of a stored value, or null if the column cannot hold it. */
    private static @Nullable String text(CatalogColumn column, @Nullable Object stored) {
        if (column.isWholeNumber()) {
            boolean whole = Arrays.<Class<?>>asList(
                            Byte.class, Short.class, Integer.class, Long.class, BigInteger.class)
                    .contains(stored == null ? null : stored.getClass());
            return whole ? String.valueOf(stored) : null;
        }
        List<String> labels = column.labels();
        return stored instanceof String text && (labels == null || labels.contains(text)) ? text : null;
    }
}
