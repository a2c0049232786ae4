package io.sagaspring.test.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.util.ClassUtils;

/**
 * Spring Boot's test slices replace a data source with an embedded database, unless they recognize the data source as a
 * test database.
 */
@JdbcTest(properties = "spring.liquibase.enabled=false")
@FreshDatabase
class FreshDatabaseSliceTests {

    @Autowired
    DataSource dataSource;

    @SpringBootApplication
    static class Application {}

    @Test
    void aSliceUsesPostgresqlDespiteAnEmbeddedDatabaseOnTheClassPath() throws SQLException {
        assertThat(ClassUtils.isPresent(Driver.class.getName(), null)).isTrue();
        try (var connection = dataSource.getConnection()) {
            assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("PostgreSQL");
        }
    }
}
