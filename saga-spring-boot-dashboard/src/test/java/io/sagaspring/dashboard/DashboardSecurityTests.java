package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.startup.StartupFaultException;
import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** Asks Spring Security's users for their authorities. */
class DashboardSecurityTests {

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
    static class Users {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("vera")
                            .password("{noop}pw")
                            .authorities("SAGA_VIEW")
                            .build(),
                    User.withUsername("otto")
                            .password("{noop}pw")
                            .authorities("SAGA_VIEWER", "ROLE_SAGA_VIEW")
                            .build());
        }
    }

    /** Lets everybody pass, so that only the dashboard itself checks. */
    @Configuration
    static class OpenBasic {

        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @Configuration
    static class Form {

        @Bean
        SecurityFilterChain form(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }
    }

    /** Has beans with the names that the methods of the dashboard's configuration have, and a rule of its own. */
    @Configuration
    static class OwnBeans {

        @Bean
        SagaAccess sagaDashboardAccess() {
            return (permission, person) -> person != null && person.getName().equals("otto");
        }

        @Bean
        String sagaDashboardMapping() {
            return "a bean of the application";
        }
    }

    /** Catches all paths, as applications do that have only one page. */
    @Controller
    static class CatchAll {

        @GetMapping("/**")
        ResponseEntity<String> page() {
            return ResponseEntity.ok("a page of the application");
        }
    }

    private static DashboardApp start(Class<?>... more) {
        return DashboardApp.start(
                database,
                application -> application.sources(
                        Stream.concat(Stream.of(Users.class), Stream.of(more)).toArray(Class<?>[]::new)),
                "saga.dashboard.access=read-only");
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theServerChecksEachRequestForData() {
        try (DashboardApp app = start(OpenBasic.class)) {
            for (String name : new String[] {
                "me",
                "overview",
                "runs",
                "run",
                "workflows",
                "claims",
                "work",
                "deliveries",
                "schedules",
                "queues",
                "kinds"
            }) {
                HttpResponse<String> anonymous = app.get("/saga/api/" + name);
                HttpResponse<String> otto = app.get("/saga/api/" + name, "Authorization", basic("otto"));

                assertThat(anonymous.statusCode()).as(name).isEqualTo(401);
                assertThat(anonymous.body()).contains("unauthenticated");
                assertThat(otto.statusCode()).as(name).isEqualTo(403);
                assertThat(otto.body()).contains("forbidden");
                assertThat(DashboardApp.header(otto, "Saga-Needs")).isEqualTo("SAGA_VIEW");
            }
            HttpResponse<String> vera = app.get("/saga/api/me", "Authorization", basic("vera"));
            assertThat(vera.statusCode()).isEqualTo(200);
            assertThat(vera.body()).contains("\"user\":\"vera\"");
            assertThat(app.get("/saga/").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theEntryPointOfTheApplicationAnswersForThePage() {
        try (DashboardApp app = start(Form.class)) {
            HttpResponse<String> page = app.get("/saga/", "Accept", "text/html");

            assertThat(page.statusCode()).isEqualTo(302);
            assertThat(DashboardApp.header(page, "Location")).endsWith("/login");
        }
    }

    @Test
    void theApplicationsOwnRuleDecidesAndItsBeansDoNotCollide() {
        try (DashboardApp app = start(OpenBasic.class, OwnBeans.class, CatchAll.class)) {
            assertThat(app.get("/saga/api/me", "Authorization", basic("otto")).body())
                    .contains("\"user\":\"otto\"");
            assertThat(app.get("/saga/api/me", "Authorization", basic("vera")).statusCode())
                    .isEqualTo(403);
            assertThat(app.get("/sagas").body()).isEqualTo("a page of the application");
        }
    }

    /** A second rule, which is the primary one. */
    @Configuration
    static class PrimaryRule {

        @Bean
        @Primary
        SagaAccess primaryRule() {
            return (permission, person) -> person != null && person.getName().equals("vera");
        }
    }

    @Configuration
    static class SecondRule {

        @Bean
        SagaAccess secondRule() {
            return (permission, person) -> true;
        }
    }

    @Test
    void twoRulesAreReportedAtStartUp() {
        assertThatException()
                .isThrownBy(() ->
                        start(OpenBasic.class, OwnBeans.class, SecondRule.class).close())
                .isInstanceOfSatisfying(StartupFaultException.class, fault -> {
                    assertThat(fault.description())
                            .contains("type SagaAccess", "There are 2 such beans: sagaDashboardAccess, secondRule.");
                    assertThat(fault.action()).contains("@Primary");
                });
    }

    @Test
    void thePrimaryRuleDecides() {
        try (DashboardApp app = start(OpenBasic.class, OwnBeans.class, PrimaryRule.class)) {
            assertThat(app.get("/saga/api/me", "Authorization", basic("vera")).statusCode())
                    .isEqualTo(200);
            assertThat(app.get("/saga/api/me", "Authorization", basic("otto")).statusCode())
                    .isEqualTo(403);
        }
    }
}
