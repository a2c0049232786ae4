package io.sagaspring.sample.page;

import static io.sagaspring.sample.page.Browser.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests the page in a real browser. */
@SampleTest
@Tag("browser")
class PageTests {

    private static final Path PICTURE = Path.of("target/two-at-once.png");

    @RegisterExtension
    static final Browser browser = Browser.tolerating(409);

    private final String address;
    private final Api api;
    private final TestDatabase database;

    PageTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.database = database;
        this.address = "http://localhost:%d/".formatted(port);
        this.api = new Api(port);
    }

    @BeforeEach
    void open() {
        browser.driver().get(address);
        await().atMost(SOON).until(() -> !all("#diagrams svg").isEmpty());
    }

    private static List<WebElement> all(String selector) {
        return browser.driver().findElements(By.cssSelector(selector));
    }

    private static WebElement one(String selector) {
        return browser.driver().findElement(By.cssSelector(selector));
    }

    private static Object js(String script, Object... arguments) {
        return Objects.requireNonNull(browser.driver().executeScript("return " + script, arguments));
    }

    /** Returns the text of an element in the document, even if the element is scrolled out of view. */
    private static String text(String selector) {
        return String.valueOf(js("document.querySelector(arguments[0])?.textContent ?? ''", selector));
    }

    private static void type(String selector, String text) {
        WebElement field = one(selector);
        field.clear();
        field.sendKeys(text);
    }

    private static void press(WebElement button) {
        js("arguments[0].scrollIntoView({ block: 'center' }) ?? true", button);
        button.click();
    }

    /** The list is refreshed often, so each attempt looks the button up again. */
    private static void press(By button) {
        await().atMost(SOON).ignoreExceptions().until(() -> {
            press(browser.driver().findElement(button));
            return true;
        });
    }

    private static void press(String label) {
        press(By.xpath("//button[normalize-space()='%s' or @aria-label='%s']".formatted(label, label)));
    }

    private static void awaitText(String selector, String expected) {
        await().atMost(SOON).untilAsserted(() -> assertThat(text(selector)).contains(expected));
    }

    @Test
    void thePageLoadsEverythingFromItsOwnServer() {
        List<?> fetched = (List<?>) js("performance.getEntriesByType('resource').map(each => each.name)");

        assertThat(fetched).isNotEmpty().allMatch(each -> String.valueOf(each).startsWith(address));
        assertThat(api.raw("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .contains("Content-Security-Policy: default-src 'none'; script-src 'self'; ", "frame-ancestors 'none'")
                .contains("X-Content-Type-Options: nosniff")
                .doesNotContain("unsafe");
    }

    @Test
    void anAccessibilityCheckFindsNoViolation() {
        assertThat(violations()).isEmpty();
    }

    @Test
    void anAccessibilityCheckFindsNoViolationInDarkMode() {
        browser.driver()
                .executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
        try {
            assertThat(violations()).isEmpty();
        } finally {
            browser.driver().executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
        }
    }

    private List<String> violations() {
        api.approved("SEEN-1");
        api.post("/api/checkouts", """
                {"orderId":"seen-%d","amountCents":4200,"paymentToken":"tok_1"}""".formatted(System.nanoTime()));
        await().atMost(SOON)
                .until(() -> !all("#checkout-list .choice").isEmpty()
                        && !all("#billing-list .card").isEmpty());
        press(By.cssSelector("#checkout-list .choice"));
        awaitText("#timeline", "arrange fulfillment");
        return new AxeBuilder()
                .analyze(browser.driver()).getViolations().stream()
                        .map(PageTests::sentence)
                        .toList();
    }

    private static String sentence(Rule rule) {
        return "%s: %s".formatted(rule.getHelp(), rule.getNodes());
    }

    @Test
    void thePageFitsTheWidthOfAPhone() {
        Dimension desk = browser.driver().manage().window().getSize();
        browser.driver()
                .executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of("width", 360, "height", 740, "deviceScaleFactor", 2, "mobile", true));
        try {
            api.approved("A-NUMBER-THAT-IS-LONGER-THAN-ANY-LINE-OF-A-PHONE-HAS-ROOM-FOR");
            awaitText("#billing-list", "A-NUMBER-THAT");

            assertThat((Long) js("document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
        } finally {
            browser.driver().executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
            browser.driver().manage().window().setSize(desk);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<img src=x onerror=document.title=1>",
                "</script><script>document.title=1</script>",
                "{{7*7}}",
                "javascript:1"
            })
    void namesThatUsersEnterAreShownAsText(String name) {
        type("#open-billing [name=number]", name);
        press("Open a billing");

        awaitText("#billing-list", name + ", 1200 cents");
        assertThat(all("main img, main script")).isEmpty();
        assertThat(browser.driver().getTitle()).isEqualTo("Saga for Spring Boot: the sample");
    }

    @Test
    void aPersonClosesABillingAndThePageUpdatesItself() {
        type("#open-billing [name=number]", "BY-HAND-1");
        press("Open a billing");
        awaitText("#billing-list .card:last-child", "BY-HAND-1");
        awaitText("#billing-list .card:last-child .diagram .current", "DRAFT");
        String billing = text("#billing-list .card:last-child h3").replaceAll("\\D", "");

        press("approve, billing " + billing);
        awaitText("#billing-list .card:last-child .diagram .current", "APPROVED");
        Work.whileLocked(database, Work.NO_AFTER_EFFECTS, () -> {
            press("close, billing " + billing);

            awaitText("#billing-list .card:last-child", "Another caller is working on it.");
            assertThat(text("#billing-list .card:last-child .diagram .current.claim"))
                    .isEqualTo("CLOSING");
            api.step("/api/billings/%s/steps/close".formatted(billing)).requireProblem(409, "ClaimFailed");
        });
        awaitText("#billing-list .card:last-child .diagram .current", "CLOSED");
        awaitText("#effect-rows", "BY-HAND-1");
        assertThat(text("#said")).isEqualTo("The status is now CLOSED.");
    }

    @Test
    void aSlowStepIsSentWithADelay() {
        String billing = api.approved("BY-HAND-2");
        awaitText("#billing-list", "BY-HAND-2");
        // The page goes on reading. Only what it sends is recorded instead of sent.
        browser.driver().executeScript("""
                window.asked = [];
                const read = window.fetch;
                window.fetch = (path, sent) => sent?.method === 'POST'
                  ? new Promise(() => asked.push([path, sent.headers]))
                  : read(path, sent);
                """);
        press(one("#slowly"));
        press("close, billing " + billing.replaceAll("\\D", ""));

        await().atMost(SOON)
                .until(() -> js("asked")
                        .toString()
                        .contains("[%s/steps/close, {X-Requester=admin, X-Simulate=delay=5000}]".formatted(billing)));
    }

    /** Also takes the screenshot for the README. */
    @Test
    void twoCallsSendOneMailWithAClaimStateAndTwoMailsWithoutAClaimState() throws IOException {
        press("Send it twice at once");

        awaitText("#race-result .twice", "2 mails");
        assertThat(text("#race-result .once"))
                .contains("done after", "refused after", "another operation is already in progress", "1 mail")
                .doesNotContain("409", "ClaimFailed");
        assertThat(text("#race-result .twice"))
                .contains("done after", "refused after", "Another caller has changed the entity");
        Files.write(PICTURE, one("#two-at-once").getScreenshotAs(OutputType.BYTES));
    }

    @Test
    void twoConcurrentCreditsCountOnceWithAKeyAndTwiceWithoutAKey() {
        new Select(one("#race select")).selectByIndex(1);
        press("Send it twice at once");

        awaitText("#race-result .twice", "2 credits");
        assertThat(text("#race-result .once")).contains("done after", "refused after", "1 credit");
        assertThat(text("#race-result .twice")).doesNotContain("refused");
    }

    @Test
    void theLoserOfARaceSeesAnExplanation() {
        String billing = api.approved("PAGE-LOST");
        String close = "[data-focus='%s close']".formatted(billing);
        await().atMost(SOON).until(() -> !all(close).isEmpty());
        // Keep the old button, because a page may not yet show the other caller's change.
        browser.driver().executeScript("window.stale = document.querySelector(arguments[0])", close);
        List<CompletableFuture<Api.Answer>> winner = new ArrayList<>();
        Work.whileLocked(database, Work.NO_AFTER_EFFECTS, () -> {
            winner.add(api.started(billing + "/steps/close"));
            await().atMost(SOON).until(() -> api.get(billing).text("status").equals("CLOSING"));
            browser.driver().executeScript("window.stale.click()");

            awaitText("#said", "another operation is already in progress");
        });
        assertThat(text("#said")).doesNotContain("409", "ClaimFailed");
        assertThat(winner.get(0).join().text("status")).isEqualTo("CLOSED");
    }

    @Test
    void thePageShowsACheckoutFromItsStartToItsCompensation() {
        new Select(one("#check-out [name=trouble]")).selectByValue("arrange_fulfillment=fail:always");
        type("#check-out [name=orderId]", "page-undone");
        press("Check out");

        awaitText("#timeline", "page-undone failed");
        assertThat(text("#timeline .timeline > .failed"))
                .contains("arrange fulfillment", "attempt 3", "failed as requested");
        assertThat(all("#timeline .timeline > .compensated")).hasSize(2);
        assertThat(text("#timeline .timeline > .compensated")).contains("compensated at");
        awaitText("#effect-rows", "refund");
    }

    @Test
    void aPersonCanActAsTheCourierAndApprove() {
        type("#check-out [name=orderId]", "page-large");
        type("#check-out [name=cents]", "100000");
        press(one("#check-out [name=courier]"));
        press("Check out");
        awaitText("#timeline .timeline > .waiting", "waiting since");

        press("Courier: ten minutes more");
        awaitText("#said", "The callback was accepted.");
        press("Courier: delivered");
        press("Approve");

        awaitText("#timeline h3", "completed");
        awaitText("#effect-rows", "page-large");
    }

    @Test
    void thePageCanBeUsedWithTheKeyboardAlone() {
        type("#check-out [name=orderId]", "page-keys");
        one("#check-out [name=orderId]").sendKeys(Keys.ENTER);
        awaitText("#timeline h3", "page-keys completed");
        browser.driver().executeScript("document.querySelector('#checkout-list .choice').focus()");

        api.post("/api/checkouts", "{\"orderId\":\"page-other\",\"amountCents\":1,\"paymentToken\":\"tok_1\"}");
        awaitText("#checkout-list", "page-other");

        assertThat(js("document.activeElement.textContent")).asString().contains("page-keys");
        browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
        assertThat(js("document.activeElement.className")).asString().contains("choice");
        browser.driver().navigate().refresh();
        one("body").sendKeys(Keys.TAB);
        assertThat(js("document.activeElement.textContent")).isEqualTo("Skip to the content");
        browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER, Keys.TAB, Keys.TAB, Keys.ENTER);
        awaitText("#race-result .once", "1 mail");
    }
}
