package io.sagaspring.sample.checkout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Malformed calls and calls about unknown checkouts are refused and have no effect. */
@SampleTest
class RefusedCheckoutCallsTests {

    private final Api api;
    private final CheckoutCalls checkouts;

    RefusedCheckoutCallsTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.checkouts = new CheckoutCalls(api, database);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{}",
                "{'orderId':null,'amountCents':1,'paymentToken':'t'}",
                "{'orderId':' ','amountCents':1,'paymentToken':'t'}",
                "{'orderId':'\\u0000','amountCents':1,'paymentToken':'t'}",
                "{'orderId':'bad','amountCents':0,'paymentToken':'t'}",
                "{'orderId':'bad','amountCents':-1,'paymentToken':'t'}",
                "{'orderId':'bad','amountCents':0.5,'paymentToken':'t'}",
                "{'orderId':'bad','amountCents':9223372036854775808,'paymentToken':'t'}",
                "{'orderId':'bad','amountCents':'many','paymentToken':'t'}",
                "{'orderId':'bad','paymentToken':'t'}",
                "{'orderId':'bad','amountCents':1}",
                "{'orderId':'bad','amountCents':1,'paymentToken':''}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':[]}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':'fail'}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'nothing':'fail:1'}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'approval':'fail:1'}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'charge_card':'fail'}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'charge_card':'fail:-1'}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'charge_card':'true'}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'charge_card':null}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'charge_card':'delay:1e3'}}",
                "{'orderId':'bad','amountCents':1,'paymentToken':'t','simulate':{'auto_courier':'yes'}}"
            })
    void aMalformedCheckoutIsRefused(String body) {
        api.post("/api/checkouts", body.replace('\'', '"')).requireProblem(400, "");
        assertThat(checkouts.effects("bad")).isEmpty();
    }

    @Test
    void anOrderIdThatIsTooLongIsRefused() {
        checkouts.start("l".repeat(201), 4200, "").requireProblem(400, "");
        assertThat(checkouts.start("l".repeat(200), 4200, "").status()).isEqualTo(202);
    }

    /**
     * No constraint of the request covers this case. The library refuses the key of the order, because the key cannot
     * be stored.
     */
    @Test
    void anOrderIdWithHalfASurrogatePairIsRefused() {
        checkouts.start("half-\\ud83d", 4200, "").requireProblem(400, "InvalidName");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2M0.001S", "-PT1S", "PT", "soon", "10s", "10", "P1D"})
    void aMalformedOrTooLongAwaitParameterIsRefused(String await) {
        String checkout = checkouts.start("impatient", 4200, "").location();

        api.get("%s?await=%s".formatted(checkout, await)).requireProblem(400, "");
    }

    @Test
    void aMalformedCancellationOrApprovalIsRefused() {
        String checkout = checkouts.awaitCourier(checkouts.start("unclear", 100_000, ""));

        for (String body : List.of("", "{}", "{\"reason\":\" \"}", "{\"reason\":\"\\u0000\"}")) {
            api.post(checkout + "/cancel", body).requireProblem(400, "");
        }
        for (String body : List.of(
                "",
                "{}",
                "{\"approvedBy\":\"ada\"}",
                "{\"decision\":\"approved\"}",
                "{\"approvedBy\":\"ada\",\"decision\":\"perhaps\"}")) {
            api.post(checkout + "/signals/approval", body).requireProblem(400, "");
        }
        checkouts.approve(checkout, "approved", "Idempotency-Key", "").requireProblem(400, "");
        checkouts
                .approve(checkout, "approved", "Idempotency-Key", "k".repeat(256))
                .requireProblem(400, "");
        assertThat(checkouts.steps(checkout)).contains("arrange_fulfillment waiting 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "0192f0c1-0000-7000-8000-000000000000", "1-1-1-1-1"})
    void anUnknownCheckoutIsNotFound(String id) {
        String checkout = "/api/checkouts/" + id;

        api.get(checkout).requireProblem(404, "");
        api.get(checkout + "?await=PT1S").requireProblem(404, "");
        api.get(checkout + "/courier").requireProblem(404, "");
        checkouts.cancel(checkout, "user").requireProblem(404, "");
        checkouts.approve(checkout, "approved").requireProblem(404, "");
        checkouts.approve(checkout, "rejected").requireProblem(404, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%00", "a%00b"})
    void aCheckoutIdWithANulCharacterIsRefused(String id) {
        api.get("/api/checkouts/" + id).requireProblem(400, "");
        api.get("/api/checkouts/" + id + "/courier").requireProblem(400, "");
        checkouts.cancel("/api/checkouts/" + id, "user").requireProblem(400, "");
    }

    @Test
    void anUnknownSignalIsNotFound() {
        String checkout = checkouts.start("unknown-signal", 4200, "").location();

        api.post(checkout + "/signals/other", "{}").requireProblem(404, "");
    }
}
