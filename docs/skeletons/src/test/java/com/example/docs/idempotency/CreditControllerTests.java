package com.example.docs.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@SpringBootTest
@AutoConfigureMockMvc
@TestPropertySource(
        properties = {
            "spring.config.name=none",
            "spring.flyway.enabled=false",
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:com/example/docs/idempotency/schema.sql"
        })
@FreshDatabase
class CreditControllerTests {

    @Autowired
    MockMvcTester mvc;

    @Test
    void aRepeatedRequestCreditsOnceAndGetsTheFirstReply() {
        MvcTestResult first = credit("5f2c9a");
        MvcTestResult second = credit("5f2c9a");

        assertThat(first).hasStatusOk().doesNotContainHeader("Idempotent-Replayed");
        assertThat(second).hasStatusOk().hasHeader("Idempotent-Replayed", "true");
        assertThat(second).bodyText().isEqualTo("{\"cents\":500}");
        assertThat(credit("another")).bodyText().isEqualTo("{\"cents\":1000}");
    }

    private MvcTestResult credit(String key) {
        return mvc.post()
                .uri("/api/accounts/1/credits")
                .header("Idempotency-Key", key)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"cents\":500}")
                .exchange();
    }

    /** An application for this test only. It does not scan for components, so it contains only the imported classes. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(CreditController.class)
    static class Application {}
}
