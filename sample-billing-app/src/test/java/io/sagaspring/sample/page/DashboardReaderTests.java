package io.sagaspring.sample.page;

import static io.sagaspring.sample.page.Browser.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests what a reader takes from the dashboard: times, languages, copies and downloads. */
@SampleTest
@Tag("browser")
class DashboardReaderTests {

    private static final String HOSTILE = "<img src=x onerror=document.title='stolen'>";

    @RegisterExtension
    static final Browser browser = Browser.withoutErrors();

    private final String address;
    private final Api api;

    DashboardReaderTests(@LocalServerPort int port) {
        this.address = "http://localhost:%d/saga/".formatted(port);
        this.api = new Api(port);
    }

    private void open(String query) {
        browser.driver().get(address + query);
        await().atMost(SOON)
                .until(() -> !browser.driver()
                        .findElements(By.cssSelector("#content h1"))
                        .isEmpty());
    }

    private static void press(String label) {
        browser.driver()
                .findElement(By.xpath("//button[normalize-space()='%s']".formatted(label)))
                .click();
    }

    private static Object js(String script, Object... arguments) {
        return Objects.requireNonNull(browser.driver().executeScript(script, arguments));
    }

    /** Starts a checkout that waits for the courier, and returns the id of its run. */
    private String checkout() {
        return api.post("/api/checkouts", """
                        {"orderId":"reader-%d","amountCents":4200,"paymentToken":"tok_1"}""".formatted(System.nanoTime())).text("executionId");
    }

    private JsonNode run(String id) {
        return api.get("/saga/api/run?id=" + id).body();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pacific/Kiritimati", "America/St_Johns"})
    void timesAreInTheReadersZoneAndExactOnHover(String zone) {
        String id = checkout();
        Instant started = Instant.parse(run(id).at("/run/startedAt").asString());
        browser.driver().executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", zone));
        try {
            open("?view=run&id=" + id);

            String shown = String.valueOf(js(
                    "return [...document.querySelectorAll('.facts time')].find(each => each.dateTime === arguments[0]).title",
                    run(id).at("/run/startedAt").asString()));
            assertThat(shown.replace('\u202f', ' '))
                    .startsWith(DateTimeFormatter.ofPattern("MMM d, yyyy, h:mm:ss a", Locale.ENGLISH)
                            .withZone(ZoneId.of(zone))
                            .format(started))
                    .contains("GMT");
        } finally {
            browser.driver().executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 360})
    void aReaderWhoPrefersGermanGetsAGermanPage(int width) {
        String id = checkout();
        browser.prefer("de");
        browser.emulate("light", width, 740);
        try {
            for (String query : List.of("", "?view=runs", "?view=run&id=" + id, "?view=audit")) {
                open(query);
                browser.requireAccessible(query);
                browser.requireFit(query);
            }
            assertThat(js("return document.documentElement.lang")).isEqualTo("de");
            assertThat(browser.driver().findElement(By.id("nav")).getText()).contains("Übersicht");
        } finally {
            browser.emulateNothing();
            browser.prefer("en");
        }
    }

    @Test
    void theCopiedCommandReadsTheSameRun() {
        String id = checkout();
        browser.driver()
                .executeCdpCommand(
                        "Browser.grantPermissions",
                        Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
        open("?view=run&id=" + id);

        press("Copy as curl");
        await().atMost(SOON)
                .until(() ->
                        browser.driver().findElement(By.id("said")).getText().equals("Copied."));
        String command = String.valueOf(
                browser.driver()
                        .executeAsyncScript(
                                "const done = arguments[arguments.length - 1]; navigator.clipboard.readText().then(done, done)"));

        assertThat(command).matches("curl 'http://localhost:\\d+/saga/api/run\\?id=" + id + "'");
        String path = command.substring(command.indexOf("/saga/"), command.length() - 1);
        assertThat(api.get(path).body().at("/run/id").asString()).isEqualTo(id);
    }

    @Test
    void theDownloadedFileContainsTheHistoryOfTheRun(@TempDir Path folder) throws IOException {
        String id = checkout();
        browser.driver()
                .executeCdpCommand(
                        "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", folder.toString()));
        open("?view=run&id=" + id);

        press("Download as JSON");
        Path file = folder.resolve("run-%s.json".formatted(id));
        await().atMost(SOON).until(() -> Files.exists(file));

        JsonNode history = JsonMapper.shared().readTree(Files.readString(file));
        assertThat(history.at("/run/id").asString()).isEqualTo(id);
        assertThat(history.at("/saga/steps")).hasSize(5);
        assertThat(history.at("/steps")).isNotEmpty();
    }

    @Test
    void storedValuesAreText() {
        String id = api.post("/api/checkouts", """
                        {"orderId":"%s-%d","amountCents":4200,"paymentToken":"tok_1"}""".formatted(HOSTILE, System.nanoTime()))
                .text("executionId");

        open("?view=run&id=" + id);

        assertThat(browser.all("#content pre", "textContent")).anyMatch(each -> each.contains("\"" + HOSTILE));
        assertThat(browser.all("#content img", "src")).isEmpty();
        assertThat(browser.driver().getTitle()).isEqualTo("checkoutSaga · Saga");
        browser.requireAccessible("stored values");
    }

    /** The code of an application names states and steps, so no request can make such names. */
    @Test
    void namesInTheDiagramAndInTheTimelineAreText() {
        open("");

        Object found = browser.driver().executeAsyncScript("""
                const [name, done] = arguments;
                const load = file => import(new URL(`assets/${file}`, document.baseURI).href);
                Promise.all([load('diagram.js'), load('timeline.js')]).then(([{ diagram }, { timeline }]) => {
                  const place = document.createElement('div');
                  document.body.append(place);
                  place.append(
                    diagram({ name, states: [name, 'b'], edges: [{ from: name, to: 'b', step: name, claim: name + 1, by: name }] }, name),
                    timeline({ steps: [
                      { step: name, mark: 'done', at: '2026-11-25T08:00:00Z' },
                      { step: 'b', mark: name, at: '2026-11-25T08:00:01Z' },
                    ] }, () => 'good'));
                  const isText = place.textContent.includes(name) && !place.querySelector('img, [onerror], script');
                  setTimeout(() => done(`${isText} ${document.title}`), 200);
                }, done);""", HOSTILE);

        assertThat(found).isEqualTo("true Overview · Saga");
    }
}
