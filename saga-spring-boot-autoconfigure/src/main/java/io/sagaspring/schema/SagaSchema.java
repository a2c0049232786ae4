package io.sagaspring.schema;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The tables of this library in one schema of the application's database: they are there, and of this version.
 *
 * <p>Statements name a table through {@link #table(String)} and never bare, so that neither an empty
 * {@code search_path} nor a table of the same name in another schema can lead them astray.
 *
 * @since 0.1.0
 */
public final class SagaSchema {

    private final String name;

    SagaSchema(String name) {
        this.name = name;
    }

    /**
     * Brings the tables to this version. Any number of nodes may do this at once.
     *
     * @param dataSource the database that holds the application's data
     * @param configured the schema for the tables, or null for the one the connection is in
     * @return the schema, complete
     */
    public static SagaSchema migrate(DataSource dataSource, @Nullable String configured) {
        return new SchemaInstaller(dataSource, configured).migrate();
    }

    /**
     * Changes nothing, and refuses what is not complete.
     *
     * @param dataSource the database that holds the application's data
     * @param configured the schema of the tables, or null for the one the connection is in
     * @return the schema, complete
     */
    public static SagaSchema verify(DataSource dataSource, @Nullable String configured) {
        return new SchemaInstaller(dataSource, configured).verify();
    }

    /**
     * Requires of a name that a person may configure it.
     *
     * @param configured the name of a schema
     * @throws IllegalArgumentException if it is no such name, saying why
     */
    public static void requireName(String configured) {
        SchemaName unused = new SchemaName(configured);
    }

    /**
     * The schema that holds the tables.
     *
     * @return the bare name, as the catalog has it
     */
    public String name() {
        return name;
    }

    /**
     * The name by which a statement refers to a table of this library.
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
