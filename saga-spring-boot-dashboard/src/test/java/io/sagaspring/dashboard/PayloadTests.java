package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.startup.StartupFaultException;
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
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Shows inputs, results and signals only as far as the setting, the person and the application's rule allow. */
class PayloadTests {

    private static final String HOSTILE = "<img src=x onerror=alert(1)>";

    private static TestDatabase database;

    @BeforeAll
    static void create() {
        database = TestDatabase.create();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Configuration
    static class People {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("vera")
                            .password("{noop}pw")
                            .authorities("SAGA_VIEW")
                            .build(),
                    User.withUsername("paula")
                            .password("{noop}pw")
                            .authorities("SAGA_VIEW", "SAGA_PAYLOADS")
                            .build(),
                    User.withUsername("otto")
                            .password("{noop}pw")
                            .authorities("SAGA_PAYLOADS")
                            .build());
        }

        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    /** Hides the inputs, and asks for more than the setting allows for everything else. */
    @Configuration
    static class Rule {

        @Bean
        PayloadView rule() {
            return (payload, person) ->
                    payload.kind() == PayloadView.Kind.INPUT ? PayloadVisibility.HIDDEN : PayloadVisibility.SHOWN;
        }
    }

    @Configuration
    static class SecondRule {

        @Bean
        PayloadView secondRule() {
            return (payload, person) -> PayloadVisibility.HIDDEN;
        }
    }

    private static DashboardApp start(String visibility, Class<?>... more) {
        return DashboardApp.start(
                database,
                application -> application.sources(
                        Stream.concat(Stream.of(People.class), Stream.of(more)).toArray(Class<?>[]::new)),
                "saga.dashboard.access=read-only",
                "saga.dashboard.payloads=" + visibility);
    }

    /** Starts a run that gets a signal with this value as its input, and completes with the same result. */
    private static RunId charged(DashboardApp app, String value) {
        RunId id = app.bean(Runs.class).start(DashboardApp.Charge.class, value).id();
        app.bean(Runs.class).signal(id, "amount", value);
        app.awaitState(id, RunState.COMPLETED);
        return id;
    }

    private static HttpResponse<String> ask(DashboardApp app, String user, String name) {
        String basic = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        return app.get("/saga/api/" + name, "Authorization", "Basic " + basic);
    }

    private static JsonNode items(DashboardApp app, RunId id) {
        HttpResponse<String> response = ask(app, "paula", "payloads?id=" + id);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body()).get("items");
    }

    private static List<String> texts(JsonNode items, String member) {
        return items.valueStream()
                .map(each -> each.path(member).asString("null"))
                .toList();
    }

    @Test
    void withoutTheSettingNobodySeesValues() {
        try (DashboardApp app = start("hidden")) {
            HttpResponse<String> refused = ask(app, "paula", "payloads?id=" + charged(app, "secret-card"));

            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("saga.dashboard.payloads").doesNotContain("secret-card");
            assertThat(ask(app, "paula", "me").body()).contains("\"payloads\":false");
        }
    }

    @Test
    void aPersonNeedsBothAuthorities() {
        try (DashboardApp app = start("shown")) {
            RunId id = charged(app, "secret-card");
            HttpResponse<String> vera = ask(app, "vera", "payloads?id=" + id);

            assertThat(vera.statusCode()).isEqualTo(403);
            assertThat(DashboardApp.header(vera, "Saga-Needs")).isEqualTo("SAGA_PAYLOADS");
            assertThat(ask(app, "otto", "payloads?id=" + id).statusCode()).isEqualTo(403);
            assertThat(app.get("/saga/api/payloads?id=" + id).statusCode()).isEqualTo(401);
            assertThat(ask(app, "vera", "me").body()).contains("\"payloads\":false");
            assertThat(ask(app, "paula", "me").body()).contains("\"payloads\":true");
            assertThat(ask(app, "paula", "payloads").statusCode()).isEqualTo(400);
            assertThat(ask(app, "paula", "payloads?id=" + RunId.next()).statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void shownValuesAreTextAndLongOnesAreTruncated() {
        try (DashboardApp app = start("shown")) {
            JsonNode hostile = items(app, charged(app, HOSTILE));
            JsonNode large = items(app, charged(app, "x".repeat(5_000)));
            JsonNode larger = items(app, charged(app, "y".repeat(200_000)));

            assertThat(texts(hostile, "kind")).containsExactly("input", "signal", "result");
            assertThat(texts(hostile, "name")).containsExactly("", "amount", "");
            assertThat(texts(hostile, "text")).containsOnly("\"" + HOSTILE + "\"");
            assertThat(large.get(0).get("text").asString()).hasSize(4_000);
            assertThat(large.get(0).get("length").asInt()).isEqualTo(5_002);
            assertThat(larger.get(0).get("text").isNull()).isTrue();
            assertThat(larger.get(0).get("length").asInt()).isEqualTo(200_002);
        }
    }

    @Test
    void aStepShowsItsResult() {
        try (DashboardApp app = start("shown")) {
            RunId id = app.bean(Sagas.class)
                    .start(DashboardApp.Trip.class, "lisbon")
                    .id();
            app.awaitState(id, RunState.FAILED);

            JsonNode items = items(app, id);
            assertThat(texts(items, "name")).containsExactly("", "book");
            assertThat(items.toString()).contains("\"kind\":\"step\",\"name\":\"book\"", "secret-seat");
        }
    }

    @Test
    void redactedValuesKeepOnlyTheirStructure() {
        try (DashboardApp app = start("redacted")) {
            JsonNode items = items(app, charged(app, "secret-card"));

            assertThat(texts(items, "text")).containsOnly("\"(text)\"");
            assertThat(items.toString()).doesNotContain("secret-card");
        }
        JsonNode value = JsonMapper.shared().readTree("{\"a\":[1,true,null],\"b\":{\"c\":\"s\"}}");
        assertThat(Redaction.of(value))
                .hasToString("{\"a\":[\"(number)\",\"(boolean)\",null],\"b\":{\"c\":\"(text)\"}}");
    }

    @Test
    void theApplicationsRuleHidesValuesButCannotShowMore() {
        try (DashboardApp app = start("redacted", Rule.class)) {
            JsonNode items = items(app, charged(app, "secret-card"));

            assertThat(texts(items, "visibility")).containsExactly("hidden", "redacted", "redacted");
            assertThat(items.get(0).get("text").isNull()).isTrue();
            assertThat(items.toString()).doesNotContain("secret-card");
        }
    }

    @Test
    void twoRulesAreReportedAtStartUp() {
        assertThatException()
                .isThrownBy(() -> start("shown", Rule.class, SecondRule.class).close())
                .isInstanceOfSatisfying(
                        StartupFaultException.class,
                        fault -> assertThat(fault.description()).contains("There are 2 such beans: rule, secondRule."));
    }
}
