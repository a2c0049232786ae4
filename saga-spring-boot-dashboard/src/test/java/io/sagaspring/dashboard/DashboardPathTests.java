package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.startup.StartupFaultException;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Serves the page below different paths. */
class DashboardPathTests {

    private static final Pattern REFERENCE = Pattern.compile("(?:from |import |href=|src=)['\"]([^'\"?#{]+)['\"]");

    private static TestDatabase database;

    @BeforeAll
    static void create() {
        database = TestDatabase.create();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void withoutTheSettingThereIsNoDashboard() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, "saga.dashboard.access=none")) {
            assertThat(app.get("/saga/").statusCode()).isEqualTo(404);
            assertThat(app.get("/saga/api/me").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void thePageAndItsFilesHaveTheirHeaders() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database)) {
            HttpResponse<String> page = app.get("/saga/");
            HttpResponse<String> script = app.get("/saga/assets/main.js");

            assertThat(page.body()).contains("<!doctype html>");
            assertThat(DashboardApp.header(page, "Content-Type")).isEqualTo("text/html;charset=UTF-8");
            assertThat(DashboardApp.header(page, "Content-Security-Policy")).contains("frame-ancestors 'none'");
            assertThat(DashboardApp.header(page, "X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(DashboardApp.header(page, "Referrer-Policy")).isEqualTo("no-referrer");
            assertThat(DashboardApp.header(page, "Cache-Control")).isEqualTo("no-cache");
            assertThat(DashboardApp.header(script, "Content-Type")).isEqualTo("text/javascript;charset=UTF-8");
            String tag = String.valueOf(DashboardApp.header(script, "ETag"));
            assertThat(app.get("/saga/assets/main.js", "If-None-Match", tag).statusCode())
                    .isEqualTo(304);
            HttpResponse<String> head = app.send("HEAD", "/saga/");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
            assertThat(DashboardApp.header(app.get("/saga/api/me"), "Cache-Control"))
                    .isEqualTo("no-store");
        }
    }

    @Test
    void noRequestReachesAnotherFileOrChangesAnything() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database)) {
            for (String path : new String[] {
                "/saga/nothing.html",
                "/saga/assets/",
                "/saga/assets/../index.html",
                "/saga/%2e%2e/spring.factories",
                "/saga/assets/..%2findex.html",
                "/saga/index%2ehtml",
                "/s%61ga/api/me"
            }) {
                assertThat(app.get(path).statusCode()).as(path).isIn(400, 404);
            }
            HttpResponse<String> post = app.send("POST", "/saga/api/me");
            assertThat(post.statusCode()).isEqualTo(405);
            assertThat(DashboardApp.header(post, "Allow")).isEqualTo("GET, HEAD");
            HttpResponse<String> other = app.get("/saga/api/me", "Origin", "https://evil.example");
            assertThat(DashboardApp.header(other, "Access-Control-Allow-Origin"))
                    .isNull();
        }
    }

    @Test
    void thePageWorksBelowAContextPathAndAServletPath() {
        try (DashboardApp app = DashboardApp.withoutSecurity(
                database,
                "server.servlet.context-path=/shop",
                "spring.mvc.servlet.path=/web",
                "saga.dashboard.path=/admin/saga")) {
            HttpResponse<String> redirect = app.get("/shop/web/admin/saga");

            assertThat(redirect.statusCode()).isEqualTo(302);
            // A relative location also fits if a proxy has stripped a prefix.
            assertThat(DashboardApp.header(redirect, "Location")).isEqualTo("saga/");
            assertThat(app.get("/shop/web/admin/saga/").body()).contains("<!doctype html>");
            app.read("/shop/web/admin/saga/api/me");
        }
    }

    /** Follows each reference of the page and of its modules, as a browser does. */
    @Test
    void thePageWorksBehindAProxyThatStripsAPrefix() throws IOException {
        try (DashboardApp app = DashboardApp.withoutSecurity(database);
                StrippingProxy proxy = StrippingProxy.start("/ops/billing", app::get)) {
            HttpResponse<String> redirect = proxy.get("/ops/billing/saga");
            URI page =
                    URI.create("/ops/billing/saga").resolve(String.valueOf(DashboardApp.header(redirect, "Location")));
            Set<URI> seen = new TreeSet<>();
            Deque<URI> open = new ArrayDeque<>(List.of(page));
            while (!open.isEmpty()) {
                URI next = open.pop();
                if (seen.add(next)) {
                    HttpResponse<String> response = proxy.get(next.toString());
                    assertThat(response.statusCode()).as(next.toString()).isEqualTo(200);
                    REFERENCE
                            .matcher(response.body())
                            .results()
                            .map(each -> next.resolve(each.group(1)))
                            .forEach(open::push);
                }
            }

            assertThat(page).hasToString("/ops/billing/saga/");
            assertThat(seen).hasSizeGreaterThan(15);
            assertThat(proxy.get(page.resolve("api/me").toString()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void allFaultsOfTheSettingsAreReportedTogether() {
        assertThatException()
                .isThrownBy(() -> DashboardApp.withoutSecurity(
                                database, "saga.dashboard.path=/a/../b", "saga.dashboard.statement-timeout=0s")
                        .close())
                .havingRootCause()
                .isInstanceOfSatisfying(
                        StartupFaultException.class,
                        fault -> assertThat(fault.description())
                                .contains(
                                        "saga.dashboard.path is /a/../b", "saga.dashboard.statement-timeout is 0 ms"));
    }

    @Test
    void pathsThatCouldMatchMoreThanTheDashboardAreRefused() {
        for (String path : new String[] {"", "/", "saga", "/saga/", "/*", "/{a}", "/a?b", "/a/..", "//a", "/a b"}) {
            assertThatException()
                    .as(path)
                    .isThrownBy(() -> DashboardSettings.of(
                            new DashboardProperties(
                                    DashboardAccess.READ_ONLY,
                                    path,
                                    PayloadVisibility.HIDDEN,
                                    java.time.Duration.ofSeconds(1)),
                            new org.springframework.core.env.StandardEnvironment()))
                    .isInstanceOf(StartupFaultException.class);
        }
    }
}
