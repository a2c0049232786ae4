package io.sagaspring.sample.page;

import static io.sagaspring.sample.page.Browser.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleTest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.support.ui.Select;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests the page of the dashboard in a real browser. */
@SampleTest
@Tag("browser")
class DashboardPageTests {

    private static final String HOSTILE = "<img src=x onerror=document.title='stolen'>";

    @RegisterExtension
    static final Browser browser = Browser.tolerating(404);

    private final String address;
    private final Api api;

    DashboardPageTests(@LocalServerPort int port) {
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

    private static String text(String selector) {
        return browser.driver().findElement(By.cssSelector(selector)).getText();
    }

    private static void press(String label) {
        await().atMost(SOON).ignoreExceptions().until(() -> {
            browser.driver()
                    .findElement(By.xpath("//button[normalize-space()='%s']".formatted(label)))
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
        browser.emulate(theme, width, 740);
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
                browser.requireAccessible(query);
                browser.requireFit(query);
            }
        } finally {
            browser.emulateNothing();
        }
    }

    @Test
    void aRunIsCancelledAfterAConfirmationThatNamesTheConsequence() {
        open("?view=run&id=" + checkout());
        await().atMost(SOON).untilAsserted(() -> assertThat(text(".lead")).contains(" waits for "));

        press("Cancel");
        assertThat(text("dialog")).contains("A saga compensates what it has done.");
        browser.driver().findElement(By.cssSelector("dialog input")).sendKeys(HOSTILE);
        browser.driver().findElement(By.cssSelector("dialog .primary")).click();

        await().atMost(SOON).untilAsserted(() -> assertThat(text("#content")).contains("It was cancelled."));
        assertThat(text("#content")).contains("Operations of people", HOSTILE);
        assertThat(browser.driver().getTitle()).isEqualTo("checkoutSaga · Saga");
    }

    @Test
    void aFilterStaysInTheAddressAndIsReachedByTheKeyboard() {
        open("?view=runs");

        browser.driver().findElement(By.tagName("body")).sendKeys("/");
        WebElement field = browser.driver().switchTo().activeElement();
        assertThat(field.getDomAttribute("name")).isEqualTo("run");
        field.sendKeys("no such run" + Keys.ENTER);

        await().atMost(SOON).untilAsserted(() -> assertThat(text("#content")).contains("There is nothing to show."));
        assertThat(browser.driver().getCurrentUrl()).contains("view=runs", "run=no+such+run");
        browser.driver().navigate().back();
        await().atMost(SOON)
                .until(() -> !String.valueOf(browser.driver().getCurrentUrl()).contains("no+such+run"));
    }

    @Test
    void theKeyboardAloneIsEnoughToCancelARun() {
        String run = checkout();
        open("");
        awaitState("waiting");

        browser.tabTo("a[href*='state=waiting']");
        browser.type(Keys.ENTER);
        await().atMost(SOON).until(() -> isShown("a[href*='" + run + "']"));
        browser.tabTo("a[href*='" + run + "']");
        browser.type(Keys.ENTER);
        await().atMost(SOON).until(() -> isShown("[data-focus^='run.cancel']"));
        browser.tabTo("[data-focus^='run.cancel']");
        browser.type(Keys.ENTER);
        browser.type(Keys.ESCAPE);

        assertThat(isShown("dialog[open]")).isFalse();
        assertThat(browser.all(":focus", "textContent")).containsExactly("Cancel");

        browser.type(Keys.ENTER);
        browser.tabTo("dialog input");
        browser.type("by keyboard");
        browser.tabTo("dialog .primary");
        browser.type(Keys.ENTER);
        await().atMost(SOON).untilAsserted(() -> assertThat(text("#content")).contains("It was cancelled."));
        assertThat(api.get("/saga/api/run?id=" + run)
                        .body()
                        .at("/run/cancelReason")
                        .asString())
                .endsWith("by keyboard");
    }

    /** The overview is kept for some seconds, so the page may show the new run only after an update. */
    private static void awaitState(String state) {
        await().atMost(SOON).until(() -> isShown("a[href*='state=%s']".formatted(state)));
    }

    private static boolean isShown(String selector) {
        return !browser.all(selector, "tagName").isEmpty();
    }

    @Test
    void aLinkShowsAColleagueTheSameFilter() {
        checkout();
        open("?view=runs");
        new Select(browser.driver().findElement(By.name("state"))).selectByValue("waiting");
        browser.driver().findElement(By.name("run")).sendKeys("checkoutSaga" + Keys.ENTER);
        await().atMost(SOON)
                .until(() -> String.valueOf(browser.driver().getCurrentUrl()).contains("state=waiting"));
        String link = String.valueOf(browser.driver().getCurrentUrl());

        browser.driver().switchTo().newWindow(WindowType.TAB);
        try {
            browser.driver().get(link);
            await().atMost(SOON).until(() -> isShown("#content td"));
            assertThat(new Select(browser.driver().findElement(By.name("state")))
                            .getFirstSelectedOption()
                            .getText())
                    .isEqualTo("waiting");
            assertThat(browser.driver().findElement(By.name("run")).getDomProperty("value"))
                    .isEqualTo("checkoutSaga");
            assertThat(browser.all("td .badge", "textContent")).isNotEmpty().containsOnly("waiting");
        } finally {
            browser.driver().close();
            browser.driver()
                    .switchTo()
                    .window(browser.driver().getWindowHandles().iterator().next());
        }
    }

    @Test
    void anUpdateDoesNotOverwriteWhatSomebodyTypes() {
        open("?view=runs");
        browser.driver().findElement(By.name("node")).sendKeys("node-");

        String run = checkout();
        await().atMost(SOON).until(() -> isShown("a[href*='" + run + "']"));

        assertThat(browser.driver().findElement(By.name("node")).getDomProperty("value"))
                .isEqualTo("node-");
        assertThat(browser.driver().switchTo().activeElement().getDomAttribute("name"))
                .isEqualTo("node");
    }

    @Test
    void aRequestThatCannotBeAnsweredIsExplained() {
        open("?view=run&id=019abf3c-0000-7000-8000-000000000000");

        assertThat(text("#content")).contains("There is no run with this id.");
    }

    @Test
    void nothingIsAskedWhileTheTabIsHidden() {
        open("");
        browser.driver().executeScript("""
                Object.defineProperty(document, 'hidden', { value: true, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));
                performance.clearResourceTimings();""");

        await().during(Duration.ofSeconds(6)).atMost(SOON).until(() -> requests() == 0);

        browser.driver().executeScript("""
                Object.defineProperty(document, 'hidden', { value: false, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));""");
        await().atMost(SOON).until(() -> requests() > 0);
    }

    private static long requests() {
        return (Long) Objects.requireNonNull(
                browser.driver().executeScript("return performance.getEntriesByType('resource').length"));
    }
}
