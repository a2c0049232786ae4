package io.sagaspring.schema;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The state of this library's tables in the database. Each migration script records its own version in the database.
 * Therefore, {@code versions} is correct even if a person with psql or the application's own migrations ran the
 * scripts.
 *
 * @param schema the schema that holds the tables, or will hold them
 * @param exists true if that schema exists
 * @param role the application's database role
 * @param readOnly true if the application's transactions are read-only
 * @param mayCreate true if the role may create the tables, and the schema if it does not exist
 * @param versions the versions of the migration scripts that have run
 */
record SchemaState(
        String schema, boolean exists, String role, boolean readOnly, boolean mayCreate, Set<Integer> versions) {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final String UNDEFINED_COLUMN = "42703";
    private static final String WRONG_OBJECT_TYPE = "42809";

    private static final String LOOK = """
            SELECT wanted.name AS schema,
                   current_user AS role,
                   n.oid IS NOT NULL AS schema_exists,
                   pg_catalog.current_setting('transaction_read_only') = 'on' AS read_only,
                   CASE WHEN n.oid IS NULL
                        THEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
                        ELSE pg_catalog.has_schema_privilege(n.oid, 'CREATE') END AS may_create,
                   EXISTS (SELECT FROM pg_catalog.pg_class c
                            WHERE c.relnamespace = n.oid AND c.relname = 'saga_schema_version') AS recorded
              FROM (VALUES (coalesce(?::text, pg_catalog.current_schema()))) AS wanted (name)
              LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.name""";

    static SchemaState read(JdbcClient jdbc, @Nullable SchemaName configured) {
        return jdbc.sql(LOOK)
                .param(configured == null ? null : configured.value())
                .query((row, number) -> read(jdbc, row))
                .single();
    }

    private static SchemaState read(JdbcClient jdbc, ResultSet row) throws SQLException {
        String schema = row.getString("schema");
        if (schema == null) {
            throw SchemaException.noCurrentSchema();
        }
        return new SchemaState(
                schema,
                row.getBoolean("schema_exists"),
                row.getString("role"),
                row.getBoolean("read_only"),
                row.getBoolean("may_create"),
                row.getBoolean("recorded") ? versions(jdbc, schema, row.getString("role")) : Set.of());
    }

    private static Set<Integer> versions(JdbcClient jdbc, String schema, String role) {
        String table = new SagaSchema(schema).table("saga_schema_version");
        try {
            return new TreeSet<>(jdbc.sql("SELECT version FROM " + table)
                    .query(Integer.class)
                    .list());
        } catch (DataAccessException failed) {
            throw switch (sqlState(failed)) {
                case INSUFFICIENT_PRIVILEGE -> SchemaException.mayNotRead(table, role, failed);
                case UNDEFINED_COLUMN, WRONG_OBJECT_TYPE -> SchemaException.nameTaken(table, failed);
                default -> failed;
            };
        }
    }

    private static String sqlState(DataAccessException failed) {
        return NestedExceptionUtils.getMostSpecificCause(failed) instanceof SQLException sql
                        && sql.getSQLState() != null
                ? sql.getSQLState()
                : "";
    }
}
