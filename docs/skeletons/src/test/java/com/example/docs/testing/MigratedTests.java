package com.example.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.DatabaseTemplate;
import io.sagaspring.test.database.FreshDatabase;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@TestPropertySource(properties = {"spring.config.name=none", "spring.main.web-application-type=none"})
@FreshDatabase(template = MigratedTests.Migrated.class)
class MigratedTests {

    @Autowired
    JdbcClient database;

    static class Migrated implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            Flyway.configure().dataSource(dataSource).load().migrate();
        }
    }

    @Test
    void theDatabaseAlreadyHasTheApplicationsTables() {
        assertThat(database.sql("SELECT to_regclass('flyway_schema_history')::text")
                        .query(String.class)
                        .single())
                .isEqualTo("flyway_schema_history");
    }

    /**
     * An application for this test only. It does not scan for components, so it contains none of the skeletons' code.
     */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
