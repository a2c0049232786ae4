package io.sagaspring.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The installer creates its tables once, in the configured schema, and changes nothing else. */
class SchemaInstallerTests extends SchemasOnPostgres {

    private static final MigrationScripts BROKEN = shippedAnd("db/saga-broken", "V1000__broken.sql");
    private static final List<String> TABLES = List.of(
            "saga_audit",
            "saga_claim",
            "saga_delivery",
            "saga_due",
            "saga_effect_key",
            "saga_idempotency_key",
            "saga_key_permit",
            "saga_label",
            "saga_lease",
            "saga_pause",
            "saga_permit",
            "saga_queue",
            "saga_rate",
            "saga_run",
            "saga_schedule",
            "saga_schedule_firing",
            "saga_schema_history",
            "saga_schema_version",
            "saga_signal",
            "saga_step",
            "saga_turn");
    private static final Pattern DOCUMENTED = Pattern.compile("^\\| `(saga_\\w+)` \\| .+ \\|$", Pattern.MULTILINE);

    @Test
    void theInstallerCreatesAllTablesInAnEmptyDatabase() {
        SagaSchema schema = new SchemaInstaller(dataSource, null).migrate();

        assertThat(schema.name()).isEqualTo("public");
        assertThat(tablesIn("public")).containsExactlyElementsOf(TABLES);
        assertThat(version("public")).isEqualTo(MigrationScripts.SHIPPED.latest());
    }

    /** The indexes of a table and the sequence of its identity column belong to the table and need no row. */
    @Test
    void theSchemaPageHasARowForEachTableAndSequence() throws IOException {
        new SchemaInstaller(dataSource, null).migrate();

        List<String> created = jdbc.sql("""
                SELECT c.relname FROM pg_class AS c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'S')
                AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'i')""").query(String.class).list();
        List<String> documented = DOCUMENTED
                .matcher(Files.readString(Path.of("../docs/schema.md")))
                .results()
                .map(row -> row.group(1))
                .toList();

        assertThat(documented).containsExactlyInAnyOrderElementsOf(created);
    }

    @Test
    void tablesOfTheApplicationInTheSameSchemaAreLeftAlone() {
        jdbc.sql("CREATE TABLE invoice (id bigint)").update();
        jdbc.sql("INSERT INTO invoice VALUES (7)").update();

        new SchemaInstaller(dataSource, null).migrate();

        assertThat(jdbc.sql("SELECT id FROM invoice").query(Long.class).list()).containsExactly(7L);
        assertThat(tablesIn("public")).contains("saga_schema_version");
    }

    @Test
    void theInstallerCreatesTheConfiguredSchemaAndNothingOutsideIt() {
        SagaSchema schema = new SchemaInstaller(dataSource, "orders").migrate();

        assertThat(schema.table("saga_schema_version")).isEqualTo("\"orders\".\"saga_schema_version\"");
        assertThat(tablesIn("orders")).containsExactlyElementsOf(TABLES);
        assertThat(tablesIn("public")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"select", "user", "_", "x23456789_123456789_123456789_123456789_123456789_123456789_123"})
    void aSchemaCanHaveAnyAllowedNameEvenAReservedWord(String name) {
        new SchemaInstaller(dataSource, name).migrate();

        assertThat(new SchemaInstaller(dataSource, name).verify().name()).isEqualTo(name);
        assertThat(tablesIn(name)).hasSameSizeAs(TABLES);
    }

    @Test
    void theCurrentSchemaCanHaveANameThatNeedsQuotes() {
        jdbc.sql("CREATE SCHEMA \"Ada's \"\"own\"\" schema\"").update();
        PGSimpleDataSource there = asOwner();
        there.setCurrentSchema("\"Ada's \"\"own\"\" schema\"");

        SagaSchema schema = new SchemaInstaller(there, null).migrate();

        assertThat(schema.table("saga_x")).isEqualTo("\"Ada's \"\"own\"\" schema\".\"saga_x\"");
        assertThat(tablesIn("Ada's \"own\" schema")).hasSameSizeAs(TABLES);
    }

    @Test
    void theInstallerContinuesWhereAnEarlierVersionStopped() {
        new SchemaInstaller(dataSource, null).migrate();

        new SchemaInstaller(dataSource, null, NEXT).migrate();

        assertThat(version("public")).isEqualTo(1000);
        assertThat(tablesIn("public")).contains("saga_later");
    }

    @Test
    @ExpectsErrors("1000 - broken\" failed")
    void aFailedScriptChangesNothingAndTheErrorNamesTheReason() {
        new SchemaInstaller(dataSource, null).migrate();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null, BROKEN).migrate())
                .withMessageContaining("(versions: 1000)")
                .withMessageContaining("division by zero")
                .withMessageContaining("/db/saga-broken/V1000__broken.sql");
        assertThat(tablesIn("public")).doesNotContain("saga_half");
        assertThat(version("public")).isEqualTo(MigrationScripts.SHIPPED.latest());
    }

    @Test
    @ExpectsErrors("1000 - broken\" failed")
    void aFailedScriptRollsBackTheScriptsBeforeIt() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, "orders", BROKEN).migrate())
                .withMessageContaining("(versions: %s)".formatted(enumerated(UP_TO_NEXT)))
                .withMessageContaining("The database was not changed");
        assertThat(jdbc.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'orders'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @RepeatedTest(3)
    void tenNodesThatStartTogetherCreateTheTablesOnce() throws Exception {
        jdbc.sql("CREATE TABLE invoice ()").update();

        race(10, () -> new SchemaInstaller(database.dataSource(), null, NEXT).migrate());

        assertThat(executedVersions("public")).containsExactlyElementsOf(UP_TO_NEXT);
    }

    @RepeatedTest(3)
    void tenNodesThatStartTogetherCreateTheConfiguredSchemaOnce() throws Exception {
        race(10, () -> new SchemaInstaller(database.dataSource(), "orders", NEXT).migrate());

        assertThat(executedVersions("orders")).containsExactlyElementsOf(UP_TO_NEXT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void tenNodesCreateTheTablesOnceInAnEmptyDatabaseAtEveryIsolationLevel(String isolation) throws Exception {
        for (int round = 0; round < 2; round++) {
            try (TestDatabase empty = TestDatabase.create()) {
                setDefaultIsolation(isolation, empty);

                race(10, () -> new SchemaInstaller(empty.dataSource(), null, NEXT).migrate());

                assertThat(JdbcClient.create(empty.dataSource())
                                .sql("SELECT version FROM saga_schema_version ORDER BY version")
                                .query(Integer.class)
                                .list())
                        .containsExactlyElementsOf(UP_TO_NEXT);
            }
        }
    }

    @Test
    void tablesOfTheSameNameInPublicDoNotMisleadTheInstaller() {
        new SchemaInstaller(dataSource, "saga").migrate();
        jdbc.sql("CREATE TABLE public.saga_schema_version AS SELECT 99 AS version")
                .update();
        jdbc.sql("CREATE TABLE public.saga_schema_history AS SELECT 'poison' AS version")
                .update();

        assertThat(new SchemaInstaller(dataSource, "saga").verify().name()).isEqualTo("saga");
        new SchemaInstaller(dataSource, "saga", NEXT).migrate();

        assertThat(version("saga")).isEqualTo(1000);
        assertThat(tablesIn("public")).containsExactly("saga_schema_history", "saga_schema_version");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theInstallerNeedsOneConnectionAndReturnsTheConnectionUnchanged(boolean autoCommit) {
        try (HikariDataSource pool = pool(1, autoCommit)) {
            new SchemaInstaller(pool, "saga", NEXT).migrate();

            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            assertThat(JdbcClient.create(pool)
                            .sql("SHOW search_path")
                            .query(String.class)
                            .single())
                    .isEqualTo("\"$user\", public");
        }
    }

    private HikariDataSource pool(int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(5_000);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private static void setDefaultIsolation(String isolation, TestDatabase database) {
        JdbcClient.create(database.dataSource())
                .sql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L',"
                        + " current_database(), '" + isolation + "'); END $$")
                .update();
    }

    /** Starts all nodes at the same time, and fails if any node fails. */
    private static <T extends @Nullable Object> void race(int nodes, Callable<T> start) throws Exception {
        var barrier = new CyclicBarrier(nodes);
        var threads = Executors.newFixedThreadPool(nodes);
        try {
            List<Future<T>> all = new ArrayList<>();
            for (int node = 0; node < nodes; node++) {
                all.add(threads.submit(() -> {
                    barrier.await(30, TimeUnit.SECONDS);
                    return start.call();
                }));
            }
            for (Future<T> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
