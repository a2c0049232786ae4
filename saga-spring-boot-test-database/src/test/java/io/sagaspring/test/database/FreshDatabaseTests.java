package io.sagaspring.test.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A test class gets its own database with one annotation and no properties. */
class FreshDatabaseTests {

    /** The databases that the classes have seen. The classes may run in any order. */
    private static final Map<Class<?>, String> seen = new ConcurrentHashMap<>();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DataSourceAutoConfiguration.class)
    static class Application {}

    abstract static class DatabaseUser {

        @Autowired
        DataSource dataSource;

        String database() {
            return JdbcClient.create(dataSource)
                    .sql("SELECT current_database()")
                    .query(String.class)
                    .single();
        }

        boolean hasTable(String name) {
            return JdbcClient.create(dataSource)
                    .sql("SELECT to_regclass(?) IS NOT NULL")
                    .param(name)
                    .query(Boolean.class)
                    .single();
        }

        void assertDatabaseBelongsTo(Class<?> owner) {
            assertThat(database()).startsWith("saga_test_");
            seen.merge(owner, database(), (first, second) -> {
                assertThat(second).isEqualTo(first);
                return second;
            });
            assertThat(seen.values()).doesNotHaveDuplicates();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    class OneClass extends DatabaseUser {

        @Autowired
        TestDatabase injected;

        @Test
        void aClassHasADatabaseOfItsOwn() {
            assertDatabaseBelongsTo(OneClass.class);
        }

        @Test
        void theDatabaseIsEmptySoThatTheApplicationMigratesItAsInProduction() {
            assertThat(JdbcClient.create(dataSource)
                            .sql("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
                            .query(Integer.class)
                            .single())
                    .isZero();
        }

        @Test
        void aTestClassCanInjectItsDatabase() {
            assertThat(injected.getJdbcUrl()).contains(database());
        }

        @Nested
        class AClassWithin extends DatabaseUser {

            @Test
            void aNestedClassSharesTheDatabaseOfItsEnclosingClass() {
                assertDatabaseBelongsTo(OneClass.class);
            }
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    class AnotherClassOfTheSameConfiguration extends DatabaseUser {

        @Test
        void aSecondClassWithTheSameConfigurationHasADatabaseOfItsOwn() {
            assertDatabaseBelongsTo(AnotherClassOfTheSameConfiguration.class);
        }
    }

    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    abstract static class Annotated extends DatabaseUser {}

    @Nested
    class OneSubclass extends Annotated {

        @Test
        void aSubclassOfAnAnnotatedClassHasADatabaseOfItsOwn() {
            assertDatabaseBelongsTo(OneSubclass.class);
        }
    }

    @Nested
    class AnotherSubclass extends Annotated {

        @Test
        void aSecondSubclassOfTheAnnotatedClassHasADatabaseOfItsOwn() {
            assertDatabaseBelongsTo(AnotherSubclass.class);
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase(sharedAs = "invoices")
    class OneClassOfAGroup extends DatabaseUser {

        @Test
        void aClassOfAGroupSharesTheDatabaseOfTheGroup() {
            assertDatabaseBelongsTo(FreshDatabase.class);
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase(sharedAs = "invoices")
    class AnotherClassOfTheGroup extends DatabaseUser {

        @Test
        void aClassOfAGroupSharesTheDatabaseOfTheGroup() {
            assertDatabaseBelongsTo(FreshDatabase.class);
        }
    }

    static class WithLedger implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            JdbcClient.create(dataSource).sql("CREATE TABLE ledger ()").update();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase(template = WithLedger.class)
    class FromATemplate extends DatabaseUser {

        @Test
        void aDatabaseContainsTheTablesOfItsTemplate() {
            assertThat(hasTable("ledger")).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        FlywayAutoConfiguration.class,
        LiquibaseAutoConfiguration.class
    })
    static class ApplicationWithConnectionsOfItsOwn {

        @Bean
        JdbcConnectionDetails production() {
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return "nobody";
                }

                @Override
                public String getPassword() {
                    return "";
                }

                @Override
                public String getJdbcUrl() {
                    return "jdbc:postgresql://localhost:1/production";
                }
            };
        }
    }

    @Nested
    @SpringBootTest(
            classes = ApplicationWithConnectionsOfItsOwn.class,
            properties = {
                "spring.datasource.url=jdbc:postgresql://localhost:1/production",
                "spring.flyway.url=jdbc:postgresql://localhost:1/production",
                "spring.flyway.user=owner",
                "spring.flyway.baseline-on-migrate=true",
                "spring.liquibase.url=jdbc:postgresql://localhost:1/production",
                "spring.liquibase.change-log=classpath:changelog.yaml"
            })
    @FreshDatabase
    class AnApplicationWithConnectionsOfItsOwn extends DatabaseUser {

        @Test
        void anApplicationWithItsOwnConnectionDetailsUsesOnlyTheTestDatabase() {
            assertDatabaseBelongsTo(AnApplicationWithConnectionsOfItsOwn.class);
            assertThat(hasTable("flyway_schema_history")).isTrue();
            assertThat(hasTable("databasechangelog")).isTrue();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    class AnIdleContext extends DatabaseUser {

        /** A context in the cache must not keep idle connections. */
        @Test
        void aPoolHasNoMinimumOfIdleConnections() {
            assertThat(dataSource)
                    .isInstanceOfSatisfying(
                            HikariDataSource.class,
                            pool -> assertThat(pool.getMinimumIdle()).isZero());
        }
    }
}
