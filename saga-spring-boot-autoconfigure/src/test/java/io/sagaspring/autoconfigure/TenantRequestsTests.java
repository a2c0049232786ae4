package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseRefusedException;
import io.sagaspring.lease.Leased;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import io.sagaspring.test.database.TestDatabase;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** An application declares one bean for its tenants. Keys, leases, runs and the endpoint of runs use this bean. */
class TenantRequestsTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        ThreadTenants tenantContext() {
            return new ThreadTenants("a", "b");
        }

        @Bean
        TenantFilter tenantFilter(TenantContext tenants) {
            return new TenantFilter(tenants);
        }

        @Bean
        Desk desk(Runs runs, TenantContext tenants) {
            return new Desk(runs, tenants);
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Opening opening(TenantContext tenants) {
            return new Opening(tenants);
        }
    }

    /** Enters the tenant that the request names, as the application's filter does after its checks. */
    static final class TenantFilter extends OncePerRequestFilter {

        private final TenantContext tenants;

        TenantFilter(TenantContext tenants) {
            this.tenants = tenants;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws IOException {
            try {
                boolean unused = tenants.call(request.getHeader("X-Tenant"), () -> {
                    chain.doFilter(request, response);
                    return true;
                });
            } catch (IOException failed) {
                throw failed;
            } catch (Exception failed) {
                throw new IOException(failed);
            }
        }
    }

    @RestController
    static class Desk {

        private final Runs runs;
        private final TenantContext tenants;
        final AtomicInteger paid = new AtomicInteger();

        Desk(Runs runs, TenantContext tenants) {
            this.runs = runs;
            this.tenants = tenants;
        }

        @PostMapping("/pay")
        @Idempotent
        String pay() {
            return "%s %d".formatted(tenants.current(), paid.incrementAndGet());
        }

        @PostMapping("/open")
        String open() {
            return runs.start(Opening.class, "", RunOptions.withKey("open"))
                    .id()
                    .toString();
        }

        @PostMapping("/see/{id}")
        String see(@PathVariable String id) {
            return runs.find(RunId.of(id)).isPresent() ? "seen" : "unknown";
        }

        @PostMapping("/cancel/{id}")
        boolean cancel(@PathVariable String id) {
            return runs.cancel(RunId.of(id), "spite");
        }
    }

    static class Opening implements DurableRun<String, String> {

        private final TenantContext tenants;
        final List<String> seen = new CopyOnWriteArrayList<>();

        Opening(TenantContext tenants) {
            this.tenants = tenants;
        }

        @Override
        public String run(RunContext run, String input) {
            seen.add(String.valueOf(tenants.current()));
            return run.awaitSignal("word", String.class);
        }
    }

    @Component
    static class Jobs {

        @Idempotent(requestId = "#id", operation = "'count'", fingerprint = "#id")
        public int count(String id, AtomicInteger counter) {
            return counter.incrementAndGet();
        }

        @Leased("'job'")
        public String job(Runnable meanwhile) {
            meanwhile.run();
            return Lease.current().name().toString();
        }

        @Leased(value = "'job of all'", global = true)
        public String jobOfAll(Runnable meanwhile) {
            meanwhile.run();
            return Lease.current().name().toString();
        }
    }

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "management.endpoints.web.exposure.include=sagaruns",
                        "management.endpoint.sagaruns.access=unrestricted",
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

    @AfterAll
    static void stop() {
        application.close();
        database.close();
    }

    private static HttpResponse<String> send(@Nullable String tenant, String method, String path, @Nullable String key)
            throws Exception {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (tenant != null) {
            request.header("X-Tenant", tenant);
        }
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void theReplyToAKeyIsReplayedOnlyToTheTenantOfTheKey() throws Exception {
        String ofA = send("a", "POST", "/pay", "key-1").body();
        HttpResponse<String> ofB = send("b", "POST", "/pay", "key-1");
        HttpResponse<String> ofNone = send(null, "POST", "/pay", "key-1");

        assertThat(ofA).startsWith("a ");
        assertThat(ofB.body()).startsWith("b ");
        assertThat(ofB.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(ofNone.body()).startsWith("null ");
        HttpResponse<String> again = send("a", "POST", "/pay", "key-1");
        assertThat(again.body()).isEqualTo(ofA);
        assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(application.getBean(Desk.class).paid).hasValue(3);
    }

    @Test
    void equalRequestIdsInTwoTenantsAreTwoCalls() {
        Tenants tenants = application.getBean(Tenants.class);
        Jobs jobs = application.getBean(Jobs.class);
        AtomicInteger counter = new AtomicInteger();

        assertThat(tenants.in("a", () -> jobs.count("id-1", counter))).isEqualTo(1);
        assertThat(tenants.in("b", () -> jobs.count("id-1", counter))).isEqualTo(2);
        assertThat(tenants.in("a", () -> jobs.count("id-1", counter))).isEqualTo(1);
    }

    @Test
    void theLeaseOfAMethodBelongsToTheTenantUnlessItIsGlobal() {
        Tenants tenants = application.getBean(Tenants.class);
        Jobs jobs = application.getBean(Jobs.class);
        List<String> meanwhile = new CopyOnWriteArrayList<>();

        String job = tenants.in("a", () -> jobs.job(() -> meanwhile.add(tenants.in("b", () -> jobs.job(() -> {})))));
        String ofAll = tenants.in(
                "a",
                () -> jobs.jobOfAll(() -> {
                    try {
                        meanwhile.add(tenants.in("b", () -> jobs.jobOfAll(() -> {})));
                    } catch (LeaseRefusedException refused) {
                        meanwhile.add("refused");
                    }
                }));

        assertThat(job).isEqualTo("job (tenant a)");
        assertThat(ofAll).isEqualTo("job of all");
        assertThat(meanwhile).containsExactly("job (tenant b)", "refused");
    }

    @Test
    void aRunIsStartedShownAndExecutedForTheTenantOfItsRequest() throws Exception {
        String ofA = send("a", "POST", "/open", null).body();
        String ofB = send("b", "POST", "/open", null).body();

        assertThat(ofB).isNotEqualTo(ofA);
        assertThat(send("a", "POST", "/open", null).body()).isEqualTo(ofA);
        assertThat(send("a", "POST", "/see/" + ofA, null).body()).isEqualTo("seen");
        assertThat(send("b", "POST", "/see/" + ofA, null).body()).isEqualTo("unknown");
        assertThat(send("b", "POST", "/cancel/" + ofA, null).statusCode()).isEqualTo(404);
        assertThat(send(null, "POST", "/see/" + ofA, null).body()).isEqualTo("seen");
        Runs runs = application.getBean(Runs.class);
        for (String id : List.of(ofA, ofB)) {
            assertThat(runs.signal(RunId.of(id), "word", "go")).isNotNull();
            assertThat(runs.awaitEnd(RunId.of(id), Duration.ofSeconds(20))).isTrue();
        }
        assertThat(application.getBean(Opening.class).seen).containsOnly("a", "b");

        String listed = send(null, "GET", "/actuator/sagaruns?run=opening&tenant=a", null)
                .body();
        assertThat(listed).contains(ofA, "\"tenant\":\"a\"").doesNotContain(ofB);
        assertThat(send(null, "GET", "/actuator/sagaruns?run=opening", null).body())
                .contains(ofA, ofB);
        assertThat(send(null, "GET", "/actuator/sagaruns?run=opening&tenant=", null)
                        .body())
                .doesNotContain(ofA, ofB);
        assertThat(send(null, "GET", "/actuator/sagaruns/" + ofA, null).body()).contains("\"tenant\":\"a\"");
    }

    /** An operator is responsible for all tenants, even if a filter enters one tenant for the operator's request. */
    @Test
    void aRequestInATenantSeesAndChangesTheRunsOfAllTenants() throws Exception {
        Tenants tenants = application.getBean(Tenants.class);
        Runs runs = application.getBean(Runs.class);
        RunId ofA = tenants.in("a", () -> runs.start(Opening.class, "").id());
        RunId ofB = tenants.in("b", () -> runs.start(Opening.class, "").id());

        assertThat(send("b", "GET", "/actuator/sagaruns?run=opening", null).body())
                .contains(ofA.toString(), ofB.toString());
        assertThat(send("b", "GET", "/actuator/sagaruns?run=opening&tenant=a", null)
                        .body())
                .contains(ofA.toString())
                .doesNotContain(ofB.toString());
        assertThat(send("b", "GET", "/actuator/sagaruns/" + ofA, null).body()).contains("\"tenant\":\"a\"");
        assertThat(send("b", "POST", "/actuator/sagaruns/" + ofA, null).statusCode())
                .isEqualTo(409);
        assertThat(send("b", "DELETE", "/actuator/sagaruns/" + ofA, null).statusCode())
                .isEqualTo(200);
        assertThat(runs.awaitEnd(ofA, Duration.ofSeconds(20))).isTrue();
        assertThat(runs.find(ofA)).map(RunView::state).contains(RunState.CANCELLED);
    }
}
