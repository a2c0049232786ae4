package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.SqlCall;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Converts the ids of one entity between the caller's value, the value in memory and the string in the ledger. */
final class EntityIds {

    private final Class<?> entity;
    private final OwnTransactions own;
    private final MappedColumns columns;
    private final IdShape id;
    private final TableTenants tenants;

    EntityIds(TableParts parts) {
        this.entity = parts.entity();
        this.own = parts.own();
        this.columns = parts.columns();
        this.id = parts.id();
        this.tenants = parts.tenants();
    }

    Class<?> type() {
        return id.type();
    }

    /**
     * Returns the SQL expression for the text form of an id in the ledger. If rows have a tenant, the text begins with
     * the tenant, unless the tenant is a part of the id.
     */
    String keyOf(String alias) {
        List<String> texts = new ArrayList<>();
        TenantColumn tenant = tenantBesideId();
        if (tenant != null) {
            texts.add(IdText.escapedSql(tenant.text(alias)));
        }
        for (int part = 0; part < id.parts().size(); part++) {
            IdPart each = id.parts().get(part);
            String text =
                    each.textOf(alias + "." + columns.versionId().columns().get(part));
            boolean alone = isSingle() && tenant == null;
            texts.add(alone || !each.mayNeedEscape() ? text : IdText.escapedSql(text));
        }
        return texts.size() == 1
                ? texts.get(0)
                : "(%s) COLLATE \"default\"".formatted(String.join(" || ',' || ", texts));
    }

    private @Nullable TenantColumn tenantBesideId() {
        TenantColumn tenant = columns.predicates().tenant();
        return tenant == null || tenant.isInId() ? null : tenant;
    }

    private boolean isSingle() {
        return id.parts().size() == 1;
    }

    /** Returns the columns in which the database may treat several spellings of a value as equal. */
    List<String> varyingColumns() {
        return IntStream.range(0, id.parts().size())
                .filter(part -> id.parts().get(part).mayVary())
                .mapToObj(part -> columns.versionId().columns().get(part))
                .toList();
    }

    Object of(Object given) {
        if (given instanceof String text) {
            requireStorable(text);
        }
        if (isPlain()) {
            return plain(given);
        }
        if (id.type().isInstance(given)) {
            return canonical(given);
        }
        if (given instanceof String text) {
            return ofText(text, false);
        }
        throw noSuchId(given);
    }

    /**
     * Converts an id from its text form in the ledger. For a numeric column, the text may end with zeros after the
     * decimal point.
     */
    Object ofKey(String key) {
        return tenantBesideId() == null ? ofOwnKey(key) : ofOwnKey(withoutTenant(key));
    }

    private String withoutTenant(String key) {
        List<String> parts = split(key, false);
        if (parts.size() < 2) {
            throw noSuchId(key);
        }
        List<String> own = parts.subList(1, parts.size());
        return isSingle() ? own.get(0) : IdText.joined(own);
    }

    private Object ofOwnKey(String key) {
        if (!isPlain()) {
            requireStorable(key);
            return ofText(key, true);
        }
        if (!Number.class.isAssignableFrom(id.type())) {
            return of(key);
        }
        requireShort(key);
        try {
            return of(IdNumbers.withoutFraction(key));
        } catch (IllegalArgumentException notThatKind) {
            throw noSuchId(key);
        }
    }

    /**
     * Returns true if the id is a single number, UUID or string that has the same value in memory and in its column.
     */
    private boolean isPlain() {
        IdPart first = id.parts().get(0);
        return !id.isComposite()
                && !first.isConverted()
                && first.stored() == first.type()
                && IdPart.isPlain(first.type());
    }

    private Object plain(Object given) {
        Class<?> wanted = id.type();
        if (Number.class.isAssignableFrom(wanted)) {
            requireShort(given);
        }
        try {
            if (wanted.isInstance(given)) {
                return given;
            }
            if (Number.class.isAssignableFrom(wanted) && (given instanceof Number || given instanceof String)) {
                return IdNumbers.exact(new BigInteger(given.toString()), wanted);
            }
            if (wanted == UUID.class && given instanceof String text) {
                return UUID.fromString(text);
            }
        } catch (ArithmeticException | IllegalArgumentException notThatKind) {
            throw noSuchId(given);
        }
        throw noSuchId(given);
    }

    /**
     * Returns a copy of the id, as JPA would load it. The copy can differ from the given id, because a converter may
     * store different values as the same value.
     */
    private Object canonical(Object given) {
        List<Object> values = new ArrayList<>();
        for (Object value : id.valuesOf(given)) {
            Object written = value == null ? null : written(id.parts().get(values.size()), value, given);
            if (written == null) {
                throw noSuchId(given);
            }
            if (written instanceof String || written instanceof Character) {
                requireStorable(written.toString());
            }
            values.add(inMemory(id.parts().get(values.size()), written, given));
        }
        return id.of(values);
    }

    private @Nullable Object written(IdPart part, Object value, Object given) {
        try {
            return part.stored(value);
        } catch (RuntimeException ofTheConverter) {
            throw noSuchId(given);
        }
    }

    private Object ofText(String text, boolean ofLedger) {
        List<String> texts = split(text, isSingle());
        if (texts.size() != id.parts().size()) {
            throw noSuchId(text);
        }
        List<Object> values = new ArrayList<>();
        for (IdPart part : id.parts()) {
            values.add(inMemory(part, parsed(part, texts.get(values.size()), ofLedger, text), text));
        }
        return id.of(values);
    }

    private List<String> split(String text, boolean whole) {
        try {
            return whole ? List.of(text) : IdText.split(text);
        } catch (IllegalArgumentException wrongEscape) {
            throw noSuchId(text);
        }
    }

    private Object parsed(IdPart part, String text, boolean ofLedger, String whole) {
        if (Number.class.isAssignableFrom(part.stored())) {
            requireShort(text);
        }
        try {
            return part.parsed(text, ofLedger);
        } catch (ArithmeticException | IllegalArgumentException notThatKind) {
            throw noSuchId(whole);
        }
    }

    private Object inMemory(IdPart part, Object written, Object given) {
        Object value;
        try {
            value = part.inMemory(written);
        } catch (RuntimeException ofTheConverter) {
            throw noSuchId(given);
        }
        if (value == null) {
            throw noSuchId(given);
        }
        return value;
    }

    /** Returns the string by which a caller can name the entity with this id. */
    String text(Object value) {
        if (isPlain()) {
            return value.toString();
        }
        List<String> texts = new ArrayList<>();
        for (Object each : id.valuesOf(value)) {
            texts.add(each == null ? "" : id.parts().get(texts.size()).text(each));
        }
        return isSingle() ? texts.get(0) : IdText.joined(texts);
    }

    /** Returns the text form of an id for the ledger. Executes no query, because the id's row may be gone. */
    String key(Object value) {
        return tenantBesideId() == null
                ? text(value)
                : IdText.joined(Stream.concat(
                                Stream.of(tenants.resolved().toString()),
                                isSingle() ? Stream.of(text(value)) : IdText.split(text(value)).stream())
                        .toList());
    }

    private NoSuchIdException noSuchId(Object given) {
        if (isPlain()) {
            return new NoSuchIdException(given, entity, id.type());
        }
        return new NoSuchIdException(
                given, entity, id.parts().stream().map(IdPart::described).toList());
    }

    private void requireShort(Object given) {
        if (IdNumbers.isTooLong(given)) {
            throw noSuchId(given.toString().substring(0, 20) + "…");
        }
    }

    private void requireStorable(String text) {
        if (text.codePoints().anyMatch(EntityIds::isNotStorable)) {
            throw new NoSuchIdException(entity);
        }
    }

    /**
     * Returns true for NUL and for half a surrogate pair. Half a pair would be sent as a question mark, so the text
     * could be the same as that of another id.
     */
    private static boolean isNotStorable(int character) {
        return character == 0 || Character.getType(character) == Character.SURROGATE;
    }

    /** Binds the parameters of an id, and of the current tenant if the rows have one. */
    SqlCall bindInTenant(SqlCall call, Object value) {
        TenantColumn tenant = columns.predicates().tenant();
        if (tenant != null) {
            tenant.bind(call, tenants.resolved());
        }
        return bind(call, value);
    }

    SqlCall bind(SqlCall call, Object value) {
        List<@Nullable Object> values = id.valuesOf(value);
        for (int part = 0; part < values.size(); part++) {
            IdPart each = id.parts().get(part);
            Object bound = values.get(part);
            call.with(
                    KeyColumns.parameter(part, values.size()),
                    (statement, index) -> each.bind(statement, index, bound));
        }
        return call;
    }

    /**
     * Returns an id as its row spells it, or the unchanged id if there is no such row.
     *
     * @param keepsSpelling true if the row cannot have another spelling
     */
    Object spelledInRow(Object given, boolean keepsSpelling) {
        return keepsSpelling ? given : stored(given);
    }

    private Object stored(Object given) {
        TenantColumn tenant = columns.predicates().tenant();
        return own.single(connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT /* saga:entity.spelled */ %s FROM %s AS v WHERE %s"
                            .formatted(
                                    columns.versionId().of("v"),
                                    columns.versionTable(),
                                    columns.versionId().isParameter("v")
                                            + (tenant == null ? "" : " AND " + tenant.isParameter("v"))))) {
                bind(statement, 0, given);
                if (tenant != null) {
                    tenant.bind(statement, id.parts().size() + 1, tenants.resolved());
                }
                try (ResultSet found = statement.executeQuery()) {
                    return found.next() ? read(found, given) : given;
                }
            }
        });
    }

    /**
     * Returns true if two values are the same id. If they differ in memory, asks the database, which may treat several
     * spellings as equal.
     *
     * @param keepsSpelling true if two different values are never the same key
     */
    boolean areEqual(Object one, Object other, boolean keepsSpelling) {
        return Objects.deepEquals(one, other) || (!keepsSpelling && areEqualInColumns(one, other));
    }

    private boolean areEqualInColumns(Object one, Object other) {
        KeyColumns key = columns.versionId();
        String values = key.columns().stream()
                .map(column -> "coalesce((SELECT v.%1$s FROM %2$s AS v WHERE false), ?) AS %1$s"
                        .formatted(column, columns.versionTable()))
                .collect(Collectors.joining(", "));
        return own.single(connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT /* saga:entity.equal */ 1 FROM (SELECT %s) AS v WHERE %s"
                            .formatted(values, key.isParameter("v")))) {
                bind(statement, 0, one);
                bind(statement, id.parts().size(), other);
                try (ResultSet found = statement.executeQuery()) {
                    return found.next();
                }
            }
        });
    }

    private void bind(PreparedStatement statement, int after, Object value) throws SQLException {
        List<@Nullable Object> values = id.valuesOf(value);
        for (int part = 0; part < values.size(); part++) {
            id.parts().get(part).bind(statement, after + part + 1, values.get(part));
        }
    }

    private Object read(ResultSet found, Object given) throws SQLException {
        List<Object> values = new ArrayList<>();
        for (IdPart part : id.parts()) {
            Object value = part.read(found, values.size() + 1);
            if (value == null) {
                return given;
            }
            values.add(value);
        }
        return id.of(values);
    }
}
