package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The tables are created in the marked data source, or else in the primary data source, or else in the only default
 * candidate. In these tests, that data source is {@code orders}.
 */
class DataSourceChoiceTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SchemaAutoConfiguration.class))
            .withBean(
                    "database", TestDatabase.class, () -> database, definition -> definition.setDestroyMethodName(""));

    @Test
    void aMarkedDataSourceWinsOverAPrimaryDataSource() {
        runner.withUserConfiguration(OneMarked.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(tables()).contains("saga_schema_version");
    }

    @Test
    void aMarkedDataSourceNeedNotBeADefaultCandidate() {
        runner.withUserConfiguration(OneMarkedNonDefault.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(tables()).contains("saga_schema_version");
    }

    @Test
    void thePrimaryDataSourceGetsTheTablesIfNoneIsMarked() {
        runner.withUserConfiguration(OnePrimary.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(tables()).contains("saga_schema_version");
    }

    @Test
    void theOnlyDefaultCandidateGetsTheTables() {
        runner.withUserConfiguration(OneBesidesANonDefault.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(tables()).contains("saga_schema_version");
    }

    @ParameterizedTest
    @ValueSource(classes = {NoneChosen.class, TwoMarked.class, TwoMarkedBesidesAPrimary.class, OnlyNonDefaults.class})
    void anAmbiguousChoiceIsRefusedWithTheListOfDataSources(Class<?> configuration) {
        runner.withUserConfiguration(configuration).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(AmbiguousDataSourceException.class)
                    .hasMessageContaining("orders")
                    .hasMessageContaining("reports");
        });
        assertThat(tables()).isEmpty();
    }

    private List<String> tables() {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
                .query(String.class)
                .list();
    }

    @Configuration(proxyBeanMethods = false)
    static class NoneChosen {

        @Bean
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }

        @Bean
        DataSource reports() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneMarked {

        @Bean
        @SagaDataSource
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }

        @Bean
        @Primary
        DataSource reports() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoMarked {

        @Bean
        @SagaDataSource
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }

        @Bean
        @SagaDataSource
        DataSource reports() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoMarkedBesidesAPrimary extends TwoMarked {

        @Bean
        @Primary
        DataSource archive() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnePrimary {

        @Bean
        @Primary
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }

        @Bean
        DataSource reports() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneBesidesANonDefault {

        @Bean
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }

        @Bean(defaultCandidate = false)
        DataSource reports() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyNonDefaults {

        @Bean(defaultCandidate = false)
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }

        @Bean(defaultCandidate = false)
        DataSource reports() {
            return nowhere();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneMarkedNonDefault {

        @Bean(defaultCandidate = false)
        @SagaDataSource
        DataSource orders(TestDatabase database) {
            return database.dataSource();
        }
    }

    private static DataSource nowhere() {
        return new DriverManagerDataSource("jdbc:postgresql://localhost:1/none");
    }
}
