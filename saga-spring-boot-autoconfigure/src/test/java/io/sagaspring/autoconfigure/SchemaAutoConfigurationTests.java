package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.SagaSchema;
import io.sagaspring.startup.StartupFaultException;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

class SchemaAutoConfigurationTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    private final ApplicationContextRunner withoutDataSource =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SchemaAutoConfiguration.class));

    private final ApplicationContextRunner application = withoutDataSource
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withBean(JdbcConnectionDetails.class, () -> database, definition -> definition.setDestroyMethodName(""));

    @Test
    void anApplicationWithADataSourceHasTheTablesOnceItHasStarted() {
        application.run(context -> {
            assertThat(context).hasSingleBean(SagaSchema.class);
            assertThat(tables())
                    .containsExactly(
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
        });
    }

    @Test
    void theNameOfTheSchemaCanBeConfigured() {
        application.withPropertyValues("saga.schema.name=orders").run(context -> {
            assertThat(context.getBean(SagaSchema.class).table("saga_x")).isEqualTo("\"orders\".\"saga_x\"");
            assertThat(tables()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Orders",
                "x;drop table t",
                "a\"b",
                "a'b",
                "a--",
                "a/*",
                "public.t",
                "1st",
                "pg_temp",
                "information_schema",
                "U&\"0061\"",
                "раyments",
                "a\u0000b",
                "a\nb",
                "$$",
                "%s",
                "?",
                ":name",
                "x23456789_123456789_123456789_123456789_123456789_123456789_1234"
            })
    void anInvalidSchemaNameIsRefusedBeforeItReachesTheDatabase(String name) {
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("test", Map.of("saga.schema.name", name))))
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("saga.schema.name");
                    assertThat(tables()).isEmpty();
                });
    }

    @Test
    void tablesAreVerifiedButNotCreatedIfMigrationIsSwitchedOff() {
        application.withPropertyValues("saga.schema.migrate=false").run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(StartupFaultException.class)
                    .hasMessageContaining("/io/sagaspring/schema/V1__schema_version.sql");
            assertThat(tables()).isEmpty();
        });
        application.run(started());

        application.withPropertyValues("saga.schema.migrate=false").run(started());
    }

    @Test
    void lazyInitializationDoesNotPostponeTheCreationOfTheTables() {
        application
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(tables()).contains("saga_schema_version"));
    }

    @Test
    void theLibraryCanBeSwitchedOff() {
        application.withPropertyValues("saga.enabled=false").run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(SagaSchema.class);
            assertThat(tables()).isEmpty();
        });
    }

    @Nested
    class NextToTheApplicationsMigrations {

        private final ApplicationContextRunner withFlyway = application
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("spring.flyway.locations=classpath:db/application");

        private final ApplicationContextRunner withLiquibase = application
                .withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues("spring.liquibase.change-log=classpath:db/changelog/application.yaml");

        @Test
        void flywayMigratesAFreshDatabaseOnceAndTheNextStartSucceeds() {
            withFlyway.run(started());
            withFlyway.run(started());

            assertThat(tables())
                    .contains("flyway_schema_history", "invoice", "saga_schema_history", "saga_schema_version");
            assertThat(jdbc.sql("SELECT count(*) FROM flyway_schema_history")
                            .query(Integer.class)
                            .single())
                    .isOne();
        }

        @Test
        void theStarterCanBeAddedToAnApplicationWithFlyway() {
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class))
                    .withBean(
                            JdbcConnectionDetails.class,
                            () -> database,
                            definition -> definition.setDestroyMethodName(""))
                    .withPropertyValues("spring.flyway.locations=classpath:db/application")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(tables()).doesNotContain("saga_schema_version");

            withFlyway.run(started());

            assertThat(tables()).contains("saga_schema_version");
        }

        @Test
        void theStarterCanBeAddedToASchemaWithoutMigrations() {
            jdbc.sql("CREATE TABLE invoice ()").update();

            application.run(started());
            application.run(started());

            assertThat(tables()).contains("invoice", "saga_schema_history", "saga_schema_version");
        }

        @Test
        void flywayCanBeAddedToAnApplicationWithTheStarter() {
            application.run(started());

            // Flyway requires a baseline if an application has tables before its first migration.
            withFlyway
                    .withPropertyValues("spring.flyway.baseline-on-migrate=true", "spring.flyway.baseline-version=0")
                    .run(started());

            assertThat(tables())
                    .contains("flyway_schema_history", "invoice", "saga_schema_history", "saga_schema_version");
        }

        @Test
        void flywayNeedsNoBaselineIfSagaHasASchemaOfItsOwn() {
            application.withPropertyValues("saga.schema.name=saga").run(started());

            withFlyway.withPropertyValues("saga.schema.name=saga").run(started());

            assertThat(tables()).containsExactly("flyway_schema_history", "invoice");
        }

        @Test
        void theLibraryMigratesAfterAFlywayBeanOfTheApplication() {
            // The JDBC bean is defined first. Without an explicit order, the creation of this bean would also create
            // our tables, before the Flyway bean runs.
            application
                    .withUserConfiguration(OwnFlyway.class)
                    .withConfiguration(AutoConfigurations.of(JdbcTemplateAutoConfiguration.class))
                    .run(started());

            assertThat(tables()).contains("flyway_schema_history", "invoice", "saga_schema_version");
        }

        @Test
        void liquibaseMigratesAFreshDatabaseAndTheNextStartSucceeds() {
            withLiquibase.run(started());
            withLiquibase.run(started());

            assertThat(tables()).contains("databasechangelog", "invoice", "saga_schema_version");
        }

        @Test
        void liquibaseCanBeAddedToAnApplicationWithTheStarter() {
            application.run(started());
            withLiquibase.run(started());

            assertThat(tables()).contains("databasechangelog", "invoice", "saga_schema_version");
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void jpaFindsTheTablesWhenItStarts(boolean flyway) {
            // While Hibernate creates the factory, it validates the entity Version, which is mapped to one of our
            // tables.
            (flyway ? withFlyway : application)
                    .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                    .withUserConfiguration(WithEntity.class)
                    .withPropertyValues("spring.jpa.hibernate.ddl-auto=validate")
                    .run(context -> assertThat(context).hasNotFailed().hasSingleBean(EntityManagerFactory.class));
        }
    }

    @Test
    void theContextStartsWithoutADataSource() {
        withoutDataSource.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SagaSchema.class));
    }

    private List<String> tables() {
        return jdbc.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
                .query(String.class)
                .list();
    }

    private static ContextConsumer<AssertableApplicationContext> started() {
        return context -> assertThat(context).hasNotFailed().hasSingleBean(SagaSchema.class);
    }

    @Entity
    @Table(name = "saga_schema_version")
    static class Version {

        @Id
        Integer version = 0;
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class WithEntity {}

    @Configuration(proxyBeanMethods = false)
    static class OwnFlyway {

        @Bean
        String usesJdbc(JdbcTemplate jdbc) {
            return jdbc.toString();
        }

        @Bean(initMethod = "migrate")
        Flyway flyway(DataSource dataSource) {
            return Flyway.configure()
                    .dataSource(dataSource)
                    .locations("classpath:db/application")
                    .load();
        }
    }
}
