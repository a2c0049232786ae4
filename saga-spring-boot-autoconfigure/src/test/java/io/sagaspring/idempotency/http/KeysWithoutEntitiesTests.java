package io.sagaspring.idempotency.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.test.database.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tests keys in an application that has a data source but no entities. */
class KeysWithoutEntitiesTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @RestController
        static class Desk {

            private final AtomicInteger runs = new AtomicInteger();

            @PostMapping("/unknown")
            @Idempotent
            public String unknown() {
                runs.incrementAndGet();
                throw new OutcomeUnknownException("The payment", new IllegalStateException("no answer"));
            }
        }
    }

    private ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                                + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration")
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "database",
                                JdbcConnectionDetails.class,
                                () -> database,
                                given -> given.setDestroyMethodName("")))
                .run();
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext application) throws Exception {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/unknown"))
                                .header("Idempotency-Key", "request-1")
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Work under a key is not executed again if it may already have taken effect. */
    @Test
    void workWithAnUnknownOutcomeIsNotRepeated() throws Exception {
        try (ConfigurableApplicationContext application = start()) {
            for (int request = 1; request <= 2; request++) {
                HttpResponse<String> answer = post(application);

                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.body()).contains("\"outcome\":\"OutcomeUnknown\"");
                assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
            }
            assertThat(application.getBean(Application.Desk.class).runs).hasValue(1);
        }
    }

    @Test
    void theHealthIndicatorReportsOnTheKeeper() {
        try (ConfigurableApplicationContext application = start()) {
            HealthIndicator indicator = application.getBean("sagaHealthIndicator", HealthIndicator.class);

            assertThat(requireNonNull(indicator.health()).getDetails())
                    .containsKeys("kept", "overdue", "problems")
                    .doesNotContainKey("sweeps");
        }
    }
}
