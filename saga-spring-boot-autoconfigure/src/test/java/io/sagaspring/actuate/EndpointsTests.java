package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import tools.jackson.databind.JsonNode;

/** What an operator sees and does over HTTP, where access was switched on. */
@ExtendWith(OutputCaptureExtension.class)
class EndpointsTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            application -> application.web(WebApplicationType.SERVLET).sources(Http.Users.class),
            Http.ON_ANY_PORT,
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.sagaclaims.access=unrestricted",
            "management.endpoint.sagadue.access=unrestricted",
            "saga.due.max-attempts=1");
    private static final Http http = new Http(shop);
    private static final List<ClaimRecovered> events = new CopyOnWriteArrayList<>();

    static {
        shop.context()
                .addApplicationListener(ApplicationListener.forPayload((ClaimRecovered event) -> events.add(event)));
    }

    private final long parcel = shop.pack();
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void asItWasWritten() {
        events.clear();
        shop.database().sql("DELETE FROM saga_due").update();
        shop.script().afterEffect = (entity, context) -> {};
        shop.script().action = (entity, context) -> ActionResult.success();
    }

    @Test
    void aClaimIsListed() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);

        JsonNode claims = http.get("/actuator/sagaclaims").json().path("claims");
        assertThat(claims).hasSize(1);
        JsonNode claim = claims.get(0);
        assertThat(claim.path("entity").asString()).isEqualTo("parcel");
        assertThat(claim.path("id").asString()).isEqualTo(Long.toString(parcel));
        assertThat(claim.path("workflow").asString()).isEqualTo("parcel");
        assertThat(claim.path("module").asString()).isEqualTo("shop");
        assertThat(claim.path("claimState").asString()).isEqualTo("SENDING");
        assertThat(claim.path("revertTo").asString()).isEqualTo("PACKED");
        assertThat(claim.path("requester").asString()).isEqualTo("admin");
        assertThat(claim.path("node").asString()).contains("@");
        assertThat(claim.path("claimedAt").asString()).matches("\\d{4}-.*Z");
        assertThat(claim.path("silentFor").asString()).startsWith("PT");
        assertThat(http.get("/actuator/sagaclaims").json().path("more").asBoolean())
                .isFalse();

        letGo(owner);
        assertThat(http.get("/actuator/sagaclaims").json().path("claims")).isEmpty();
    }

    @Test
    void aListThatIsCutSaysSo() throws Exception {
        shop.database().sql("""
                INSERT INTO saga_claim SELECT 'parcel', n::text, 'parcel', 'elsewhere', 'SENDING', 'PACKED', 'admin', 'n',
                    gen_random_uuid(), -n, clock_timestamp(), clock_timestamp() FROM generate_series(1, 3) AS n""").update();

        JsonNode answer = http.get("/actuator/sagaclaims?limit=2").json();

        assertThat(answer.path("claims")).hasSize(2);
        assertThat(answer.path("more").asBoolean()).isTrue();
        shop.database().sql("DELETE FROM saga_claim").update();
    }

    @Test
    void anImpossibleIdOrLimitIsNoServerError() throws Exception {
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
    void anOwnerWhoseClaimIsReleasedIsFencedOff() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("result").asString()).isEqualTo("RELEASED");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.claims()).isZero();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.id()).isEqualTo(Long.toString(parcel));
            assertThat(event.status()).isEqualTo("PACKED");
            assertThat(event.releasedBy()).isEqualTo("an operator");
        });
        assertThat(shop.bean(Shop.ShopJanitor.class).recovered).contains(events.get(0));
        assertThat(letGo(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aReleasedOwnerDoesNotDisturbTheNextOne() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);
        http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);
        shop.script().action = (entity, context) -> {
            entity.note("by the next");
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(letGo(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEqualTo("by the next");
        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void anOwnerThatHasWrittenIsLeftAlone() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(true);

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("result").asString()).isEqualTo("BLOCKED");
        assertThat(letGo(owner)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(events).isEmpty();
    }

    @Test
    void aClaimThatIsNotTheOneThatWasSeenIsLeftAlone() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);
        long token = http.get("/actuator/sagaclaims")
                .json()
                .path("claims")
                .get(0)
                .path("token")
                .asLong();
        String path = "/actuator/sagaclaims?entity=parcel&id=%d&token=%d";

        assertThat(http.send("DELETE", path.formatted(parcel, token - 1)).status())
                .isEqualTo(409);
        assertThat(shop.claims()).isOne();
        assertThat(http.send("DELETE", path.formatted(parcel, token)).status()).isEqualTo(200);
        assertThat(letGo(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
    }

    @Test
    void anUnclaimedEntityIsNotFound() throws Exception {
        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().path("message").asString()).isEqualTo("parcel %d is not claimed.".formatted(parcel));
        assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=nothing&id=1")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void aReleaseMustNameTheEntity() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);

        assertThat(http.send("DELETE", "/actuator/sagaclaims").status()).isEqualTo(400);
        assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=parcel").status())
                .isEqualTo(400);
        assertThat(letGo(owner)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    /** Whoever owns the state today frees it, as the sweep does. */
    @Test
    void aClaimThatWasTakenUnderTheModulesFormerNameIsReleased() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);
        shop.database().sql("UPDATE saga_claim SET module = 'formerly'").update();

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(letGo(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
    }

    @Test
    void aClaimOfAnotherApplicationIsLeftToThat() throws Exception {
        shop.database().sql("""
                INSERT INTO saga_claim VALUES ('other', '7', 'other', 'other', 'DOING', 'OPEN', 'admin', 'far away',
                    gen_random_uuid(), -1, clock_timestamp(), clock_timestamp())""").update();

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=other&id=7");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("message").asString()).contains("far away");
        shop.database().sql("DELETE FROM saga_claim").update();
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

        assertThat(parked.path("queue").asString()).isEqualTo("after-effect:parcel:send:10");
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
    void parkedWorkThatMustNotBeDoneAnyMoreIsGivenUp() throws Exception {
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
    void workWithoutAHandlerIsListedAndGivenUp() throws Exception {
        shop.database().sql("""
                INSERT INTO saga_due (queue, work_key, payload, due_at)
                VALUES ('after-effect:removed', 'key-7', '{}', clock_timestamp())""").update();

        JsonNode unhandled =
                http.get("/actuator/sagadue").json().path("unhandled").get(0);
        assertThat(unhandled.path("queue").asString()).isEqualTo("after-effect:removed");
        assertThat(unhandled.path("key").asString()).isEqualTo("key-7");
        String path = "/actuator/sagadue/" + unhandled.path("id").asLong();

        assertThat(http.send("POST", path).status()).isEqualTo(404);
        assertThat(http.send("DELETE", path).status()).isEqualTo(204);
        assertThat(http.get("/actuator/sagadue").json().path("unhandled")).isEmpty();
    }

    @Test
    @ExpectsErrors("no mail server")
    void retriesRemovalsAndReleasesNameTheirUser(CapturedOutput output) throws Exception {
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
        TransitionOutcome unused = letGo(owner);

        assertThat(output)
                .contains("Parked work %d is due again: retried by 'ada'".formatted(id))
                .contains("was removed by 'eve'")
                .contains("back to PACKED, as 'kim' asked");
        assertThat(events).extracting(ClaimRecovered::releasedBy).containsExactly("'kim'");
    }

    @Test
    void anEffectThatIsNotParkedIsNotFound() throws Exception {
        assertThat(http.send("POST", "/actuator/sagadue/4711").status()).isEqualTo(404);
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
    void aDiagramIsPlainTextForPeopleAndMermaidForTools() throws Exception {
        Http.Answer plain = http.get("/actuator/sagaworkflows/parcel", "text/html,application/xhtml+xml,*/*;q=0.8");
        Http.Answer mermaid = http.get("/actuator/sagaworkflows/parcel", "text/vnd.mermaid");

        assertThat(plain.contentType()).startsWith("text/plain").containsIgnoringCase("charset=utf-8");
        assertThat(plain.text()).isEqualTo(StateDiagramTests.PARCEL);
        assertThat(mermaid.contentType()).startsWith("text/vnd.mermaid").containsIgnoringCase("charset=utf-8");
        assertThat(mermaid.text()).isEqualTo(plain.text());
        assertThat(http.get("/actuator/sagaworkflows/parcels").status()).isEqualTo(404);
    }

    /** An owner that stands in its action, claim committed. */
    private CompletableFuture<TransitionOutcome> claim(boolean written) throws InterruptedException {
        return claim(parcel, written);
    }

    private CompletableFuture<TransitionOutcome> claim(long id) throws InterruptedException {
        return claim(id, false);
    }

    private CompletableFuture<TransitionOutcome> claim(long id, boolean written) throws InterruptedException {
        shop.script().action = (entity, context) -> {
            entity.note("by the owner");
            if (written) {
                shop.bean(EntityManager.class).flush();
            }
            arrived.countDown();
            // The keeper may interrupt it. It goes on nevertheless: the fence must hold against the stubborn, too.
            boolean waiting = true;
            while (waiting) {
                try {
                    waiting = !released.await(60, SECONDS);
                } catch (InterruptedException ignored) {
                    assertThat(context.token()).isPresent();
                }
            }
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> owner = OwnThread.call(() -> shop.send(id));
        assertThat(arrived.await(20, SECONDS)).isTrue();
        return owner;
    }

    private TransitionOutcome letGo(CompletableFuture<TransitionOutcome> owner) throws Exception {
        released.countDown();
        return owner.get(20, SECONDS);
    }

    private static JsonNode awaitParked() throws Exception {
        long giveUp = System.nanoTime() + SECONDS.toNanos(20);
        while (System.nanoTime() < giveUp) {
            JsonNode parked = http.get("/actuator/sagadue").json().path("parked");
            if (!parked.isEmpty()) {
                return parked.get(0);
            }
        }
        throw new AssertionError("Nothing was parked.");
    }
}
