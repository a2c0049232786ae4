package io.sagaspring.sample.payouts;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** A payout waits in the queue 'psp'. Its step is attempted up to five times. */
@SampleTest
class PayoutApiTests {

    private final Api api;
    private final PayoutCalls payouts;

    PayoutApiTests(@LocalServerPort int port) {
        this.api = new Api(port);
        this.payouts = new PayoutCalls(api);
    }

    @Test
    void aPayoutCompletesAndHasTwoEffects() {
        Answer started = payouts.start("t-paid", "paid", "");
        String id = started.text("runId");
        payouts.awaitState(started.location(), "completed");

        assertThat(started.status()).isEqualTo(202);
        assertThat(started.location()).isEqualTo("/api/payouts/" + id);
        assertThat(started.body().propertyNames()).containsExactly("runId", "state");
        assertThat(api.get(started.location()).raw()).isEqualTo("""
                {"runId":"%s","state":"completed","tenant":"t-paid","reference":"paid","steps":[\
                {"name":"transfer","state":"completed","attempt":1,"error":null}]}""".formatted(id));
        Answer effects = api.get("/api/effects?ref=paid");
        assertThat(effects.texts("kind")).containsExactly("payout_begin", "payout");
        assertThat(effects.texts("key").stream().distinct()).hasSize(1);
    }

    @Test
    void aRepeatedReferenceReturnsTheFirstPayout() {
        Answer first = payouts.start("t-again", "pay-again", "");

        Answer again = payouts.start("t-other", "pay-again", "\"transfer\":\"fail:always\"");

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("runId")).isEqualTo(first.text("runId"));
        assertThat(api.get(again.location()).text("tenant")).isEqualTo("t-again");
        payouts.awaitState(first.location(), "completed");
    }

    @Test
    void exactlyOneOfConcurrentCallersStartsAPayout() {
        List<Answer> answers = Work.race(8, caller -> payouts.start("t-race", "pay-race", "")).stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).filteredOn(answer -> answer.status() == 202).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() != 202).allMatch(answer -> answer.status() == 200);
        assertThat(answers.stream().map(Answer::location).distinct()).hasSize(1);
        payouts.awaitState(answers.get(0).location(), "completed");
        assertThat(payouts.effects("pay-race")).containsExactly("payout_begin pay-race", "payout pay-race");
    }

    @Test
    void aPayoutThatFailsAtFirstIsAttemptedAgain() {
        String payout = payouts.started("t-retry", "retry", "\"transfer\":\"fail:2\"");
        payouts.awaitState(payout, "completed");

        assertThat(api.get(payout).body().path("steps").toString())
                .isEqualTo("[{\"name\":\"transfer\",\"state\":\"completed\",\"attempt\":3,\"error\":null}]");
        assertThat(payouts.effects("retry"))
                .containsExactly("payout_begin retry", "payout_begin retry", "payout_begin retry", "payout retry");
    }

    @Test
    void aPayoutWhoseAttemptsAreUsedUpHasFailed() {
        String payout = payouts.started("t-fails", "fails", "\"transfer\":\"fail:always\"");
        payouts.awaitState(payout, "failed");

        assertThat(api.get(payout).body().path("steps").toString()).isEqualTo("""
                [{"name":"transfer","state":"failed","attempt":5,"error":{\
                "type":"simulated","message":"Attempt 5 of transfer failed as requested.","details":null}}]""");
        assertThat(api.get("/api/effects?ref=fails").texts("kind")).hasSize(5).containsOnly("payout_begin");
    }

    @Test
    void thePayoutsOfATenantEndInTheOrderOfTheirStart() {
        List<String> started = IntStream.range(0, 4)
                .mapToObj(each ->
                        payouts.started("t-order", "order-" + each, each % 2 == 0 ? "\"transfer\":\"fail:1\"" : ""))
                .toList();
        started.forEach(payout -> payouts.awaitState(payout, "completed"));

        assertThat(payouts.effects("order-"))
                .containsExactly(
                        "payout_begin order-0",
                        "payout_begin order-0",
                        "payout order-0",
                        "payout_begin order-1",
                        "payout order-1",
                        "payout_begin order-2",
                        "payout_begin order-2",
                        "payout order-2",
                        "payout_begin order-3",
                        "payout order-3");
        assertThat(api.get("/api/payouts?tenant=t-order").texts("reference"))
                .containsExactly("order-3", "order-2", "order-1", "order-0");
        assertThat(api.get("/api/payouts?tenant=t-unknown").raw()).isEqualTo("[]");
    }

    @Test
    void noMorePayoutsExecuteThanTheQueueAllows() {
        List<String> started = IntStream.range(0, 8)
                .mapToObj(each -> payouts.started("t-limit-" + each, "limit-" + each, "\"transfer\":\"delay:300\""))
                .toList();
        started.forEach(payout -> payouts.awaitState(payout, "completed"));

        assertThat(payouts.mostAtOnce("limit-")).isBetween(2, 4);
    }

    @Test
    void noPayoutBeginsWhileTheQueueIsPaused() {
        await().atMost(60, SECONDS).until(() -> api.get("/api/queues/psp").raw().equals("""
                {"name":"psp","paused":false,"atOnce":4,"inUse":0,"waiting":0}"""));

        assertThat(api.post("/api/queues/psp/pause", "{\"reason\":\"psp maintenance\"}")
                        .status())
                .isEqualTo(200);
        String payout = payouts.started("t-paused", "paused", "");
        Answer again = api.post("/api/queues/psp/pause", "{\"reason\":\"again\"}");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.raw()).isEqualTo("""
                {"name":"psp","paused":true,"atOnce":4,"inUse":0,"waiting":1}""");
        assertThat(api.get(payout).body().path("steps").toString())
                .isEqualTo("[{\"name\":\"transfer\",\"state\":\"pending\",\"attempt\":0,\"error\":null}]");
        assertThat(payouts.effects("paused")).isEmpty();

        Answer resumed = api.post("/api/queues/psp/resume", "");
        assertThat(resumed.status()).isEqualTo(200);
        assertThat(resumed.body().path("paused").asBoolean()).isFalse();
        payouts.awaitState(payout, "completed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"reference\":\"bad\",\"amountCents\":500}",
                "{\"tenant\":\"t1\",\"amountCents\":500}",
                "{\"tenant\":\" \",\"reference\":\"bad\",\"amountCents\":500}",
                "{\"tenant\":\"t1\\u0000\",\"reference\":\"bad\",\"amountCents\":500}",
                "{\"tenant\":\"t1\",\"reference\":\"bad\",\"amountCents\":0}",
                "{\"tenant\":\"t1\",\"reference\":\"bad\",\"amountCents\":500,\"priority\":101}",
                "{\"tenant\":\"t1\",\"reference\":\"bad\",\"amountCents\":500,\"simulate\":{\"transfer\":\"explode\"}}",
                "{\"tenant\":\"t1\",\"reference\":\"bad\",\"amountCents\":500,\"simulate\":{\"refund\":\"fail:1\"}}",
                "[]"
            })
    void aMalformedPayoutIsRefused(String body) {
        api.post("/api/payouts", body).requireProblem(400, "");
    }

    @Test
    void aPayoutCanBeStartedWithoutAPriority() {
        Answer started = api.post("/api/payouts", "{\"tenant\":\"t-bare\",\"reference\":\"bare\",\"amountCents\":500}");

        assertThat(started.status()).isEqualTo(202);
        payouts.awaitState(started.location(), "completed");
    }

    @Test
    void unknownPayoutsAndQueuesAreNotFoundAndMalformedCallsAreRefused() {
        String reason = "{\"reason\":\"why\"}";
        api.get("/api/payouts/unknown").requireProblem(404, "");
        api.get("/api/payouts/01a2108c-bbb5-7df6-a230-d957d2e90af8").requireProblem(404, "");
        api.get("/api/queues/pspp").requireProblem(404, "");
        api.post("/api/queues/pspp/pause", reason).requireProblem(404, "");
        api.post("/api/queues/pspp/resume", reason).requireProblem(404, "");
        api.post("/api/queues/psp/pause", "{}").requireProblem(400, "");
        api.get("/api/payouts").requireProblem(400, "");
    }
}
