package io.sagaspring.schema;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/**
 * Checks or migrates the tables, and returns a {@link SagaSchema}. If this fails, throws an exception with the reason.
 * The installer works as follows:
 *
 * <ol>
 *   <li>The installer reads the state of the tables. If they belong to a newer version of this library, it throws an
 *       exception without changing them.
 *   <li>If some scripts have not run yet, {@link #migrate()} runs them, and {@link #verify()} throws an exception that
 *       names them.
 *   <li>The scripts run in one transaction, under a lock, on one node at a time. A node that had to wait for the
 *       lock reads the state again.
 * </ol>
 *
 * <p>If all scripts have run, a start needs two short reads and no DDL privileges.
 */
final class SchemaInstaller {

    private static final Logger logger = LoggerFactory.getLogger(SchemaInstaller.class);
    private static final int OLDEST_SERVER = 14;

    /** The class names of Flyway. They are given as strings, because this class must load without Flyway. */
    private static final List<String> FLYWAY =
            List.of("org.flywaydb.core.Flyway", "org.flywaydb.database.postgresql.PostgreSQLDatabaseType");

    private final DataSource dataSource;
    private final @Nullable SchemaName configured;
    private final MigrationScripts scripts;
    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;

    /** Creates an installer for the given schema, or for the connection's current schema. */
    SchemaInstaller(DataSource dataSource, @Nullable String configured) {
        this(dataSource, configured, MigrationScripts.SHIPPED);
    }

    SchemaInstaller(DataSource dataSource, @Nullable String configured, MigrationScripts scripts) {
        this.dataSource = dataSource;
        this.configured = configured == null ? null : new SchemaName(configured);
        this.scripts = scripts;
        this.jdbc = JdbcClient.create(dataSource);
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        // Do not rely on the data source's default isolation level: a node that waited for the lock must see the other
        // node's commit.
        this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /** Migrates the tables to this version. Any number of nodes may call this method at the same time. */
    SagaSchema migrate() {
        return inTransaction(() -> {
            SchemaState found = readAndRequireNotNewer();
            return missing(found).isEmpty() ? schema(found) : runMissing();
        });
    }

    /** Checks that all tables of this version exist, without changing anything. */
    SagaSchema verify() {
        return inTransaction(() -> {
            SchemaState found = readAndRequireNotNewer();
            if (!missing(found).isEmpty()) {
                throw SchemaException.incomplete(found, missing(found));
            }
            return schema(found);
        });
    }

    private SagaSchema runMissing() {
        // The lock belongs to the transaction, not to the session, because a pooler may give the session to another
        // client.
        jdbc.sql("SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('saga_schema', 0))")
                .query()
                .listOfRows();
        SchemaState found = readAndRequireNotNewer();
        List<MigrationScript> missing = missing(found);
        if (missing.isEmpty()) {
            return schema(found);
        }
        if (found.readOnly() || !found.mayCreate()) {
            throw SchemaException.mayNotCreate(found, missing);
        }
        if (!FLYWAY.stream()
                .allMatch(type -> ClassUtils.isPresent(type, getClass().getClassLoader()))) {
            throw SchemaException.withoutFlyway(found, missing);
        }
        try {
            new FlywayMigration(new OneTransactionDataSource(dataSource))
                    .run(found.schema(), missing, isAnyBeforeOneThatHasRun(missing, found));
        } catch (RuntimeException failed) {
            throw SchemaException.migrationFailed(found, missing, failed);
        }
        SchemaState brought = readAndRequireNotNewer();
        if (!missing(brought).isEmpty()) {
            throw SchemaException.historyDisagrees(brought, missing(brought));
        }
        logger.info(
                "Migrated Saga's tables in schema '{}' from versions {} to versions {}",
                found.schema(),
                found.versions(),
                brought.versions());
        return schema(brought);
    }

    private SchemaState readAndRequireNotNewer() {
        SchemaState state = SchemaState.read(jdbc, configured);
        if (state.versions().stream().anyMatch(version -> version > scripts.latest())) {
            throw SchemaException.newer(state, scripts);
        }
        return state;
    }

    private static boolean isAnyBeforeOneThatHasRun(List<MigrationScript> missing, SchemaState state) {
        return missing.stream()
                .anyMatch(script -> state.versions().stream().anyMatch(version -> version > script.version()));
    }

    private List<MigrationScript> missing(SchemaState state) {
        return scripts.missingIn(state.versions());
    }

    private static SagaSchema schema(SchemaState state) {
        return new SagaSchema(state.schema());
    }

    private SagaSchema inTransaction(Supplier<SagaSchema> work) {
        try {
            return Objects.requireNonNull(transaction.execute(status -> {
                requirePostgres();
                return work.get();
            }));
        } catch (CannotCreateTransactionException | CannotGetJdbcConnectionException unreachable) {
            throw SchemaException.unreachable(unreachable);
        } catch (DataAccessException | TransactionException failed) {
            throw SchemaException.failed(failed);
        }
    }

    private void requirePostgres() {
        new JdbcTemplate(dataSource).execute((Connection connection) -> {
            DatabaseMetaData server = connection.getMetaData();
            String product = server.getDatabaseProductName();
            int version = server.getDatabaseMajorVersion();
            if (!product.equals("PostgreSQL") || version < OLDEST_SERVER) {
                throw SchemaException.notThisDatabase(product, version, OLDEST_SERVER);
            }
            return true;
        });
    }
}
