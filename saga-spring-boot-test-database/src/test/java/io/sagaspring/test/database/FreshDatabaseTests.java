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

/** What a user's test class gets for one annotation and no properties. */
class FreshDatabaseTests {

    /** The database each class has seen, to compare them whatever the order in which the classes run. */
    private static final Map<Class<?>, String> seen = new ConcurrentHashMap<>();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DataSourceAutoConfiguration.class)
    static class Application {}

    abstract static class Asking {

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

        void isAloneIn(Class<?> owner) {
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
    class OneClass extends Asking {

        @Autowired
        TestDatabase injected;

        @Test
        void hasADatabaseOfItsOwn() {
            isAloneIn(OneClass.class);
        }

        @Test
        void startsEmptySoThatTheApplicationMigratesAsInProduction() {
            assertThat(JdbcClient.create(dataSource)
                            .sql("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
                            .query(Integer.class)
                            .single())
                    .isZero();
        }

        @Test
        void mayAskForTheDatabaseItself() {
            assertThat(injected.getJdbcUrl()).contains(database());
        }

        @Nested
        class AClassWithin extends Asking {

            @Test
            void sharesTheDatabaseOfTheClassAroundIt() {
                isAloneIn(OneClass.class);
            }
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    class AnotherClassOfTheSameConfiguration extends Asking {

        @Test
        void hasAnotherDatabase() {
            isAloneIn(AnotherClassOfTheSameConfiguration.class);
        }
    }

    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    abstract static class Annotated extends Asking {}

    @Nested
    class OneSubclass extends Annotated {

        @Test
        void hasADatabaseOfItsOwnThoughTheAnnotationIsInherited() {
            isAloneIn(OneSubclass.class);
        }
    }

    @Nested
    class AnotherSubclass extends Annotated {

        @Test
        void hasAnotherDatabaseThoughTheAnnotationIsInherited() {
            isAloneIn(AnotherSubclass.class);
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase(sharedAs = "invoices")
    class OneClassOfAGroup extends Asking {

        @Test
        void sharesTheDatabaseOfTheGroup() {
            isAloneIn(FreshDatabase.class);
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase(sharedAs = "invoices")
    class AnotherClassOfTheGroup extends Asking {

        @Test
        void sharesTheDatabaseOfTheGroup() {
            isAloneIn(FreshDatabase.class);
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
    class FromATemplate extends Asking {

        @Test
        void holdsWhatTheTemplateHolds() {
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
    class AnApplicationWithConnectionsOfItsOwn extends Asking {

        @Test
        void reachesNoOtherDatabase() {
            isAloneIn(AnApplicationWithConnectionsOfItsOwn.class);
            assertThat(hasTable("flyway_schema_history")).isTrue();
            assertThat(hasTable("databasechangelog")).isTrue();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @FreshDatabase
    class AnIdleContext extends Asking {

        @Test
        void keepsNoIdleConnectionsWhileItWaitsInTheCache() {
            assertThat(dataSource)
                    .isInstanceOfSatisfying(
                            HikariDataSource.class,
                            pool -> assertThat(pool.getMinimumIdle()).isZero());
        }
    }
}
