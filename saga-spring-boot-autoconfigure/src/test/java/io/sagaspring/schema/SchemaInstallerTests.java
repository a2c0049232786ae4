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
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.Driver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

class SchemaInstallerTests {

    private static final MigrationScripts NEXT = shippedAnd("db/saga-next", "V1000__later.sql");
    private static final MigrationScripts BROKEN = shippedAnd("db/saga-broken", "V1000__broken.sql");

    private static final List<Integer> SHIPPED =
            IntStream.rangeClosed(1, MigrationScripts.SHIPPED.latest()).boxed().toList();
    private static final List<Integer> UP_TO_NEXT =
            Stream.concat(SHIPPED.stream(), Stream.of(1000)).toList();

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    private static final List<String> TABLES = List.of(
            "saga_claim",
            "saga_due",
            "saga_effect_key",
            "saga_idempotency_key",
            "saga_lease",
            "saga_run",
            "saga_schema_history",
            "saga_schema_version",
            "saga_signal",
            "saga_step",
            "saga_turn");

    private static final Pattern DOCUMENTED = Pattern.compile("^\\| `(saga_\\w+)` \\| .+ \\|$", Pattern.MULTILINE);

    private final DataSource dataSource = database.dataSource();
    private final JdbcClient jdbc = JdbcClient.create(dataSource);

    @Test
    void bringsAllTablesToAnEmptyDatabase() {
        SagaSchema schema = new SchemaInstaller(dataSource, null).migrate();

        assertThat(schema.name()).isEqualTo("public");
        assertThat(tablesIn("public")).containsExactlyElementsOf(TABLES);
        assertThat(version("public")).isEqualTo(MigrationScripts.SHIPPED.latest());
    }

    /** The indexes of a table, and the sequence of its identity column, are part of it. */
    @Test
    void theDocumentsHaveARowForEachTableAndSequence() throws IOException {
        new SchemaInstaller(dataSource, null).migrate();

        List<String> made = jdbc.sql("""
                SELECT c.relname FROM pg_class AS c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'S')
                AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'i')""").query(String.class).list();
        List<String> written = DOCUMENTED
                .matcher(Files.readString(Path.of("../docs/schema.md")))
                .results()
                .map(row -> row.group(1))
                .toList();

        assertThat(written).containsExactlyInAnyOrderElementsOf(made);
    }

    @Test
    void leavesAloneWhatTheApplicationHasInTheSameSchema() {
        jdbc.sql("CREATE TABLE invoice (id bigint)").update();
        jdbc.sql("INSERT INTO invoice VALUES (7)").update();

        new SchemaInstaller(dataSource, null).migrate();

        assertThat(jdbc.sql("SELECT id FROM invoice").query(Long.class).list()).containsExactly(7L);
        assertThat(tablesIn("public")).contains("saga_schema_version");
    }

    @Test
    void createsTheConfiguredSchemaAndNothingOutsideIt() {
        SagaSchema schema = new SchemaInstaller(dataSource, new SchemaName("orders")).migrate();

        assertThat(schema.table("saga_schema_version")).isEqualTo("\"orders\".\"saga_schema_version\"");
        assertThat(tablesIn("orders")).containsExactlyElementsOf(TABLES);
        assertThat(tablesIn("public")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"select", "user", "_", "x23456789_123456789_123456789_123456789_123456789_123456789_123"})
    void takesAnyNameThatTheRuleAllowsAlsoAReservedWord(String name) {
        new SchemaInstaller(dataSource, new SchemaName(name)).migrate();

        assertThat(new SchemaInstaller(dataSource, new SchemaName(name))
                        .verify()
                        .name())
                .isEqualTo(name);
        assertThat(tablesIn(name)).hasSameSizeAs(TABLES);
    }

    @Test
    void worksInACurrentSchemaWhoseNameNeedsQuotes() {
        jdbc.sql("CREATE SCHEMA \"Ada's \"\"own\"\" schema\"").update();
        PGSimpleDataSource there = asOwner();
        there.setCurrentSchema("\"Ada's \"\"own\"\" schema\"");

        SagaSchema schema = new SchemaInstaller(there, null).migrate();

        assertThat(schema.table("saga_x")).isEqualTo("\"Ada's \"\"own\"\" schema\".\"saga_x\"");
        assertThat(tablesIn("Ada's \"own\" schema")).hasSameSizeAs(TABLES);
    }

    @Test
    void goesOnWhereAnEarlierVersionStopped() {
        new SchemaInstaller(dataSource, null).migrate();

        new SchemaInstaller(dataSource, null, NEXT).migrate();

        assertThat(version("public")).isEqualTo(1000);
        assertThat(tablesIn("public")).contains("saga_later");
    }

    @Test
    void goesOnWhereSomebodyHasRunTheScriptsByHand() {
        runShippedByHand();

        new SchemaInstaller(dataSource, null, NEXT).migrate();

        assertThat(version("public")).isEqualTo(1000);
        assertThat(tablesIn("public")).contains("saga_later");
    }

    @Test
    void verifiesWhatSomebodyHasRunByHand() {
        runShippedByHand();

        assertThat(new SchemaInstaller(dataSource, null).verify().name()).isEqualTo("public");
        assertThat(tablesIn("public")).contains("saga_claim").doesNotContain("saga_schema_history");
    }

    @Test
    void verifyingNamesTheMissingVersionAndWhereItsScriptsLie() {
        new SchemaInstaller(dataSource, null).migrate();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null, NEXT).verify())
                .withMessageContaining("lacks saga's tables of version 1000,")
                .withMessageContaining("/db/saga-next/V1000__later.sql")
                .withMessageNotContaining("V1__")
                .withMessageContaining("saga.schema.migrate=true");
        assertThat(tablesIn("public")).doesNotContain("saga_later");
    }

    @Test
    void verifyingASchemaThatDoesNotExistNamesEveryScript() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, new SchemaName("absent"), NEXT).verify())
                .withMessageContaining(
                        "Schema 'absent' lacks saga's tables of version %s,".formatted(enumerated(UP_TO_NEXT)))
                .withMessageContaining("/db/saga-next/V1__schema_version.sql")
                .withMessageContaining("/db/saga-next/V1000__later.sql");
        assertThat(jdbc.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'absent'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void refusesTablesOfANewerVersionAndLeavesThemAlone() {
        new SchemaInstaller(dataSource, null, NEXT).migrate();

        for (Callable<SagaSchema> start : startsWithoutConfiguredSchema()) {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(start::call)
                    .withMessageContaining("has versions " + UP_TO_NEXT)
                    .withMessageContaining("knows them up to %d.".formatted(MigrationScripts.SHIPPED.latest()));
        }
        assertThat(version("public")).isEqualTo(1000);
    }

    @Test
    @ExpectsErrors("1000 - broken\" failed")
    void aScriptThatFailsLeavesNothingAndSaysWhy() {
        new SchemaInstaller(dataSource, null).migrate();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null, BROKEN).migrate())
                .withMessageContaining("of version 1000")
                .withMessageContaining("division by zero")
                .withMessageContaining("/db/saga-broken/V1000__broken.sql");
        assertThat(tablesIn("public")).doesNotContain("saga_half");
        assertThat(version("public")).isEqualTo(MigrationScripts.SHIPPED.latest());
    }

    @Test
    @ExpectsErrors("1000 - broken\" failed")
    void aScriptThatFailsTakesTheOnesBeforeItBackWithIt() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, new SchemaName("orders"), BROKEN).migrate())
                .withMessageContaining("of version " + enumerated(UP_TO_NEXT))
                .withMessageContaining("Nothing of it remains");
        assertThat(jdbc.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'orders'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @RepeatedTest(3)
    void tenNodesThatStartAtOnceBringTheTablesOnce() throws Exception {
        jdbc.sql("CREATE TABLE invoice ()").update();

        race(10, () -> new SchemaInstaller(database.dataSource(), null, NEXT).migrate());

        assertThat(runsOf("public")).containsExactlyElementsOf(UP_TO_NEXT);
    }

    @RepeatedTest(3)
    void tenNodesThatStartAtOnceCreateTheConfiguredSchemaOnce() throws Exception {
        race(10, () -> new SchemaInstaller(database.dataSource(), new SchemaName("orders"), NEXT).migrate());

        assertThat(runsOf("orders")).containsExactlyElementsOf(UP_TO_NEXT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void tenNodesThatStartAtOnceOnAnEmptyDatabaseBringTheTablesOnceWhateverTheIsolation(String isolation)
            throws Exception {
        for (int round = 0; round < 2; round++) {
            try (TestDatabase empty = TestDatabase.create()) {
                prefer(isolation, empty);

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
    void whatSomebodyHasRunByHandAfterFlywayIsNotRunAgain() {
        new SchemaInstaller(dataSource, null).migrate();
        runByHand("db/saga-next/V1000__later.sql");

        new SchemaInstaller(dataSource, null, NEXT).migrate();

        assertThat(version("public")).isEqualTo(1000);
        assertThat(runsOf("public")).containsExactlyElementsOf(SHIPPED);
    }

    @Test
    void aScriptThatWasSkippedIsMissed() {
        runShippedByHand();
        jdbc.sql("UPDATE saga_schema_version SET version = 1000 WHERE version = 1")
                .update();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null, NEXT).verify())
                .withMessageContaining("lacks saga's tables of version 1,");
    }

    @Test
    void aScriptThatWasSkippedIsRunLater() {
        runShippedByHand();
        runByHand("db/saga-next/V1000__later.sql");
        new SchemaInstaller(dataSource, null, shippedAnd("db/saga-next", "V1000__later.sql", "V1001__latest.sql"))
                .migrate();
        jdbc.sql("DROP TABLE saga_later").update();
        jdbc.sql("DELETE FROM saga_schema_version WHERE version = 1000").update();

        new SchemaInstaller(dataSource, null, shippedAnd("db/saga-next", "V1000__later.sql", "V1001__latest.sql"))
                .migrate();

        assertThat(tablesIn("public")).contains("saga_later");
        assertThat(runsOf("public")).containsExactly(1001, 1000);
    }

    @Test
    void anEmptiedVersionTableIsExplained() {
        new SchemaInstaller(dataSource, null).migrate();
        jdbc.sql("TRUNCATE saga_schema_version").update();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null).migrate())
                .withMessageContaining("saga_schema_history says that version %s of saga's tables was made"
                        .formatted(enumerated(SHIPPED)))
                .withMessageContaining("emptied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TABLE saga_schema_version ()", "SEQUENCE saga_schema_version"})
    void aNameThatIsTakenIsExplained(String foreign) {
        jdbc.sql("CREATE " + foreign).update();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null).migrate())
                .withMessageContaining("There is a \"public\".\"saga_schema_version\"")
                .withMessageContaining("saga.schema.name");
    }

    @Test
    void aReadOnlyConnectionIsToldSoAtOnce() {
        PGSimpleDataSource readOnly = asOwner();
        readOnly.setOptions("-c default_transaction_read_only=on");

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(readOnly, null).migrate())
                .withMessageContaining("may not create them: its transactions are read-only.");
        new SchemaInstaller(dataSource, null).migrate();
        assertThat(new SchemaInstaller(readOnly, null).verify().name()).isEqualTo("public");
    }

    @Test
    void aRoleThatMayNotCreateTheSchemaIsToldToHaveItCreated() {
        String tenant = createRole();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> new SchemaInstaller(as(tenant), new SchemaName("absent")).migrate())
                    .withMessageContaining("the schema does not exist, and it lacks CREATE on the database")
                    .withMessageContaining("CREATE SCHEMA \"absent\"\n");
        } finally {
            drop(tenant);
        }
    }

    @Test
    void aStartThatFindsAllTablesNeedsNoRightToCreateAny() {
        new SchemaInstaller(dataSource, new SchemaName("saga")).migrate();
        String role = createRole();
        jdbc.sql("""
                ALTER ROLE %1$s SET search_path = '';
                GRANT USAGE ON SCHEMA saga TO %1$s;
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA saga TO %1$s""".formatted(role)).update();
        try {
            PGSimpleDataSource clerk = as(role);

            assertThat(new SchemaInstaller(clerk, new SchemaName("saga"))
                            .verify()
                            .name())
                    .isEqualTo("saga");
            assertThat(new SchemaInstaller(clerk, new SchemaName("saga"))
                            .migrate()
                            .name())
                    .isEqualTo("saga");
        } finally {
            drop(role);
        }
    }

    @Test
    void sameNamedTablesInPublicLeadNobodyAstray() {
        new SchemaInstaller(dataSource, new SchemaName("saga")).migrate();
        jdbc.sql("CREATE TABLE public.saga_schema_version AS SELECT 99 AS version")
                .update();
        jdbc.sql("CREATE TABLE public.saga_schema_history AS SELECT 'poison' AS version")
                .update();

        assertThat(new SchemaInstaller(dataSource, new SchemaName("saga"))
                        .verify()
                        .name())
                .isEqualTo("saga");
        new SchemaInstaller(dataSource, new SchemaName("saga"), NEXT).migrate();

        assertThat(version("saga")).isEqualTo(1000);
        assertThat(tablesIn("public")).containsExactly("saga_schema_history", "saga_schema_version");
    }

    @Test
    void aRoleWithoutASchemaIsToldToNameOne() {
        PGSimpleDataSource nowhere = asOwner();
        nowhere.setCurrentSchema("nowhere");

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(nowhere, null).migrate())
                .withMessageContaining("the search_path is empty or names none that exists")
                .withMessageContaining("saga.schema.name");
    }

    @Test
    void aRoleThatMayNotReadTheTablesIsToldWhatToGrant() {
        new SchemaInstaller(dataSource, new SchemaName("saga")).migrate();
        String stranger = createRole();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> new SchemaInstaller(as(stranger), new SchemaName("saga")).verify())
                    .withMessageContaining("Role '" + stranger + "' may not read \"saga\".\"saga_schema_version\"")
                    .withMessageContaining("USAGE on the schema");
        } finally {
            drop(stranger);
        }
    }

    @Test
    void aRoleThatMayNotCreateTablesIsToldHowToDoWithout() {
        String reader = createRole();
        jdbc.sql("REVOKE CREATE ON SCHEMA public FROM public").update();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> new SchemaInstaller(as(reader), null).migrate())
                    .withMessageContaining("role '" + reader + "' may not create them: it lacks CREATE on the schema.")
                    .withMessageContaining("saga.schema.migrate=false")
                    .withMessageContaining("/io/sagaspring/schema/V1__schema_version.sql");
        } finally {
            drop(reader);
        }
    }

    @Test
    void anotherDatabaseThanPostgresqlIsRefused() {
        DataSource h2 = new SimpleDriverDataSource(new Driver(), "jdbc:h2:mem:other;MODE=PostgreSQL");

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(h2, null).migrate())
                .withMessageContaining("The data source is H2 2")
                .withMessageContaining("@SagaDataSource")
                .withMessageContaining("saga.enabled=false");
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsRefused() {
        DataSource dead = new DriverManagerDataSource("jdbc:postgresql://localhost:1/none");

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dead, null).migrate())
                .withMessageContaining(
                        "could not be reached to look for saga's tables: Connection to localhost:1 refused")
                .withMessageContaining("URL, user and password");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bringsTheTablesThroughAPoolOfOneAndGivesItsConnectionBackAsItWas(boolean autoCommit) {
        try (HikariDataSource pool = pool(1, autoCommit)) {
            new SchemaInstaller(pool, new SchemaName("saga"), NEXT).migrate();

            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            assertThat(JdbcClient.create(pool)
                            .sql("SHOW search_path")
                            .query(String.class)
                            .single())
                    .isEqualTo("\"$user\", public");
        }
    }

    private static MigrationScripts shippedAnd(String location, String... further) {
        return MigrationScripts.in(
                location,
                Stream.concat(MigrationScriptsTests.names().stream(), Stream.of(further))
                        .toArray(String[]::new));
    }

    private List<Callable<SagaSchema>> startsWithoutConfiguredSchema() {
        SchemaInstaller installer = new SchemaInstaller(dataSource, null);
        return List.of(installer::migrate, installer::verify);
    }

    private HikariDataSource pool(int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(5_000);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private static void prefer(String isolation, TestDatabase database) {
        JdbcClient.create(database.dataSource())
                .sql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L',"
                        + " current_database(), '" + isolation + "'); END $$")
                .update();
    }

    /** Roles belong to the server, which these tests may share with others. */
    private String createRole() {
        String role = "role_" + UUID.randomUUID().toString().replace("-", "");
        jdbc.sql("CREATE ROLE %s LOGIN PASSWORD '%s'".formatted(role, role)).update();
        return role;
    }

    private PGSimpleDataSource asOwner() {
        PGSimpleDataSource owner = as(String.valueOf(database.getUsername()));
        owner.setPassword(database.getPassword());
        return owner;
    }

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl(database.getJdbcUrl());
        other.setUser(role);
        other.setPassword(role);
        return other;
    }

    private void drop(String role) {
        jdbc.sql("DROP OWNED BY " + role).update();
        jdbc.sql("DROP ROLE " + role).update();
    }

    private void runShippedByHand() {
        MigrationScripts.SHIPPED.all().forEach(script -> runByHand(script.file().getPath()));
    }

    private void runByHand(String script) {
        new ResourceDatabasePopulator(new ClassPathResource(script)).execute(dataSource);
    }

    private List<String> tablesIn(String schema) {
        return jdbc.sql("SELECT tablename FROM pg_tables WHERE schemaname = ? ORDER BY tablename")
                .param(schema)
                .query(String.class)
                .list();
    }

    private int version(String schema) {
        return jdbc.sql("SELECT max(version) FROM " + schema + ".saga_schema_version")
                .query(Integer.class)
                .single();
    }

    private static String enumerated(List<Integer> versions) {
        return versions.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private List<Integer> runsOf(String schema) {
        return jdbc.sql("SELECT version FROM " + schema
                        + ".saga_schema_history WHERE type = 'SQL' AND success ORDER BY installed_rank")
                .query(Integer.class)
                .list();
    }

    /** Lets all start at one barrier, and fails with the first that fails. */
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
