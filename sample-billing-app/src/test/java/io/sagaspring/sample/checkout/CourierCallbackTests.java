package io.sagaspring.sample.checkout;

import static io.sagaspring.sample.checkout.CheckoutCalls.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Only one of the courier's callbacks decides about a shipment, and it must present the token. */
@SampleTest
class CourierCallbackTests {

    private static final List<String> CALLBACKS = List.of("complete", "fail", "extend", "heartbeat");

    private final Api api;
    private final CheckoutCalls checkouts;

    CourierCallbackTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.checkouts = new CheckoutCalls(api, database);
    }

    /**
     * The condition of the step {@code approval} is evaluated only when the saga reaches the step. Until then the step
     * is listed, even if it will be skipped.
     */
    @Test
    void aDeliveryCompletesTheCheckoutAndLaterCallbacksChangeNothing() {
        String checkout = checkouts.awaitCourier(checkouts.start("delivered", 4200, ""));
        assertThat(checkouts.steps(checkout))
                .containsExactly(
                        "charge_card completed 1",
                        "reserve_stock completed 1",
                        "arrange_fulfillment waiting 1",
                        "approval pending 0",
                        "send_receipt pending 0");

        assertThat(checkouts.call(checkout, "heartbeat", "").raw()).isEqualTo(APPLIED);
        assertThat(checkouts.call(checkout, "extend", "{\"by\":\"PT10M\"}").raw())
                .isEqualTo(APPLIED);
        Answer delivered = checkouts.call(checkout, "complete", "{\"signedBy\":\"ada\"}");
        Answer ended = api.get(checkout + "?await=PT30S");

        assertThat(delivered.status()).isEqualTo(200);
        assertThat(delivered.raw()).isEqualTo(APPLIED);
        assertThat(ended.text("state")).isEqualTo("completed");
        assertThat(ended.body().at("/context/arrange_fulfillment/signedBy").asString())
                .isEqualTo("ada");
        for (String callback : CALLBACKS) {
            Answer late = checkouts.call(checkout, callback, bodyOf(callback));
            assertThat(late.status()).as(callback).isEqualTo(200);
            assertThat(late.body().path("applied").asBoolean(true)).isFalse();
            assertThat(late.text("because")).isNotBlank();
        }
        assertThat(checkouts.effects("delivered")).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"'', null", "17, 17", "'[1,\"two\"]', '[1,\"two\"]'", "'\"\\u0000\"', '\"\\u0000\"'"})
    void theResultOfTheCourierIsStoredWhateverItsJsonType(String payload, String stored) {
        String checkout = checkouts.awaitCourier(checkouts.start("kept-" + UUID.randomUUID(), 4200, ""));

        assertThat(checkouts.call(checkout, "complete", payload).raw()).isEqualTo(APPLIED);

        assertThat(api.get(checkout + "?await=PT30S")
                        .body()
                        .at("/context/arrange_fulfillment")
                        .toString())
                .isEqualTo(stored.equals("null") ? "" : stored);
    }

    @Test
    void aRepeatedCallbackWithTheSameKeyIsNotApplied() {
        String checkout = checkouts.awaitCourier(checkouts.start("keyed", 4200, ""));
        String[] headers = {"X-Callback-Token", checkouts.token(checkout), "Idempotency-Key", "k-1"};
        String failure = bodyOf("fail");
        String fail = checkout + "/steps/arrange_fulfillment/fail";

        assertThat(api.post(fail, failure, headers).raw()).isEqualTo(APPLIED);
        Answer again = api.post(fail, failure, headers);

        assertThat(again.body().path("applied").asBoolean(true)).isFalse();
        checkouts.awaitAttempt(checkout, 2);
        assertThat(checkouts.call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);
    }

    @Test
    void aCallerWithoutTheTokenLearnsNothing() {
        String checkout = checkouts.awaitCourier(checkouts.start("mine", 4200, ""));
        String other = checkouts.awaitCourier(checkouts.start("other", 4200, ""));
        String foreign = checkouts.token(other);
        List<String> bodies = new ArrayList<>();

        for (String callback : CALLBACKS) {
            for (String body : List.of("", "{", bodyOf(callback))) {
                for (String step : List.of("arrange_fulfillment", "charge_card", "nothing")) {
                    String path = "%s/steps/%s/%s".formatted(checkout, step, callback);
                    bodies.add(refused(api.post(path, body)));
                    bodies.add(refused(api.post(path, body, "X-Callback-Token", "")));
                    bodies.add(refused(api.post(path, body, "X-Callback-Token", "wrong")));
                    bodies.add(refused(api.post(path, body, "X-Callback-Token", foreign)));
                }
                for (String unknown : List.of(UUID.randomUUID().toString(), "x")) {
                    String path = "/api/checkouts/%s/steps/arrange_fulfillment/%s".formatted(unknown, callback);
                    bodies.add(refused(api.post(path, body, "X-Callback-Token", foreign)));
                }
            }
        }

        assertThat(bodies.stream().distinct()).hasSize(1);
        assertThat(checkouts.steps(checkout)).contains("arrange_fulfillment waiting 1");
        assertThat(checkouts.steps(other)).contains("arrange_fulfillment waiting 1");
    }

    @Test
    void anUnstorableMessageIsRefusedAndTheNextOneIsApplied() {
        String checkout = checkouts.awaitCourier(checkouts.start("too-much", 4200, ""));
        String large = "\"%s\"".formatted("x".repeat(1 << 20));
        String deep = "[".repeat(300) + "]".repeat(300);

        checkouts.call(checkout, "complete", large).requireProblem(413, "ValueTooLarge");
        checkouts.call(checkout, "complete", deep).requireProblem(400, "InvalidValue");
        checkouts
                .call(checkout, "fail", "{\"type\":\"lost\",\"details\":{\"where\":%s}}".formatted(large))
                .requireProblem(413, "ValueTooLarge");
        checkouts
                .call(checkout, "fail", "{\"type\":\"lost\",\"details\":{\"where\":%s}}".formatted(deep))
                .requireProblem(400, "InvalidValue");

        assertThat(checkouts.call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);
    }

    @Test
    void aMalformedMessageOfTheCourierIsRefused() {
        String checkout = checkouts.awaitCourier(checkouts.start("misspoken", 4200, ""));

        checkouts.call(checkout, "complete", "{").requireProblem(400, "");
        for (String body : List.of("", "{}", "{\"type\":\" \"}", "{\"type\":\"\\u0000\"}", "[]")) {
            checkouts.call(checkout, "fail", body).requireProblem(400, "");
        }
        for (String body : List.of(
                "",
                "{}",
                "{\"by\":null}",
                "{\"by\":\"soon\"}",
                "{\"by\":\"PT0S\"}",
                "{\"by\":\"-PT1S\"}",
                "{\"by\":\"P366D\"}",
                "{\"by\":\"PT9223372036854775807S\"}")) {
            checkouts.call(checkout, "extend", body).requireProblem(400, "");
        }
        assertThat(checkouts.steps(checkout)).contains("arrange_fulfillment waiting 1");
    }

    private static String bodyOf(String callback) {
        return switch (callback) {
            case "fail" -> "{\"type\":\"parcel_lost\",\"message\":\"It fell off.\"}";
            case "extend" -> "{\"by\":\"PT10M\"}";
            default -> "{}";
        };
    }

    private static String refused(Answer answer) {
        return answer.requireProblem(404, "").raw();
    }
}
