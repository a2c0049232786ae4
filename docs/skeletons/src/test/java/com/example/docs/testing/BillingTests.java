package com.example.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@TestPropertySource(properties = {"spring.config.name=none", "spring.main.web-application-type=none"})
@FreshDatabase
class BillingTests {

    @Autowired
    JdbcClient database;

    @Test
    void theTestClassHasItsOwnDatabaseWithoutClaims() {
        assertThat(database.sql("SELECT count(*) FROM saga_claim")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    /**
     * An application for this test only. It does not scan for components, so it contains none of the skeletons' code.
     */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
