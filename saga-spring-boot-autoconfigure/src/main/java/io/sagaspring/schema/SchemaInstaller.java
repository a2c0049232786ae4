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
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Answers with a {@link SagaSchema} or refuses, saying why:
 *
 * <ol>
 *   <li>Look at what is there. Tables of a newer version of this library are left alone and refused.
 *   <li>If scripts are missing, either run them ({@link #migrate()}) or refuse and name them ({@link #verify()}).
 *   <li>Scripts run in one transaction, under a lock that lets one node at a time do so; who waited looks again.
 * </ol>
 *
 * <p>A start that finds everything in place costs three short reads and needs no DDL rights.
 */
public final class SchemaInstaller {

    private static final Logger logger = LoggerFactory.getLogger(SchemaInstaller.class);
    private static final int OLDEST_SERVER = 14;

    private final DataSource dataSource;
    private final @Nullable SchemaName configured;
    private final MigrationScripts scripts;
    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;

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
        this.jdbc = JdbcClient.create(dataSource);
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        // Whatever the application prefers: who waited for the lock must see what the other node has committed.
        this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
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
        return answering(() -> {
            SchemaState found = look();
            return isComplete(found) ? schema(found) : bringAbout();
        });
    }

    /**
     * Changes nothing, and refuses what is not complete.
     *
     * @return the schema, complete
     */
    public SagaSchema verify() {
        return answering(() -> {
            SchemaState found = look();
            if (!isComplete(found)) {
                throw SchemaException.incomplete(found, missing(found));
            }
            return schema(found);
        });
    }

    private SagaSchema bringAbout() {
        // Not session-wide: behind a pooler the lock must go with the transaction.
        jdbc.sql("SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('saga_schema', 0))")
                .query()
                .listOfRows();
        SchemaState found = look();
        List<ClassPathResource> missing = missing(found);
        if (missing.isEmpty()) {
            return schema(found);
        }
        if (!found.mayCreate()) {
            throw SchemaException.mayNotCreate(found, missing);
        }
        try {
            new FlywayMigration(new OneTransaction(dataSource))
                    .run(found.schema(), missing, scripts.leaveAGapIn(found.versions()));
        } catch (RuntimeException failed) {
            throw SchemaException.migrationFailed(found, missing, failed);
        }
        SchemaState brought = look();
        if (!isComplete(brought)) {
            throw SchemaException.historyDisagrees(brought, missing(brought));
        }
        logger.info(
                "Brought saga's tables in schema '{}' from {} to {}",
                found.schema(),
                found.versions(),
                brought.versions());
        return schema(brought);
    }

    private SchemaState look() {
        SchemaState state = SchemaState.read(jdbc, configured);
        if (state.versions().stream().anyMatch(version -> version > scripts.latest())) {
            throw SchemaException.newer(state, scripts);
        }
        return state;
    }

    private boolean isComplete(SchemaState state) {
        return missing(state).isEmpty();
    }

    private List<ClassPathResource> missing(SchemaState state) {
        return scripts.missingIn(state.versions());
    }

    private static SagaSchema schema(SchemaState state) {
        return new SagaSchema(state.schema());
    }

    private SagaSchema answering(Supplier<SagaSchema> attempt) {
        try {
            return Objects.requireNonNull(transaction.execute(status -> {
                requirePostgres();
                return attempt.get();
            }));
        } catch (DataAccessException | TransactionException failed) {
            throw SchemaException.unreachable(failed);
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
