package io.sagaspring.schema;

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
