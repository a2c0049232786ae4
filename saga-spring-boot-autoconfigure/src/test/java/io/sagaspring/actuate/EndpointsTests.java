package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.Http;
import io.sagaspring.workflow.TransitionOutcome;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** Operators see workflows and handle background work over HTTP, and the log names the operators. */
@ExtendWith(OutputCaptureExtension.class)
class EndpointsTests extends OperatedShop {

    @Test
    void anImpossibleIdOrLimitIsNotAServerError() throws Exception {
        assertThat(http.get("/actuator/sagaclaims?limit=2147483647").status()).isEqualTo(200);
        assertThat(http.get("/actuator/sagadue?limit=2147483647").status()).isEqualTo(200);
        assertThat(http.get("/actuator/sagaclaims?limit=-1").status()).isEqualTo(200);
        assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=%00")
                        .status())
                .isEqualTo(404);
        assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=%00&id=1").status())
                .isEqualTo(404);
    }

    @Test
    @ExpectsErrors("no mail server")
    void parkedWorkIsListedAndRetried() throws Exception {
        CompletableFuture<Boolean> delivered = new CompletableFuture<>();
        shop.script().afterEffect = (entity, context) -> {
            throw new IllegalStateException("no mail server");
        };
        shop.send(parcel);
        JsonNode parked = awaitParked();

        assertThat(parked.path("kind").asString()).isEqualTo("after-effect:parcel:send:10");
        assertThat(parked.path("key").asString()).startsWith("parcel:%d:send:".formatted(parcel));
        assertThat(parked.path("attempts").asInt()).isEqualTo(1);
        assertThat(parked.path("lastError").asString()).contains("no mail server");
        shop.script().afterEffect = (entity, context) -> delivered.complete(entity.id() == parcel);

        assertThat(http.send("POST", "/actuator/sagadue/" + parked.path("id").asLong())
                        .status())
                .isEqualTo(204);
        assertThat(delivered.get(20, SECONDS)).isTrue();
        assertThat(http.get("/actuator/sagadue").json().path("parked")).isEmpty();
    }

    @Test
    @ExpectsErrors("no mail server")
    void anOperatorGivesUpParkedWork() throws Exception {
        shop.script().afterEffect = (entity, context) -> {
            throw new IllegalStateException("no mail server");
        };
        shop.send(parcel);
        long id = awaitParked().path("id").asLong();

        assertThat(http.send("DELETE", "/actuator/sagadue/" + id).status()).isEqualTo(204);

        assertThat(http.send("DELETE", "/actuator/sagadue/" + id).status()).isEqualTo(404);
        assertThat(http.send("POST", "/actuator/sagadue/" + id).status()).isEqualTo(404);
        assertThat(http.get("/actuator/sagadue").json().path("parked")).isEmpty();
    }

    @Test
    void workWithoutAHandlerIsListedAndCanBeGivenUp() throws Exception {
        shop.database().sql("""
                INSERT INTO saga_due (queue, work_key, payload, due_at)
                VALUES ('after-effect:removed', 'key-7', '{}', clock_timestamp())""").update();

        JsonNode unhandled =
                http.get("/actuator/sagadue").json().path("unhandled").get(0);
        assertThat(unhandled.path("kind").asString()).isEqualTo("after-effect:removed");
        assertThat(unhandled.path("key").asString()).isEqualTo("key-7");
        String path = "/actuator/sagadue/" + unhandled.path("id").asLong();

        assertThat(http.send("POST", path).status()).isEqualTo(404);
        assertThat(http.send("DELETE", path).status()).isEqualTo(204);
        assertThat(http.get("/actuator/sagadue").json().path("unhandled")).isEmpty();
    }

    @Test
    @ExpectsErrors("no mail server")
    void theLogNamesTheUserOfARetryARemovalAndARelease(CapturedOutput output) throws Exception {
        shop.script().afterEffect = (entity, context) -> {
            throw new IllegalStateException("no mail server");
        };
        shop.send(parcel);
        long id = awaitParked().path("id").asLong();
        assertThat(http.as("ada").send("POST", "/actuator/sagadue/" + id).status())
                .isEqualTo(204);
        assertThat(awaitParked().path("id").asLong()).isEqualTo(id);
        assertThat(http.as("eve").send("DELETE", "/actuator/sagadue/" + id).status())
                .isEqualTo(204);
        CompletableFuture<TransitionOutcome> owner = claim(shop.pack());
        String claimed = http.get("/actuator/sagaclaims")
                .json()
                .path("claims")
                .get(0)
                .path("id")
                .asString();
        assertThat(http.as("kim")
                        .send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + claimed)
                        .status())
                .isEqualTo(200);
        TransitionOutcome unused = finish(owner);

        assertThat(output)
                .contains("The parked background work %d is due again, because 'ada' has retried it".formatted(id))
                .contains("was removed by 'eve'")
                .contains("back to PACKED at the request of 'kim'");
        assertThat(events).extracting(ClaimRecovered::releasedBy).containsExactly("'kim'");
    }

    @Test
    void aRetryOfUnknownWorkIsNotFound() throws Exception {
        assertThat(http.send("POST", "/actuator/sagadue/4711").status()).isEqualTo(404);
        assertThat(http.send("POST", "/actuator/sagadue/4711/acme").status()).isEqualTo(404);
        assertThat(http.send("POST", "/actuator/sagadue/x").status()).isEqualTo(400);
    }

    @Test
    void workflowsAreShownAsTheyWereConfigured() throws Exception {
        JsonNode workflow =
                http.get("/actuator/sagaworkflows").json().path("workflows").get(0);

        assertThat(workflow.path("name").asString()).isEqualTo("parcel");
        assertThat(workflow.path("module").asString()).isEqualTo("shop");
        assertThat(workflow.path("entity").asString()).endsWith(".Parcel");
        assertThat(workflow.path("statusTypes").toString()).isEqualTo("[\"PACKED\",\"SENDING\",\"SENT\",\"LOST\"]");
        JsonNode send = workflow.path("steps").get(0);
        assertThat(send.path("key").asString()).isEqualTo("send");
        assertThat(send.path("claimState").path("admin").toString())
                .isEqualTo("{\"into\":\"SENDING\",\"revertTo\":\"PACKED\"}");
        assertThat(send.path("action").path("any").asString()).isEqualTo("script");
        assertThat(workflow.path("diagram").asString()).startsWith("stateDiagram-v2\n");
    }

    @Test
    void aDiagramIsPlainTextForBrowsersAndMermaidForTools() throws Exception {
        Http.Answer plain = http.get("/actuator/sagaworkflows/parcel", "text/html,application/xhtml+xml,*/*;q=0.8");
        Http.Answer mermaid = http.get("/actuator/sagaworkflows/parcel", "text/vnd.mermaid");

        assertThat(plain.contentType()).startsWith("text/plain").containsIgnoringCase("charset=utf-8");
        assertThat(plain.text()).isEqualTo(StateDiagramTests.PARCEL);
        assertThat(mermaid.contentType()).startsWith("text/vnd.mermaid").containsIgnoringCase("charset=utf-8");
        assertThat(mermaid.text()).isEqualTo(plain.text());
        assertThat(http.get("/actuator/sagaworkflows/parcels").status()).isEqualTo(404);
    }

    private static JsonNode awaitParked() throws Exception {
        long deadline = System.nanoTime() + SECONDS.toNanos(20);
        while (System.nanoTime() < deadline) {
            JsonNode parked = http.get("/actuator/sagadue").json().path("parked");
            if (!parked.isEmpty()) {
                return parked.get(0);
            }
        }
        throw new AssertionError("Nothing was parked.");
    }
}
