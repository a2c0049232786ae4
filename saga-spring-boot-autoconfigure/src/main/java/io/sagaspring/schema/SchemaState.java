package io.sagaspring.schema;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * What one look at the database has found. The version is the one that the scripts themselves record, so that it is
 * right whoever ran them: Flyway, a person with psql, or the application's own migrations.
 *
 * @param schema the schema that holds the tables, or will hold them
 * @param role the role that the application connects as
 * @param version the last script that has run, 0 for none
 */
record SchemaState(String schema, String role, int version) {

    private static final int OLDEST_SERVER = 14;
    private static final String TABLE_EXISTS = """
            SELECT EXISTS (
                SELECT FROM pg_catalog.pg_class c
                  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 WHERE c.relname = 'saga_schema_version' AND n.nspname = ?)""";
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    static SchemaState read(DataSource dataSource, @Nullable SchemaName configured) {
        try (Connection connection = dataSource.getConnection()) {
            requirePostgres(connection);
            JdbcClient jdbc = JdbcClient.create(new SingleConnectionDataSource(connection, true));
            String role = jdbc.sql("SELECT current_user").query(String.class).single();
            String schema = configured == null ? currentSchema(jdbc, role) : configured.value();
            return new SchemaState(schema, role, version(jdbc, schema, role));
        } catch (SQLException | DataAccessException failed) {
            throw SchemaException.unreachable(failed);
        }
    }

    private static void requirePostgres(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (!product.equals("PostgreSQL") || version < OLDEST_SERVER) {
            throw SchemaException.notThisDatabase(product, version, OLDEST_SERVER);
        }
    }

    private static String currentSchema(JdbcClient jdbc, String role) {
        return jdbc.sql("SELECT pg_catalog.current_schema()")
                .query(String.class)
                .optional()
                .orElseThrow(() -> SchemaException.noCurrentSchema(role));
    }

    private static int version(JdbcClient jdbc, String schema, String role) {
        // Not to_regclass: it needs rights on the schema, and their lack shall be told in our words below.
        boolean recorded =
                jdbc.sql(TABLE_EXISTS).param(schema).query(Boolean.class).single();
        if (!recorded) {
            return 0;
        }
        String table = new SagaSchema(schema).table("saga_schema_version");
        try {
            return jdbc.sql("SELECT coalesce(pg_catalog.max(version), 0) FROM " + table)
                    .query(Integer.class)
                    .single();
        } catch (DataAccessException refused) {
            if (NestedExceptionUtils.getMostSpecificCause(refused) instanceof SQLException sql
                    && INSUFFICIENT_PRIVILEGE.equals(sql.getSQLState())) {
                throw SchemaException.mayNotRead(table, role, refused);
            }
            throw refused;
        }
    }
}
