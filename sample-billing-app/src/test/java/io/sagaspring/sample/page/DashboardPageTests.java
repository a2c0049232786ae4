package io.sagaspring.sample.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.deque.html.axecore.selenium.AxeBuilder;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogType;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests the page of the dashboard in a real browser. */
@SampleTest
@Tag("browser")
class DashboardPageTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String HOSTILE = "<img src=x onerror=document.title='stolen'>";

    private static ChromeDriver browser;

    private final String address;
    private final Api api;

    DashboardPageTests(@LocalServerPort int port) {
        this.address = "http://localhost:%d/saga/".formatted(port);
        this.api = new Api(port);
    }

    @BeforeAll
    static void start() {
        browser = Browser.start();
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.quit();
        }
    }

    @AfterEach
    void nothingWasRefusedByThePolicyOrThrown() {
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                .filteredOn(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .isEmpty();
    }

    private void open(String query) {
        browser.get(address + query);
        await().atMost(SOON)
                .until(() ->
                        !browser.findElements(By.cssSelector("#content h1")).isEmpty());
    }

    private static String text(String selector) {
        return browser.findElement(By.cssSelector(selector)).getText();
    }

    private static void press(String label) {
        await().atMost(SOON).ignoreExceptions().until(() -> {
            browser.findElement(By.xpath("//button[normalize-space()='%s']".formatted(label)))
                    .click();
            return true;
        });
    }

    /** Starts a checkout that waits for the courier, and returns the id of its run. */
    private String checkout() {
        return api.post("/api/checkouts", """
                        {"orderId":"board-%d","amountCents":4200,"paymentToken":"tok_1"}""".formatted(System.nanoTime()))
                .body()
                .path("executionId")
                .asString();
    }

    @ParameterizedTest
    @CsvSource({"light, 1280", "light, 360", "dark, 1280", "dark, 360"})
    void eachViewIsAccessibleAndFitsTheScreen(String theme, int width) {
        String run = checkout();
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 740, "deviceScaleFactor", 1, "mobile", width < 500));
        try {
            for (String query : List.of(
                    "",
                    "?view=runs",
                    "?view=run&id=" + run,
                    "?view=workflows",
                    "?view=claims",
                    "?view=work",
                    "?view=deliveries",
                    "?view=schedules",
                    "?view=queues",
                    "?view=audit")) {
                open(query);
                assertThat(new AxeBuilder().analyze(browser).getViolations())
                        .as(query)
                        .isEmpty();
                assertThat((Long) browser.executeScript("return document.documentElement.scrollWidth - innerWidth"))
                        .as(query)
                        .isNotPositive();
            }
        } finally {
            browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
            browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
        }
    }

    @Test
    void aRunIsCancelledAfterAConfirmationThatNamesTheConsequence() {
        open("?view=run&id=" + checkout());
        await().atMost(SOON).untilAsserted(() -> assertThat(text(".lead")).startsWith("It waits for "));

        press("Cancel");
        assertThat(text("dialog")).contains("A saga compensates what it has done.");
        browser.findElement(By.cssSelector("dialog input")).sendKeys(HOSTILE);
        browser.findElement(By.cssSelector("dialog .primary")).click();

        await().atMost(SOON).untilAsserted(() -> assertThat(text("#content")).contains("It was cancelled."));
        assertThat(text("#content")).contains("What people did to it", HOSTILE);
        assertThat(browser.getTitle()).isEqualTo("checkoutSaga · Saga");
    }

    @Test
    void aFilterStaysInTheAddressAndIsReachedByTheKeyboard() {
        open("?view=runs");

        browser.findElement(By.tagName("body")).sendKeys("/");
        WebElement field = browser.switchTo().activeElement();
        assertThat(field.getDomAttribute("name")).isEqualTo("run");
        field.sendKeys("no such run" + Keys.ENTER);

        await().atMost(SOON).untilAsserted(() -> assertThat(text("#content")).contains("There is nothing to show."));
        assertThat(browser.getCurrentUrl()).contains("view=runs", "run=no+such+run");
        browser.navigate().back();
        await().atMost(SOON)
                .until(() -> !String.valueOf(browser.getCurrentUrl()).contains("no+such+run"));
    }

    @Test
    void aRequestThatCannotBeAnsweredIsExplained() {
        open("?view=run&id=019abf3c-0000-7000-8000-000000000000");

        assertThat(text("#content")).contains("There is no run with this id.");
        // Chromium logs the response with status 404.
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll()).isNotEmpty();
    }

    @Test
    void nothingIsAskedWhileTheTabIsHidden() {
        open("");
        browser.executeScript("""
                Object.defineProperty(document, 'hidden', { value: true, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));
                performance.clearResourceTimings();""");

        await().during(Duration.ofSeconds(6)).atMost(SOON).until(() -> requests() == 0);

        browser.executeScript("""
                Object.defineProperty(document, 'hidden', { value: false, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));""");
        await().atMost(SOON).until(() -> requests() > 0);
    }

    private static long requests() {
        return (Long)
                Objects.requireNonNull(browser.executeScript("return performance.getEntriesByType('resource').length"));
    }
}
