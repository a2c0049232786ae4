package io.sagaspring.schema;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with a {@link SagaSchema} or refuses, saying why:
 *
 * <ol>
 *   <li>Look at what is there. Tables of a newer version of this library are left alone and refused.
 *   <li>If tables are missing, either bring them ({@link #migrate()}) or refuse and name them ({@link #verify()}).
 *   <li>Look again: what was brought must be what this version needs.
 * </ol>
 *
 * <p>A start that finds all tables in place costs one connection and three short reads, and needs no DDL rights.
 */
public final class SchemaInstaller {

    private static final Logger logger = LoggerFactory.getLogger(SchemaInstaller.class);

    private final DataSource dataSource;
    private final @Nullable SchemaName configured;
    private final MigrationScripts scripts;

    /**
     * An installer for the tables of this version.
     *
     * @param dataSource the database that holds the application's data
     * @param configured the schema for the tables, or null for the one the connection is in
     */
    public SchemaInstaller(DataSource dataSource, @Nullable SchemaName configured) {
        this(dataSource, configured, MigrationScripts.SHIPPED);
    }

    SchemaInstaller(DataSource dataSource, @Nullable SchemaName configured, MigrationScripts scripts) {
        this.dataSource = dataSource;
        this.configured = configured;
        this.scripts = scripts;
    }

    /**
     * Brings the tables to this version. Any number of nodes may do this at once.
     *
     * @return the schema, complete
     */
    public SagaSchema migrate() {
        if (!FlywayMigration.isAvailable()) {
            throw SchemaException.withoutFlyway(scripts);
        }
        SchemaState found = read();
        if (found.version() < scripts.latest()) {
            bringTo(found);
        }
        return complete(read());
    }

    /**
     * Changes nothing, and refuses what is not complete.
     *
     * @return the schema, complete
     */
    public SagaSchema verify() {
        return complete(read());
    }

    private void bringTo(SchemaState found) {
        try {
            new FlywayMigration(dataSource, scripts).run(found);
        } catch (RuntimeException failed) {
            throw SchemaException.migrationFailed(found, scripts, failed);
        }
        logger.info("Brought schema '{}' from version {} to {}", found.schema(), found.version(), scripts.latest());
    }

    private SchemaState read() {
        SchemaState state = SchemaState.read(dataSource, configured);
        if (state.version() > scripts.latest()) {
            throw SchemaException.newer(state, scripts);
        }
        return state;
    }

    private SagaSchema complete(SchemaState state) {
        if (state.version() < scripts.latest()) {
            throw SchemaException.incomplete(state, scripts);
        }
        return new SagaSchema(state.schema());
    }
}
