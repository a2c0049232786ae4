package io.sagaspring.sample.page;

import static io.sagaspring.sample.page.Browser.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleNodes;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.OutputType;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Tests the dashboard of the first trial, in which each kind of trouble needs a person. To replace the picture in the
 * README, set the system property {@code sample.picture} to its path.
 */
@Tag("browser")
@ExpectsErrors({"is in doubt", "could not be compensated", "Parked run", "failed"})
class DashboardTroublesTests {

    private static final int MOST_BYTES = 150_000;

    @RegisterExtension
    static final Browser browser = Browser.withoutErrors();

    private static TestDatabase database;
    private static ConfigurableApplicationContext sample;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        // No sweep frees the claim of the frozen node.
        sample = SampleNodes.start(
                database,
                "--spring.profiles.active=try",
                "--saga.runs.poll-interval=50ms",
                "--saga.dashboard.statement-timeout=1m",
                "--saga.janitor.interval=1h");
        Api api = SampleNodes.api(sample);
        await().atMost(SOON.multipliedBy(3))
                .until(() ->
                        api.get("/saga/api/overview").body().path("troubles").size() == 5
                                && api.get("/saga/api/runs?state=running")
                                        .body()
                                        .path("items")
                                        .isEmpty());
    }

    @AfterAll
    static void close() {
        sample.close();
        database.close();
    }

    private static void open(String query) {
        browser.driver()
                .get("http://localhost:%s/saga/%s"
                        .formatted(sample.getEnvironment().getRequiredProperty("local.server.port"), query));
        await().atMost(SOON).until(() -> !browser.all("#content h1", "tagName").isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"light, 1280", "light, 360", "dark, 1280", "dark, 360"})
    void eachTroubleIsAccessible(String theme, int width) {
        browser.emulate(theme, width, 800);
        try {
            open("");
            browser.requireAccessible("overview");
            browser.requireFit("overview");
            List<String> examples = browser.all(".examples a[href*='view=run&']", "search");
            assertThat(examples).hasSizeGreaterThanOrEqualTo(4);
            for (String each : examples) {
                open(each);
                browser.requireAccessible(each);
                browser.requireFit(each);
            }
        } finally {
            browser.emulateNothing();
        }
    }

    @Test
    void theFrontPageShowsFirstWhatNeedsAPerson() throws IOException {
        browser.emulate("light", 1280, 800);
        try {
            open("");
            List<String> headings = browser.all("#content h2, #content h3", "textContent");

            assertThat(headings.get(0)).isEqualTo("Needs a person");
            assertThat(headings.get(1)).startsWith("Runs in doubt");
            // A thread counts the trends after the first look. The next update shows them.
            await().atMost(SOON)
                    .until(() -> browser.all(".trends .ended rect", "tagName").size() >= 2
                            && !browser.all(".trends .failed rect", "tagName").isEmpty());
            byte[] picture = browser.driver().getScreenshotAs(OutputType.BYTES);
            assertThat(picture.length).isLessThan(MOST_BYTES);
            String path = System.getProperty("sample.picture");
            if (path != null) {
                Files.write(Path.of(path), picture);
            }
        } finally {
            browser.emulateNothing();
        }
    }
}
