package io.sagaspring.operations;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements on {@code saga_audit}. Each row is committed by itself, whatever happens to the caller's
 * transaction.
 *
 * @since 0.1.0
 */
public final class AuditTable {

    /** The maximum number of characters of a stored text. */
    static final int LONGEST = 4_000;

    private static final String COLUMNS =
            "id, performed_at, operation, target_kind, target, tenant, operator, access," + " reason, outcome, message";

    private final OwnTransactions own;
    private final String table;
    private final Duration retention;
    private final Sql insert;
    private final Sql purge;

    /**
     * Creates the statements.
     *
     * @param schema the schema of the table
     * @param own the executor of transactions on the schema's data source
     * @param retention the time for which a row is kept
     */
    public AuditTable(SagaSchema schema, OwnTransactions own, Duration retention) {
        this.own = own;
        this.table = schema.table("saga_audit");
        this.retention = retention;
        this.insert = Sql.named("audit.insert", """
                INSERT INTO %s (performed_at, operation, target_kind, target, tenant, operator, access, reason, outcome, message)
                VALUES (clock_timestamp(), :operation, :kind, :target, :tenant, :operator, :access, :reason, :outcome, :message)
                """.formatted(table));
        this.purge = Fragments.purge(
                "audit.purge",
                table,
                "id",
                "performed_at",
                "performed_at <= (SELECT clock_timestamp() - :retention * INTERVAL '1 millisecond')");
    }

    void add(OperationPerformed performed) {
        boolean isAdded = own.single(connection -> insert.on(connection)
                .with("operation", performed.operation())
                .with("kind", performed.target().kind())
                .with("target", stored(performed.target().id()))
                .with("tenant", storedOrNull(performed.target().tenant()))
                .with("operator", storedOrNull(performed.operator().name()))
                .with("access", performed.operator().access().text())
                .with("reason", storedOrNull(performed.reason()))
                .with("outcome", performed.outcome().text())
                .with("message", stored(performed.message()))
                .changesOne());
        if (!isAdded) {
            throw new IllegalStateException("The row was not inserted.");
        }
    }

    /** Replaces the character that PostgreSQL cannot store, and truncates long text. */
    private static @Nullable String storedOrNull(@Nullable String text) {
        return text == null ? null : stored(text);
    }

    private static String stored(String text) {
        String storable = text.replace('\0', '\uFFFD');
        if (storable.length() <= LONGEST) {
            return storable;
        }
        int end = Character.isHighSurrogate(storable.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
        return storable.substring(0, end) + "…";
    }

    List<AuditEntry> list(AuditQuery query) {
        return own.single(connection -> read(connection, query));
    }

    private List<AuditEntry> read(Connection connection, AuditQuery query) throws SQLException {
        Map<String, String> filters = filters(query);
        SqlCall call = statement(filters, query).on(connection).with("limit", query.limit());
        filters.forEach(call::with);
        if (query.before() != null) {
            call.with("before", query.before());
        }
        return call.list(AuditTable::entry);
    }

    /** Returns the values of the columns that the query selects, by the names of the columns. */
    private static Map<String, String> filters(AuditQuery query) {
        Map<String, String> filters = new TreeMap<>();
        put(filters, "target_kind", query.targetKind());
        put(filters, "target", query.target());
        put(filters, "tenant", query.tenant());
        put(filters, "operator", query.operator());
        put(filters, "operation", query.operation());
        return filters;
    }

    private static void put(Map<String, String> filters, String column, @Nullable String value) {
        if (value != null) {
            filters.put(column, stored(value));
        }
    }

    /** Builds the statement of a query. For each filter, an index has the rows in the order of their ids. */
    private Sql statement(Map<String, String> filters, AuditQuery query) {
        StringBuilder text = new StringBuilder("SELECT %s FROM %s WHERE true".formatted(COLUMNS, table));
        filters.keySet().forEach(column -> text.append(" AND %1$s = :%1$s".formatted(column)));
        text.append(query.before() != null ? " AND id < :before" : "").append(" ORDER BY id DESC LIMIT :limit");
        return Sql.named("audit.list", text.toString());
    }

    /** Returns the statement of a query, for EXPLAIN. */
    String selection(AuditQuery query) {
        return statement(filters(query), query).text();
    }

    private static AuditEntry entry(Row row) throws SQLException {
        return new AuditEntry(
                row.number("id"),
                row.instant("performed_at"),
                new OperationPerformed(
                        row.text("operation"),
                        new OperationTarget(row.text("target_kind"), row.text("target"), row.textOrNull("tenant")),
                        new Operator(row.textOrNull("operator"), Operator.Access.valueOf(upper(row.text("access")))),
                        row.textOrNull("reason"),
                        Outcome.valueOf(upper(row.text("outcome"))),
                        row.text("message")));
    }

    private static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }

    /**
     * Removes rows whose retention has ended.
     *
     * @param limit the largest number of rows to remove
     * @return the number of removed rows
     */
    public int purge(int limit) {
        return own.single(connection -> purge.on(connection)
                .with("retention", retention.toMillis())
                .with("limit", limit)
                .update());
    }

    /** Returns the statement that removes rows, for EXPLAIN. */
    String purge() {
        return purge.text();
    }
}
