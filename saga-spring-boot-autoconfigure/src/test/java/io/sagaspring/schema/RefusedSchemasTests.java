package io.sagaspring.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** The installer refuses a schema that it cannot use, and names the reason and the remedy. */
class RefusedSchemasTests extends SchemasOnPostgres {

    @Test
    void tablesOfANewerVersionAreRefusedAndLeftAlone() {
        new SchemaInstaller(dataSource, null, NEXT).migrate();

        for (Callable<SagaSchema> start : startsWithoutConfiguredSchema()) {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(start::call)
                    .withMessageContaining("has versions " + UP_TO_NEXT)
                    .withMessageContaining(
                            "knows only versions up to %d.".formatted(MigrationScripts.SHIPPED.latest()));
        }
        assertThat(version("public")).isEqualTo(1000);
    }

    @Test
    void theErrorExplainsThatTheVersionTableWasEmptied() {
        new SchemaInstaller(dataSource, null).migrate();
        jdbc.sql("TRUNCATE saga_schema_version").update();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null).migrate())
                .withMessageContaining("that saga_schema_version does not: %s".formatted(enumerated(SHIPPED)))
                .withMessageContaining("emptied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TABLE saga_schema_version ()", "SEQUENCE saga_schema_version"})
    void aForeignObjectWithTheNameOfATableIsRefusedWithARemedy(String foreign) {
        jdbc.sql("CREATE " + foreign).update();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(dataSource, null).migrate())
                .withMessageContaining("\"public\".\"saga_schema_version\" exists")
                .withMessageContaining("saga.schema.name");
    }

    @Test
    void aMigrationOverAReadOnlyConnectionIsRefused() {
        PGSimpleDataSource readOnly = asOwner();
        readOnly.setOptions("-c default_transaction_read_only=on");

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(readOnly, null).migrate())
                .withMessageContaining(
                        "is not allowed to create them: its transactions are read-only, because default_transaction_read_only is on or the server is a standby.");
        new SchemaInstaller(dataSource, null).migrate();
        assertThat(new SchemaInstaller(readOnly, null).verify().name()).isEqualTo("public");
    }

    @Test
    void aRoleThatMayNotCreateTheSchemaIsRefusedWithTheNecessaryStatement() {
        String tenant = createRole();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> new SchemaInstaller(as(tenant), "absent").migrate())
                    .withMessageContaining("the schema does not exist, and the role lacks CREATE on the database")
                    .withMessageContaining("CREATE SCHEMA \"absent\"\n");
        } finally {
            drop(tenant);
        }
    }

    @Test
    void aStartThatFindsAllTablesNeedsNoRightToCreateTables() {
        new SchemaInstaller(dataSource, "saga").migrate();
        String role = createRole();
        jdbc.sql("""
                ALTER ROLE %1$s SET search_path = '';
                GRANT USAGE ON SCHEMA saga TO %1$s;
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA saga TO %1$s""".formatted(role)).update();
        try {
            PGSimpleDataSource clerk = as(role);

            assertThat(new SchemaInstaller(clerk, "saga").verify().name()).isEqualTo("saga");
            assertThat(new SchemaInstaller(clerk, "saga").migrate().name()).isEqualTo("saga");
        } finally {
            drop(role);
        }
    }

    @Test
    void aRoleWithoutACurrentSchemaIsRefusedWithThePropertyToSet() {
        PGSimpleDataSource nowhere = asOwner();
        nowhere.setCurrentSchema("nowhere");

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> new SchemaInstaller(nowhere, null).migrate())
                .withMessageContaining("the search_path is empty or names no existing schema")
                .withMessageContaining("saga.schema.name");
    }

    @Test
    void aRoleThatMayNotReadTheTablesIsRefusedWithTheRightsThatItLacks() {
        new SchemaInstaller(dataSource, "saga").migrate();
        String stranger = createRole();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> new SchemaInstaller(as(stranger), "saga").verify())
                    .withMessageContaining(
                            "Role '" + stranger + "' is not allowed to read \"saga\".\"saga_schema_version\"")
                    .withMessageContaining("USAGE on the schema");
        } finally {
            drop(stranger);
        }
    }

    @Test
    void aRoleThatMayNotCreateTablesIsRefusedWithARemedy() {
        String reader = createRole();
        jdbc.sql("REVOKE CREATE ON SCHEMA public FROM public").update();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> new SchemaInstaller(as(reader), null).migrate())
                    .withMessageContaining(
                            "role '" + reader + "' is not allowed to create them: the role lacks CREATE on the schema.")
                    .withMessageContaining("saga.schema.migrate=false")
                    .withMessageContaining("/io/sagaspring/schema/V1__schema_version.sql");
        } finally {
            drop(reader);
        }
    }

    @Test
    void aDatabaseOtherThanPostgresqlIsRefused() {
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
                        "could not be reached to look for Saga's tables: Connection to localhost:1 refused")
                .withMessageContaining("URL, user and password");
    }

    private List<Callable<SagaSchema>> startsWithoutConfiguredSchema() {
        SchemaInstaller installer = new SchemaInstaller(dataSource, null);
        return List.of(installer::migrate, installer::verify);
    }

    /** Creates a role with a random name, because roles belong to the server, which other tests may share. */
    private String createRole() {
        String role = "role_" + UUID.randomUUID().toString().replace("-", "");
        jdbc.sql("CREATE ROLE %s LOGIN PASSWORD '%s'".formatted(role, role)).update();
        return role;
    }

    private void drop(String role) {
        jdbc.sql("DROP OWNED BY " + role).update();
        jdbc.sql("DROP ROLE " + role).update();
    }
}
