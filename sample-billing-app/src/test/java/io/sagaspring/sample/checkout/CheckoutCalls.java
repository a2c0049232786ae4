package io.sagaspring.sample.checkout;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Starts checkouts, changes them, and reads their steps and effects. */
final class CheckoutCalls {

    static final String BY_HIMSELF = "\"auto_courier\":\"true\"";
    static final String APPLIED = "{\"applied\":true}";

    private final Api api;
    private final JdbcClient jdbc;

    CheckoutCalls(Api api, TestDatabase database) {
        this.api = api;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    Answer start(String order, long amountCents, String simulate) {
        return api.post("/api/checkouts", """
                {"orderId":"%s","amountCents":%d,"paymentToken":"tok_1","simulate":{%s}}""".formatted(order, amountCents, simulate));
    }

    /** Waits until the courier has the parcel, and returns the address of the checkout. */
    String awaitCourier(Answer started) {
        assertThat(started.status()).as(started::raw).isEqualTo(202);
        awaitAttempt(started.location(), 1);
        return started.location();
    }

    void awaitAttempt(String checkout, int attempt) {
        await().atMost(30, SECONDS).until(() -> steps(checkout).contains("arrange_fulfillment waiting " + attempt));
    }

    Answer cancel(String checkout, String reason) {
        return api.post(checkout + "/cancel", "{\"reason\":\"%s\"}".formatted(reason));
    }

    Answer approve(String checkout, String decision, String... headers) {
        return api.post(
                checkout + "/signals/approval",
                "{\"approvedBy\":\"ada\",\"decision\":\"%s\"}".formatted(decision),
                headers);
    }

    String token(String checkout) {
        return api.get(checkout + "/courier").text("token");
    }

    Answer call(String checkout, String callback, String body) {
        return api.post(
                "%s/steps/arrange_fulfillment/%s".formatted(checkout, callback),
                body,
                "X-Callback-Token",
                token(checkout));
    }

    List<String> steps(String checkout) {
        return api.get(checkout)
                .body()
                .path("steps")
                .valueStream()
                .map(step -> "%s %s %d"
                        .formatted(
                                step.path("name").asString(),
                                step.path("state").asString(),
                                step.path("attempt").asInt()))
                .toList();
    }

    List<String> effects(String order) {
        return api.get("/api/effects?ref=" + order)
                .body()
                .valueStream()
                .map(effect -> "%s %s"
                        .formatted(
                                effect.path("kind").asString(),
                                effect.path("key").asString()))
                .toList();
    }

    List<String> kinds(String order) {
        return api.get("/api/effects?ref=" + order).texts("kind");
    }

    int reservations(String order) {
        return jdbc.sql("SELECT count(*) FROM reservation WHERE order_id = ?")
                .param(order)
                .query(Integer.class)
                .single();
    }
}
