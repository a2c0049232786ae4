package io.sagaspring.sample.page;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Headless Chromium from the system's packages. */
final class Browser {

    private static final Dimension DESK = new Dimension(1100, 900);

    /** The page polls each second. In the tests, it polls more often, because the tests wait for the result. */
    private static final String OFTEN = """
            const later = window.setTimeout;
            window.setTimeout = (what, millis, ...given) => later(what, millis === 1000 ? 200 : millis, ...given);""";

    private Browser() {}

    /**
     * Starts Chromium. If Chromium is not installed, the tests are skipped with a message, or fail in a build that
     * requires Chromium.
     */
    static ChromeDriver start() {
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
