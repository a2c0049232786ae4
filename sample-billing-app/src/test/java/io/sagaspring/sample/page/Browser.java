package io.sagaspring.sample.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.selenium.AxeBuilder;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Headless Chromium from the system's packages, one for each test class. After each test, it requires that the console
 * of the browser shows no error.
 */
final class Browser implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    static final Duration SOON = Duration.ofSeconds(20);

    private static final Dimension DESK = new Dimension(1100, 900);

    /** The page polls each second. In the tests, it polls more often, because the tests wait for the result. */
    private static final String OFTEN = """
            const later = window.setTimeout;
            window.setTimeout = (what, millis, ...given) => later(what, millis === 1000 ? 200 : millis, ...given);""";

    private final String tolerated;
    private @Nullable ChromeDriver driver;

    private Browser(String tolerated) {
        this.tolerated = tolerated;
    }

    static Browser withoutErrors() {
        return new Browser("");
    }

    /** Tolerates responses with this status, which Chromium logs as errors. */
    static Browser tolerating(int status) {
        return new Browser("the server responded with a status of %d".formatted(status));
    }

    ChromeDriver driver() {
        return Objects.requireNonNull(driver);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        driver = start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        driver().manage().logs().get(LogType.BROWSER);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        assertThat(driver().manage().logs().get(LogType.BROWSER).getAll())
                .filteredOn(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .filteredOn(entry -> tolerated.isEmpty() || !entry.getMessage().contains(tolerated))
                .isEmpty();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (driver != null) {
            driver.quit();
        }
    }

    /** Requires that axe finds no violation on the current page. */
    void requireAccessible(String page) {
        assertThat(new AxeBuilder()
                        .analyze(driver()).getViolations().stream()
                                .map(rule -> "%s: %s".formatted(rule.getHelp(), rule.getNodes())))
                .as(page)
                .isEmpty();
    }

    /** Requires that the reader does not have to scroll the page to the side. */
    void requireFit(String page) {
        assertThat((Long) driver().executeScript("return document.documentElement.scrollWidth - innerWidth"))
                .as(page)
                .isNotPositive();
    }

    void emulate(String theme, int width, int height) {
        driver().executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
        driver().executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    }

    void emulateNothing() {
        driver().executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        driver().executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
    }

    /** Lets the reader prefer a language. */
    void prefer(String language) {
        Object agent = Objects.requireNonNull(driver().executeScript("return navigator.userAgent"));
        driver().executeCdpCommand(
                        "Emulation.setUserAgentOverride", Map.of("userAgent", agent, "acceptLanguage", language));
    }

    /** Presses the tab key until the focused element fits the selector. */
    void tabTo(String selector) {
        for (int pressed = 0; pressed < 200; pressed++) {
            if (Boolean.TRUE.equals(
                    driver().executeScript("return document.activeElement.matches(arguments[0])", selector))) {
                return;
            }
            type(Keys.TAB);
        }
        Assertions.fail("The tab key does not reach '%s'.".formatted(selector));
    }

    /** Types into the focused element. */
    void type(CharSequence... keys) {
        new Actions(driver()).sendKeys(keys).perform();
    }

    /**
     * Returns a property of each element at one moment. An update of the page replaces the elements, so a test must not
     * keep them.
     */
    List<String> all(String selector, String property) {
        List<?> found = (List<?>) Objects.requireNonNull(driver().executeScript(
                        "return [...document.querySelectorAll(arguments[0])].map(each => String(each[arguments[1]]))",
                        selector,
                        property));
        return found.stream().map(String::valueOf).toList();
    }

    /**
     * Starts Chromium. If Chromium is not installed, the tests are skipped with a message, or fail in a build that
     * requires Chromium.
     */
    private static ChromeDriver start() {
        Path chromium = require("chromium", "chromium-browser", "google-chrome");
        Path driver = require("chromedriver");
        LoggingPreferences console = new LoggingPreferences();
        console.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions()
                .setBinary(chromium.toFile())
                // Root users have no sandbox, and small containers have little shared memory.
                .addArguments(
                        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-prefers-reduced-motion")
                .addArguments("--lang=en");
        options.setCapability("goog:loggingPrefs", console);
        ChromeDriver browser = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(driver.toFile())
                        .build(),
                options);
        browser.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", OFTEN));
        browser.manage().window().setSize(DESK);
        browser.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
        return browser;
    }

    private static Path require(String... names) {
        Optional<Path> found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> Stream.of(names).map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
        if (found.isPresent()) {
            return found.get();
        }
        String sentence =
                "The page is tested in a real browser, and there is no '%s' on the PATH. Install Chromium and its driver: the packages 'chromium' and 'chromium-driver' on Debian."
                        .formatted(names[0]);
        if (System.getenv("SAMPLE_BROWSER_REQUIRED") != null) {
            return Assertions.fail(sentence);
        }
        return Assumptions.abort(sentence);
    }
}
