package com.example.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

class LocalBillingApplicationTests {

    @Test
    void theApplicationStartsWithATestDatabase() {
        SpringApplication.Running started = SpringApplication.from(BillingApplication::main)
                .with(LocalBillingApplication.LocalDatabase.class)
                .run("--spring.config.name=none", "--spring.main.web-application-type=none");

        try (ConfigurableApplicationContext context = started.getApplicationContext()) {
            String database = context.getBean(JdbcClient.class)
                    .sql("SELECT current_database()")
                    .query(String.class)
                    .single();
            assertThat(context.getBean(TestDatabase.class)).asString().startsWith(database + " on ");
        }
    }
}
