package com.example.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class WithoutSpringTests {

    @AutoClose
    static final TestDatabase database = TestDatabase.create();

    @Test
    void theTestDatabaseRunsOnPostgresql() {
        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT version()")
                        .query(String.class)
                        .single())
                .startsWith("PostgreSQL");
    }
}
