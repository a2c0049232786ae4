package io.sagaspring.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The installer does not repeat a script that a person has run. When it verifies the tables, it names a missing script.
 * When it migrates, it runs the missing script.
 */
class ScriptsRunByHandTests extends SchemasOnPostgres {

    @Test
    void theInstallerContinuesAfterScriptsThatWereRunByHand() {
        runShippedByHand();

        new SchemaInstaller(dataSource, null, NEXT).migrate();

        assertThat(version("public")).isEqualTo(1000);
        assertThat(tablesIn("public")).contains("saga_later");
    }

    @Test
    void theVerificationAcceptsTablesThatWereCreatedByHand() {
        runShippedByHand();

        assertThat(new SchemaInstaller(dataSource, null).verify().name()).isEqualTo("public");
        assertThat(tablesIn("public")).contains("saga_claim").doesNotContain("saga_schema_history");
    }

    @Test
    void theVerificationNamesTheMissingVersionAndItsScript() {
        new SchemaInstaller(dataSource, null).migrate();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null, NEXT).verify())
                .withMessageContaining("are missing or not up to date (missing versions: 1000),")
                .withMessageContaining("/db/saga-next/V1000__later.sql")
                .withMessageNotContaining("V1__")
                .withMessageContaining("saga.schema.migrate=true");
        assertThat(tablesIn("public")).doesNotContain("saga_later");
    }

    @Test
    void theVerificationOfAnAbsentSchemaNamesEveryScript() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, "absent", NEXT).verify())
                .withMessageContaining(
                        "Saga's tables in schema 'absent' are missing or not up to date (missing versions: %s),"
                                .formatted(enumerated(UP_TO_NEXT)))
                .withMessageContaining("/db/saga-next/V1__schema_version.sql")
                .withMessageContaining("/db/saga-next/V1000__later.sql");
        assertThat(jdbc.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'absent'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void aScriptThatWasRunByHandAfterAMigrationIsNotRunAgain() {
        new SchemaInstaller(dataSource, null).migrate();
        runByHand("db/saga-next/V1000__later.sql");

        new SchemaInstaller(dataSource, null, NEXT).migrate();

        assertThat(version("public")).isEqualTo(1000);
        assertThat(executedVersions("public")).containsExactlyElementsOf(SHIPPED);
    }

    @Test
    void theVerificationNamesAScriptThatWasSkipped() {
        runShippedByHand();
        jdbc.sql("UPDATE saga_schema_version SET version = 1000 WHERE version = 1")
                .update();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null, NEXT).verify())
                .withMessageContaining("are missing or not up to date (missing versions: 1),");
    }

    @Test
    void theNextMigrationRunsAScriptThatWasSkipped() {
        runShippedByHand();
        runByHand("db/saga-next/V1000__later.sql");
        new SchemaInstaller(dataSource, null, shippedAnd("db/saga-next", "V1000__later.sql", "V1001__latest.sql"))
                .migrate();
        jdbc.sql("DROP TABLE saga_later").update();
        jdbc.sql("DELETE FROM saga_schema_version WHERE version = 1000").update();

        new SchemaInstaller(dataSource, null, shippedAnd("db/saga-next", "V1000__later.sql", "V1001__latest.sql"))
                .migrate();

        assertThat(tablesIn("public")).contains("saga_later");
        assertThat(executedVersions("public")).containsExactly(1001, 1000);
    }

    private void runShippedByHand() {
        MigrationScripts.SHIPPED.all().forEach(script -> runByHand(script.file().getPath()));
    }

    private void runByHand(String script) {
        new ResourceDatabasePopulator(new ClassPathResource(script)).execute(dataSource);
    }
}
