package io.sagaspring.schema;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The tables of this library in one schema of the application's database. An instance guarantees that all tables of
 * this version exist.
 *
 * <p>Statements take table names from {@link #table(String)}, which qualifies them. So an empty {@code search_path} or
 * a table of the same name in another schema has no effect on them.
 *
 * @since 0.1.0
 */
public final class SagaSchema {

    private final String name;

    SagaSchema(String name) {
        this.name = name;
    }

    /**
     * Migrates the tables to this version. Any number of nodes may call this method at the same time.
     *
     * @param dataSource the database of the application
     * @param configured the schema for the tables, or null for the connection's current schema
     * @return the schema, complete
     */
    public static SagaSchema migrate(DataSource dataSource, @Nullable String configured) {
        return new SchemaInstaller(dataSource, configured).migrate();
    }

    /**
     * Checks that all tables of this version exist, without changing anything. If tables are missing, this method
     * throws an exception.
     *
     * @param dataSource the database of the application
     * @param configured the schema of the tables, or null for the connection's current schema
     * @return the schema, complete
     */
    public static SagaSchema verify(DataSource dataSource, @Nullable String configured) {
        return new SchemaInstaller(dataSource, configured).verify();
    }

    /**
     * Requires that a name is allowed as a schema name.
     *
     * @param configured the name of a schema
     * @throws IllegalArgumentException if the name is not allowed; the message contains the reason
     */
    public static void requireName(String configured) {
        SchemaName unused = new SchemaName(configured);
    }

    /**
     * Returns the schema of the tables.
     *
     * @return the unquoted name, as in the catalog
     */
    public String name() {
        return name;
    }

    /**
     * Returns the name by which a statement refers to a table of this library.
     *
     * @param table a table, such as {@code saga_schema_version}
     * @return the quoted name with its quoted schema
     */
    public String table(String table) {
        return quoted(name) + "." + quoted(table);
    }

    private static String quoted(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    @Override
    public String toString() {
        return "schema '%s'".formatted(name);
    }
}
