package io.sagaspring.sample.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Tests the calls that only the page makes. */
@SampleTest
class PageApiTests {

    private final Api api;

    PageApiTests(@LocalServerPort int port) {
        this.api = new Api(port);
    }

    @Test
    void workflowsListTheirStepsAndTheirClaimStates() {
        JsonNode workflows = api.get("/api/workflows").body();

        JsonNode billing = workflows
                .valueStream()
                .filter(each -> each.path("name").asString().equals("billing"))
                .findFirst()
                .orElseThrow();
        assertThat(billing.path("claimStates")).hasToString("[\"CLOSING\"]");
        assertThat(billing.at("/steps/1")).hasToString("""
                        {"key":"close","from":"APPROVED","to":{"any":"CLOSED"},"claim":{"admin":{"into":"CLOSING","revertTo":"APPROVED"}}}""");
    }

    @Test
    void checkoutsAreListedLatestFirstAndHaveATimeline() {
        Answer earlier = checkOut("listed-1");
        Answer later = checkOut("listed-2");
        api.get(later.location() + "?await=PT30S");

        JsonNode listed = api.get("/api/checkouts").body();
        JsonNode timeline = api.get(later.location() + "/timeline").body();

        assertThat(listed.valueStream().map(each -> each.path("orderId").asString()))
                .containsSubsequence("listed-2", "listed-1");
        assertThat(listed.valueStream().map(each -> each.path("executionId").asString()))
                .containsSubsequence(later.text("executionId"), earlier.text("executionId"));
        assertThat(timeline.path("orderId").asString()).isEqualTo("listed-2");
        assertThat(timeline.path("state").asString()).isEqualTo("completed");
        assertThat(timeline.at("/steps/0/name").asString()).isEqualTo("charge_card");
        assertThat(timeline.at("/steps/0/startedAt").asString()).isNotEmpty();
        assertThat(timeline.path("steps")
                        .valueStream()
                        .map(each -> each.path("endedAt").asString("")))
                .doesNotContain("");
        api.get("/api/checkouts/unknown/timeline").requireProblem(404, "");
    }

    private Answer checkOut(String order) {
        return api.post("/api/checkouts", """
                {"orderId":"%s","amountCents":4200,"paymentToken":"tok_1","simulate":{"auto_courier":"true"}}""".formatted(order));
    }

    @Test
    void thePageGetsOneScriptFromTheDashboard() {
        String request = "GET /page/dashboard/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

        assertThat(api.raw(request.formatted("dom.js")))
                .startsWith("HTTP/1.1 200")
                .contains("Content-Type: text/javascript", "export function el(");
        assertThat(api.raw(request.formatted("texts/en.js"))).startsWith("HTTP/1.1 404");
    }

    @Test
    void theParameterLastSelectsTheLatestEffects() {
        for (int number = 1; number <= 3; number++) {
            api.step(api.post("/api/reminders", "{\"about\":\"LAST\"}").location() + "/steps/send");
        }
        List<String> all = api.mails("LAST").texts("key");

        assertThat(api.get("/api/effects?ref=LAST&last=2").texts("key")).isEqualTo(all.subList(1, 3));
        api.get("/api/effects?last=0").requireProblem(400, "");
    }

    @Test
    void aReplayIsNotCachedAndHasEachSecurityHeaderOnce() {
        String account = api.account("ada");
        String[] key = {"Idempotency-Key", "headers-1"};
        api.post(account + "/credits", "{\"amountCents\":500}", key);
        Answer replay = api.post(account + "/credits", "{\"amountCents\":500}", key);

        assertThat(replay.isReplay()).isTrue();
        assertThat(replay.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(replay.headers().allValues("Content-Security-Policy")).hasSize(1);
        assertThat(api.get("/api/unknown").header("X-Content-Type-Options")).isEqualTo("nosniff");
    }
}
