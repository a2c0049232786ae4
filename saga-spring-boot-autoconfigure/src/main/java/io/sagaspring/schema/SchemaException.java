package io.sagaspring.schema;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables are not as this version of the library needs them, so the application must not start. */
public final class SchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    private SchemaException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /**
     * What is wrong, with which values.
     *
     * @return one or more sentences
     */
    public String description() {
        return description;
    }

    /**
     * What the reader can do about it.
     *
     * @return one or more sentences
     */
    public String action() {
        return action;
    }

    static SchemaException notThisDatabase(String product, int version, int oldest) {
        return new SchemaException(
                "The data source is %s %d, and saga works on PostgreSQL %d or later."
                        .formatted(product, version, oldest),
                "Mark the PostgreSQL data source with @SagaDataSource if the application has several, or set"
                        + " saga.enabled=false where it runs without PostgreSQL.",
                null);
    }

    static SchemaException unreachable(Exception cause) {
        return new SchemaException(
                "The database could not be asked for saga's tables: %s.".formatted(cause.getMessage()),
                "Check that the data source's URL, user and password lead to a running PostgreSQL.",
                cause);
    }

    static SchemaException noCurrentSchema(String role) {
        return new SchemaException(
                "No schema is left for saga's tables: the search_path of role '%s' is empty or names none that exists."
                        .formatted(role),
                "Set saga.schema.name, or give the role a search_path.",
                null);
    }

    static SchemaException mayNotRead(String table, String role, Exception cause) {
        return new SchemaException(
                "Role '%s' may not read %s.".formatted(role, table),
                "Grant it USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on the tables in it.",
                cause);
    }

    static SchemaException newer(SchemaState state, MigrationScripts scripts) {
        return new SchemaException(
                "Schema '%s' has version %d of saga's tables, and this version of the library knows %d."
                        .formatted(state.schema(), state.version(), scripts.latest()),
                "A newer version of the library has been here. Start this application with that version; tables are"
                        + " never taken back to an older one.",
                null);
    }

    static SchemaException incomplete(SchemaState state, MigrationScripts scripts) {
        return new SchemaException(
                "Schema '%s' has version %d of saga's tables and needs version %d; saga.schema.migrate is false."
                        .formatted(state.schema(), state.version(), scripts.latest()),
                "Have these scripts run, in this order, with '%s' first in the search_path:%s%nOr set saga.schema.migrate=true and let the application do it."
                        .formatted(state.schema(), listed(scripts, state.version())),
                null);
    }

    static SchemaException withoutFlyway(MigrationScripts scripts) {
        return new SchemaException(
                "Saga brings its tables by Flyway, and org.flywaydb:flyway-core or"
                        + " org.flywaydb:flyway-database-postgresql is not on the class path.",
                "Add both (saga-spring-boot-starter does), or set saga.schema.migrate=false and have these scripts run in"
                        + " another way:%s".formatted(listed(scripts, 0)),
                null);
    }

    static SchemaException migrationFailed(SchemaState state, MigrationScripts scripts, RuntimeException cause) {
        return new SchemaException(
                "Role '%s' could not bring saga's tables in schema '%s' from version %d to %d: %s"
                        .formatted(state.role(), state.schema(), state.version(), scripts.latest(), cause.getMessage()),
                "Nothing of the failed script remains. If the role may not create tables, have somebody who may run"
                        + " these scripts, with '%s' first in the search_path, and set saga.schema.migrate=false:%s"
                                .formatted(state.schema(), listed(scripts, state.version())),
                cause);
    }

    private static String listed(MigrationScripts scripts, int from) {
        return scripts.after(from).stream()
                .map(place -> "%n    %s".formatted(place))
                .collect(Collectors.joining());
    }
}
