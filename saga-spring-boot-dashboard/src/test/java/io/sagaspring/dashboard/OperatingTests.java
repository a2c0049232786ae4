package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.operations.AuditEntry;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.AuditQuery;
import io.sagaspring.operations.OperationPerformed;
import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** People perform operations through the page's address. The server checks each of them. */
class OperatingTests {

    static final String OPERATIONS = "/saga/api/operations";
    static final String[] GUARD = {"X-Saga-Dashboard", "1"};
    static final String UNRESTRICTED = "saga.dashboard.access=unrestricted";

    /** A request for each operation. No object of these names exists. */
    private static final List<String> ALL = List.of(
            run("run.retry", ""),
            run("run.cancel", ",\"reason\":\"why\""),
            run("run.give-up", ""),
            run("run.done", ",\"step\":\"pay\",\"result\":\"null\""),
            run("run.not-done", ",\"step\":\"pay\""),
            run("run.signal", ",\"signal\":\"go\",\"payload\":\"null\""),
            run("callback.complete", ",\"step\":\"pay\",\"result\":\"null\""),
            run("callback.fail", ",\"step\":\"pay\",\"reason\":\"why\""),
            "{\"operation\":\"claim.release\",\"entity\":\"parcel\",\"id\":\"1\",\"token\":\"1\"}",
            "{\"operation\":\"lease.free\",\"name\":\"none\",\"token\":\"1\"}",
            "{\"operation\":\"key.free\",\"id\":\"%s\",\"token\":\"1\"}".formatted("0".repeat(64)),
            "{\"operation\":\"work.retry\",\"id\":\"0\"}",
            "{\"operation\":\"work.give-up\",\"id\":\"0\"}",
            "{\"operation\":\"delivery.retry\",\"id\":\"0\"}",
            "{\"operation\":\"delivery.give-up\",\"id\":\"0\"}",
            "{\"operation\":\"queue.pause\",\"name\":\"none\",\"reason\":\"why\"}",
            "{\"operation\":\"queue.resume\",\"name\":\"none\"}",
            "{\"operation\":\"queue.limits\",\"name\":\"none\",\"limit\":3,\"perKey\":1,\"reason\":\"why\"}",
            "{\"operation\":\"schedule.pause\",\"name\":\"none\",\"reason\":\"why\"}",
            bulk("bulk.retry", "state=failed&run=none"),
            bulk("bulk.cancel", "state=waiting&run=none"),
            bulk("bulk.give-up", "state=blocked&run=none"),
            "{\"operation\":\"kind.pause\",\"name\":\"none\",\"reason\":\"why\"}",
            "{\"operation\":\"kind.resume\",\"name\":\"none\"}",
            "{\"operation\":\"janitor.pause\",\"name\":\"none\",\"reason\":\"why\"}",
            "{\"operation\":\"janitor.resume\",\"name\":\"none\"}",
            "{\"operation\":\"schedule.resume\",\"name\":\"none\"}",
            "{\"operation\":\"schedule.trigger\",\"name\":\"none\"}",
            "{\"operation\":\"schedule.remove\",\"name\":\"none\"}",
            "{\"operation\":\"schedule.backfill\",\"name\":\"none\",\"from\":\"2026-01-01T00:00:00Z\",\"to\":\"2026-01-01T01:00:00Z\",\"overlap\":\"allow\"}");

    private static TestDatabase database;

    static String run(String operation, String more) {
        return "{\"operation\":\"%s\",\"id\":\"019abf3c-0000-7000-8000-000000000000\"%s}".formatted(operation, more);
    }

    static String bulk(String operation, String query) {
        return "{\"operation\":\"%s\",\"query\":\"%s\",\"latest\":\"019abf3c-0000-7000-8000-000000000000\",\"count\":\"9\"}"
                .formatted(operation, query);
    }

    @BeforeAll
    static void create() {
        database = TestDatabase.create();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** People with each combination of authorities. Everybody passes the filters, so that only the dashboard itself checks. */
    private static HttpSecurity open(HttpSecurity http) {
        return http.authorizeHttpRequests(all -> all.anyRequest().permitAll()).httpBasic(Customizer.withDefaults());
    }

    @Configuration
    static class Roles {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("nobody"),
                    user("vera", "SAGA_VIEW"),
                    user("ada", "SAGA_VIEW", "SAGA_OPERATE"),
                    user("otto", "SAGA_OPERATE"));
        }

        private static UserDetails user(String name, String... authorities) {
            return User.withUsername(name)
                    .password("{noop}pw")
                    .authorities(authorities)
                    .build();
        }
    }

    @Configuration
    static class WithoutToken {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) {
            return open(http)
                    .csrf(csrf -> csrf.ignoringRequestMatchers(request -> Stream.of("Authorization", "X-No-Csrf")
                            .anyMatch(header -> request.getHeader(header) != null)))
                    .build();
        }
    }

    @Configuration
    static class WithToken {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) {
            return open(http).build();
        }
    }

    private static DashboardApp secured(Class<?> chain) {
        return DashboardApp.start(database, application -> application.sources(Roles.class, chain), UNRESTRICTED);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what was performed, without the requests that were denied. */
    static List<AuditEntry> audited(DashboardApp app) {
        return all(app).stream()
                .filter(each -> each.operation().outcome() != Outcome.DENIED)
                .toList();
    }

    private static List<AuditEntry> all(DashboardApp app) {
        return app.bean(AuditLog.class).list(AuditQuery.latest(1_000));
    }

    @Test
    void aRequestThatCannotBeReadChangesNothing() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, UNRESTRICTED)) {
            int before = audited(app).size();
            for (String body : new String[] {
                "",
                "no json",
                "[]",
                "{}",
                "{\"operation\":\"run.stop\"}",
                "{\"operation\":\"run.retry\"}",
                "{\"operation\":\"run.retry\",\"id\":\"no id\"}",
                "{\"operation\":\"run.retry\",\"id\":{}}",
                "{\"operation\":\"work.retry\",\"id\":\"x\"}",
                "{\"operation\":\"queue.pause\",\"name\":\"psp\"}",
                "{\"operation\":\"%s\"}".formatted("x".repeat(70_000))
            }) {
                HttpResponse<String> answer = app.post(OPERATIONS, body, GUARD);

                assertThat(answer.statusCode()).as(body).isEqualTo(400);
                assertThat(answer.body()).contains("\"code\":\"bad-request\"");
            }
            assertThat(audited(app)).hasSize(before);
        }
    }

    @Test
    void aRequestWithoutTheHeaderIsRefused() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, UNRESTRICTED)) {
            HttpResponse<String> answer = app.post(OPERATIONS, ALL.get(0));

            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("\"code\":\"csrf\"");
            assertThat(DashboardApp.header(
                            app.get("/saga/api/me", "Origin", "https://elsewhere.example"),
                            "Access-Control-Allow-Origin"))
                    .isNull();
        }
    }

    @Test
    void aDashboardThatOnlyReadsRefusesEachOperation() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database)) {
            int before = audited(app).size();
            for (String body : ALL) {
                HttpResponse<String> answer = app.post(OPERATIONS, body, GUARD);

                assertThat(answer.statusCode()).as(body).isEqualTo(403);
                assertThat(answer.body()).contains("saga.dashboard.access=unrestricted");
            }
            assertThat(audited(app)).hasSize(before);
            assertThat(app.read("/saga/api/queues").at("/items/0/operations").size())
                    .isZero();
        }
    }

    @Test
    void eachOperationNeedsBothAuthorities() {
        try (DashboardApp app = secured(WithoutToken.class)) {
            int before = audited(app).size();
            for (String body : ALL) {
                assertRefused(app, body, "nobody", "SAGA_VIEW");
                assertRefused(app, body, "otto", "SAGA_VIEW");
                assertRefused(app, body, "vera", "SAGA_OPERATE");
                assertThat(app.post(OPERATIONS, body, GUARD).statusCode()).isIn(401, 403);
            }
            assertThat(audited(app)).hasSize(before);
            for (String body : ALL) {
                HttpResponse<String> answer = app.post(OPERATIONS, body, with("ada"));

                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
                assertThat(answer.body()).contains("\"result\":\"UNKNOWN\"");
            }
            assertThat(audited(app)).hasSize(before + ALL.size());
            assertThat(audited(app).get(0).operation().operator().name()).isEqualTo("ada");
            assertThat(app.get("/saga/api/me", "Authorization", basic("vera")).body())
                    .contains("\"access\":\"read-only\"", "\"csrf\":null");
            assertThat(app.get("/saga/api/me", "Authorization", basic("ada")).body())
                    .contains("\"access\":\"unrestricted\"", "\"header\":\"X-CSRF-TOKEN\"");
        }
    }

    @Test
    void aDeniedRequestOfAKnownPersonIsAudited() {
        try (DashboardApp app = secured(WithoutToken.class)) {
            assertRefused(app, ALL.get(1), "vera", "SAGA_OPERATE");
            assertDenied(app, "run.cancel", "run 019abf3c-0000-7000-8000-000000000000", "vera", "SAGA_OPERATE");
            assertRefused(
                    app, "{\"operation\":\"claim.release\",\"entity\":\"parcel\",\"id\":7}", "nobody", "SAGA_VIEW");
            assertDenied(app, "claim.release", "claim parcel 7", "nobody", "SAGA_VIEW");
            assertRefused(app, "{\"operation\":\"%s\"}".formatted("x".repeat(300)), "vera", "SAGA_OPERATE");
            assertDenied(app, "unreadable", "request operations", "vera", "SAGA_OPERATE");
            assertRefused(app, "no json", "vera", "SAGA_OPERATE");
            assertDenied(app, "unreadable", "request operations", "vera", "SAGA_OPERATE");
            assertThat(app.post(OPERATIONS, ALL.get(0), "Authorization", basic("ada"))
                            .body())
                    .contains("\"code\":\"csrf\"");
            assertDenied(app, "run.retry", "run 019abf3c-0000-7000-8000-000000000000", "ada", "X-Saga-Dashboard");
            int before = all(app).size();

            assertThat(app.post(OPERATIONS, ALL.get(0), GUARD[0], "1", "X-No-Csrf", "1")
                            .statusCode())
                    .isEqualTo(401);

            assertThat(all(app)).hasSize(before);
        }
    }

    @Test
    void aRequestToADashboardThatOnlyReadsIsAudited() {
        try (DashboardApp app = DashboardApp.start(
                database,
                application -> application.sources(Roles.class, WithoutToken.class),
                "saga.dashboard.access=read-only")) {
            String pause = "{\"operation\":\"queue.pause\",\"name\":\"none\",\"reason\":\"why\"}";

            assertThat(app.post(OPERATIONS, pause, with("ada")).statusCode()).isEqualTo(403);

            assertDenied(app, "queue.pause", "queue none", "ada", "saga.dashboard.access=unrestricted");
        }
    }

    private static void assertDenied(DashboardApp app, String operation, String target, String person, String message) {
        OperationPerformed latest = all(app).get(0).operation();
        assertThat(latest.outcome()).isEqualTo(Outcome.DENIED);
        assertThat(latest.operation()).isEqualTo(operation);
        assertThat(latest.target()).hasToString(target);
        assertThat(latest.operator().name()).isEqualTo(person);
        assertThat(latest.message()).contains(message);
        assertThat(app.get("/saga/api/audit?limit=1", "Authorization", basic(person.equals("nobody") ? "vera" : person))
                        .body())
                .contains("\"outcome\":\"denied\"");
    }

    @Test
    void thePageSendsTheTokenOfSpringSecurity() {
        try (DashboardApp app = secured(WithToken.class)) {
            HttpResponse<String> me = app.get("/saga/api/me", "Authorization", basic("ada"));
            String cookie =
                    String.valueOf(DashboardApp.header(me, "Set-Cookie")).split(";", 2)[0];
            JsonNode csrf = JsonMapper.shared().readTree(me.body()).path("csrf");
            int before = audited(app).size();

            assertThat(app.post(OPERATIONS, ALL.get(0), with("ada", "Cookie", cookie))
                            .statusCode())
                    .isEqualTo(403);
            assertThat(audited(app)).hasSize(before);
            HttpResponse<String> answer = app.post(
                    OPERATIONS,
                    ALL.get(0),
                    with(
                            "ada",
                            "Cookie",
                            cookie,
                            csrf.path("header").asString(),
                            csrf.path("token").asString()));

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
            assertThat(audited(app)).hasSize(before + 1);
        }
    }

    private static void assertRefused(DashboardApp app, String body, String user, String needed) {
        HttpResponse<String> answer = app.post(OPERATIONS, body, with(user));
        assertThat(answer.statusCode()).as("%s: %s", user, body).isEqualTo(403);
        assertThat(DashboardApp.header(answer, "Saga-Needs")).isEqualTo(needed);
    }

    private static String[] with(String user, String... more) {
        return Stream.concat(Stream.of(GUARD[0], GUARD[1], "Authorization", basic(user)), Stream.of(more))
                .toArray(String[]::new);
    }
}
