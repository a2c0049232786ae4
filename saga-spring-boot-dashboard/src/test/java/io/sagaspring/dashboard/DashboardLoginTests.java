package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.authentication.JwtGrantedAuthoritiesConverter;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** People who log in with a form, with a password in each request, or with a signed token. */
class DashboardLoginTests {

    private static final String UNKNOWN_QUEUE = "{\"operation\":\"queue.resume\",\"name\":\"none\"}";
    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

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
                    User.withUsername("ada")
                            .password("{noop}pw")
                            .authorities("SAGA_VIEW", "SAGA_OPERATE")
                            .build(),
                    User.withUsername("otto")
                            .password("{noop}pw")
                            .authorities("OTHER")
                            .build());
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

    @Configuration
    static class Basic {

        @Bean
        SecurityFilterChain basic(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    /** Takes the authorities from the claim 'permissions'. */
    @Configuration
    static class Tokens {

        private static final SecretKey KEY = key('k');

        private static SecretKey key(char letter) {
            return new SecretKeySpec(
                    String.valueOf(letter).repeat(32).getBytes(StandardCharsets.US_ASCII), "HmacSHA256");
        }

        static String[] bearer(SecretKey key, Instant expiresAt, String... permissions) {
            JwtClaimsSet claims = JwtClaimsSet.builder()
                    .subject("ada")
                    .issuedAt(expiresAt.minus(Duration.ofHours(1)))
                    .expiresAt(expiresAt)
                    .claim("permissions", List.of(permissions))
                    .build();
            String token = NimbusJwtEncoder.withSecretKey(key)
                    .build()
                    .encode(JwtEncoderParameters.from(
                            JwsHeader.with(MacAlgorithm.HS256).build(), claims))
                    .getTokenValue();
            return new String[] {"Authorization", "Bearer " + token, "X-Saga-Dashboard", "1"};
        }

        @Bean
        JwtDecoder decoder() {
            return NimbusJwtDecoder.withSecretKey(KEY).build();
        }

        @Bean
        SecurityFilterChain tokens(HttpSecurity http) {
            JwtGrantedAuthoritiesConverter permissions = new JwtGrantedAuthoritiesConverter();
            permissions.setAuthoritiesClaimName("permissions");
            permissions.setAuthorityPrefix("");
            JwtAuthenticationConverter person = new JwtAuthenticationConverter();
            person.setJwtGrantedAuthoritiesConverter(permissions);
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.jwtAuthenticationConverter(person)))
                    .build();
        }
    }

    private static DashboardApp start(Class<?> chain, String... paths) {
        return DashboardApp.start(
                database,
                application -> application.sources(Users.class, chain).properties(paths),
                "saga.dashboard.access=unrestricted");
    }

    private static String cookie(HttpResponse<?> response) {
        return String.valueOf(DashboardApp.header(response, "Set-Cookie")).replaceFirst(";.*", "");
    }

    private static HttpResponse<String> logIn(DashboardApp app, String root, String name) {
        HttpResponse<String> form = app.get(root + "/login");
        Matcher token = TOKEN.matcher(form.body());
        assertThat(token.find()).as(form.body()).isTrue();
        return app.post(
                root + "/login",
                "username=%s&password=pw&_csrf=%s"
                        .formatted(name, URLEncoder.encode(token.group(1), StandardCharsets.UTF_8)),
                "Cookie",
                cookie(form),
                "Content-Type",
                "application/x-www-form-urlencoded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/shop"})
    void aFormLoginLeadsToThePageAndItsTokenAllowsOperations(String root) {
        try (DashboardApp app = start(Form.class, "server.servlet.context-path=" + root)) {
            String session = cookie(logIn(app, root, "ada"));

            HttpResponse<String> me = app.get(root + "/saga/api/me", "Cookie", session);
            String token = app.read(root + "/saga/api/me", "Cookie", session)
                    .at("/csrf/token")
                    .asString();
            String header = app.read(root + "/saga/api/me", "Cookie", session)
                    .at("/csrf/header")
                    .asString();
            assertThat(me.body()).contains("\"user\":\"ada\"", "\"access\":\"unrestricted\"");
            assertThat(app.get(root + "/saga/", "Cookie", session).body()).contains("<!doctype html>");
            String[] forged = {"Cookie", session, "X-Saga-Dashboard", "1"};
            String[] real = {"Cookie", session, "X-Saga-Dashboard", "1", header, token};
            assertThat(app.post(root + "/saga/api/operations", UNKNOWN_QUEUE, forged)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(app.post(root + "/saga/api/operations", UNKNOWN_QUEUE, real)
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void aPersonWithoutTheAuthorityIsRefusedAfterTheLogin() {
        try (DashboardApp app = start(Form.class)) {
            String session = cookie(logIn(app, "", "otto"));

            HttpResponse<String> refused = app.get("/saga/api/overview", "Cookie", session);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(DashboardApp.header(refused, "Saga-Needs")).isEqualTo("SAGA_VIEW");
        }
    }

    @Test
    void aPasswordInEachRequestIsEnoughToReadBelowAServletPath() {
        try (DashboardApp app =
                start(Basic.class, "server.servlet.context-path=/shop", "spring.mvc.servlet.path=/web")) {
            String ada = Base64.getEncoder().encodeToString("ada:pw".getBytes(StandardCharsets.UTF_8));

            HttpResponse<String> anonymous = app.get("/shop/web/saga/api/me");
            assertThat(anonymous.statusCode()).isEqualTo(401);
            assertThat(DashboardApp.header(anonymous, "WWW-Authenticate")).startsWith("Basic");
            assertThat(app.get("/shop/web/saga/api/me", "Authorization", "Basic " + ada)
                            .body())
                    .contains("\"user\":\"ada\"");
        }
    }

    @Test
    void aSignedTokenGivesTheAuthoritiesOfItsClaim() {
        try (DashboardApp app = start(Tokens.class)) {
            Instant later = Instant.now().plusSeconds(600);
            String[] view = Tokens.bearer(Tokens.KEY, later, "SAGA_VIEW");
            String[] operate = Tokens.bearer(Tokens.KEY, later, "SAGA_VIEW", "SAGA_OPERATE");

            HttpResponse<String> me = app.get("/saga/api/me", view);
            assertThat(me.body()).contains("\"user\":\"ada\"", "\"access\":\"read-only\"");
            assertThat(app.post("/saga/api/operations", UNKNOWN_QUEUE, view).statusCode())
                    .isEqualTo(403);
            // Spring Security needs no other token in a request with a bearer token.
            assertThat(app.post("/saga/api/operations", UNKNOWN_QUEUE, operate).statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void aTokenWithoutTheAuthorityOfAnotherKeyOrOfThePastIsRefused() {
        try (DashboardApp app = start(Tokens.class)) {
            Instant later = Instant.now().plusSeconds(600);
            HttpResponse<String> other = app.get("/saga/api/me", Tokens.bearer(Tokens.KEY, later, "SCOPE_saga"));

            assertThat(other.statusCode()).isEqualTo(403);
            assertThat(DashboardApp.header(other, "Saga-Needs")).isEqualTo("SAGA_VIEW");
            assertThat(app.get("/saga/api/me", Tokens.bearer(Tokens.key('x'), later, "SAGA_VIEW"))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(app.get(
                                    "/saga/api/me",
                                    Tokens.bearer(Tokens.KEY, Instant.now().minusSeconds(600), "SAGA_VIEW"))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(app.get("/saga/").statusCode()).isEqualTo(401);
        }
    }
}
