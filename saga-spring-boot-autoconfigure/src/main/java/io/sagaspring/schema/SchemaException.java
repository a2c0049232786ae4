package io.sagaspring.schema;

import io.sagaspring.startup.StartupFaultException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

/** Thrown at start-up if the tables cannot be checked or created, or do not fit this version of the library. */
final class SchemaException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private SchemaException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, description, action, cause);
    }

    static SchemaException notThisDatabase(String product, int version, int oldest) {
        return new SchemaException(
                "The data source is %s %d, but Saga needs PostgreSQL %d or later.".formatted(product, version, oldest),
                "Mark the PostgreSQL data source with @SagaDataSource if the application has several, or set"
                        + " saga.enabled=false where it runs without PostgreSQL.",
                null);
    }

    static SchemaException unreachable(Exception cause) {
        return new SchemaException(
                "The database could not be reached to look for Saga's tables: %s".formatted(reason(cause)),
                "Check that the data source's URL, user and password lead to a running PostgreSQL.",
                cause);
    }

    static SchemaException failed(Exception cause) {
        return new SchemaException(
                "Saga's tables could not be checked or created: %s".formatted(reason(cause)),
                "Fix the cause and start again. Nothing was changed.",
                cause);
    }

    static SchemaException noCurrentSchema() {
        return new SchemaException(
                "There is no schema for Saga's tables: the search_path is empty or names no existing schema.",
                "Set saga.schema.name, or give the role a search_path.",
                null);
    }

    static SchemaException mayNotRead(String table, String role, Exception cause) {
        return new SchemaException(
                "Role '%s' is not allowed to read %s.".formatted(role, table),
                "Grant the role USAGE on the schema, SELECT, INSERT, UPDATE and DELETE on the tables in it, and USAGE on the sequences.",
                cause);
    }

    static SchemaException nameTaken(String table, Exception cause) {
        return new SchemaException(
                "%s exists, but it is not the table in which Saga's scripts record their version.".formatted(table),
                "Rename the existing table, or give Saga's tables a schema of their own with saga.schema.name.",
                cause);
    }

    static SchemaException newer(SchemaState state, MigrationScripts scripts) {
        return new SchemaException(
                "Schema '%s' has versions %s of Saga's tables, but this version of the library knows only versions up to %d."
                        .formatted(state.schema(), state.versions(), scripts.latest()),
                "A newer version of the library has migrated the tables. Start this application with that version:"
                        + " tables are never migrated back to an older one.",
                null);
    }

    static SchemaException incomplete(SchemaState state, List<MigrationScript> missing) {
        return new SchemaException(
                "Saga's tables in schema '%s' are missing or not up to date (missing versions: %s), and saga.schema.migrate is false."
                        .formatted(state.schema(), versions(missing)),
                byHand(state, missing)
                        + "%nOr set saga.schema.migrate=true, and the application will run them.".formatted(),
                null);
    }

    static SchemaException mayNotCreate(SchemaState state, List<MigrationScript> missing) {
        return new SchemaException(
                "Saga's tables in schema '%s' are missing or not up to date (missing versions: %s), and role '%s' is not allowed to create them: %s."
                        .formatted(
                                state.schema(),
                                versions(missing),
                                state.role(),
                                state.readOnly()
                                        ? "its transactions are read-only, because default_transaction_read_only is on or the server is a standby"
                                        : state.exists()
                                                ? "the role lacks CREATE on the schema"
                                                : "the schema does not exist, and the role lacks CREATE on the database"),
                byHand(state, missing) + "%nAnd set saga.schema.migrate=false.".formatted(),
                null);
    }

    static SchemaException withoutFlyway(SchemaState state, List<MigrationScript> missing) {
        return new SchemaException(
                ("Saga's tables in schema '%s' are missing or not up to date (missing versions: %s). Saga migrates them with Flyway, but org.flywaydb:flyway-core or"
                                + " org.flywaydb:flyway-database-postgresql is not on the class path.")
                        .formatted(state.schema(), versions(missing)),
                "Add both, as saga-spring-boot-starter does. Alternatively, create the tables by hand. "
                        + byHand(state, missing),
                null);
    }

    static SchemaException migrationFailed(SchemaState state, List<MigrationScript> missing, RuntimeException cause) {
        return new SchemaException(
                "Saga's tables (versions: %s) could not be created or changed in schema '%s' as role '%s': %s"
                        .formatted(versions(missing), state.schema(), state.role(), cause.getMessage()),
                "The database was not changed. Fix the cause and start again. The scripts are:%s"
                        .formatted(listed(missing)),
                cause);
    }

    static SchemaException historyDisagrees(SchemaState state, List<MigrationScript> missing) {
        return new SchemaException(
                "In schema '%s', saga_schema_history records versions of Saga's tables that saga_schema_version does not: %s."
                        .formatted(state.schema(), versions(missing)),
                "The table saga_schema_version was emptied or removed. If the other tables that begin with saga_ are"
                        + " unchanged, insert those versions again. Do not drop these tables: they hold the work in progress.",
                null);
    }

    private static String byHand(SchemaState state, List<MigrationScript> missing) {
        return "Run these scripts in this order, with '%s' first in the search_path:%s%s"
                .formatted(
                        state.schema(),
                        state.exists() ? "" : "%n    CREATE SCHEMA \"%s\"".formatted(state.schema()),
                        listed(missing));
    }

    private static String versions(List<MigrationScript> missing) {
        return missing.stream().map(script -> String.valueOf(script.version())).collect(Collectors.joining(", "));
    }

    /** Returns the message of the innermost {@code SQLException}, or the exception's own message if there is none. */
    private static String reason(Exception failed) {
        String reason = String.valueOf(failed.getMessage());
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                reason = String.valueOf(cause.getMessage());
            }
        }
        return reason;
    }

    private static String listed(List<MigrationScript> missing) {
        return missing.stream()
                .map(script -> place(script.file()))
                .map("%n    %s"::formatted)
                .collect(Collectors.joining());
    }

    private static String place(ClassPathResource script) {
        try {
            return script.getURL().toString();
        } catch (IOException notThere) {
            return "classpath:" + script.getPath();
        }
    }
}
