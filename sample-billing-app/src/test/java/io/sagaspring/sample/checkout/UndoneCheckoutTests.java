package io.sagaspring.sample.checkout;

import static io.sagaspring.sample.checkout.CheckoutCalls.APPLIED;
import static io.sagaspring.sample.checkout.CheckoutCalls.BY_HIMSELF;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** A checkout that fails or is cancelled compensates its effects in reverse order. */
@SampleTest
class UndoneCheckoutTests {

    private final Api api;
    private final CheckoutCalls checkouts;
    private final TestDatabase database;

    UndoneCheckoutTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.checkouts = new CheckoutCalls(api, database);
        this.database = database;
    }

    @Test
    void aFailedShipmentIsRetriedWithTheSameKeyAndFinallyCompensated() {
        Answer started = checkouts.start("lost", 4200, "");
        String checkout = checkouts.awaitCourier(started);
        String first = checkouts.token(checkout);
        for (int attempt = 1; attempt <= 3; attempt++) {
            checkouts.awaitAttempt(checkout, attempt);
            assertThat(checkouts
                            .call(
                                    checkout,
                                    "fail",
                                    "{\"type\":\"parcel_lost\",\"message\":\"It fell off.\",\"details\":{\"lorry\":7}}")
                            .raw())
                    .isEqualTo(APPLIED);
        }
        Answer ended = api.get(checkout + "?await=PT30S");

        assertThat(ended.text("state")).isEqualTo("failed");
        assertThat(checkouts.steps(checkout))
                .containsExactly(
                        "charge_card compensated 1",
                        "reserve_stock compensated 1",
                        "arrange_fulfillment compensated 3",
                        "approval cancelled 0",
                        "send_receipt cancelled 0");
        assertThat(ended.body().at("/steps/2/error").toString())
                .isEqualTo("{\"type\":\"parcel_lost\",\"message\":\"It fell off.\",\"details\":{\"lorry\":7}}");
        String id = started.text("executionId");
        String ship = "ship %s:arrange_fulfillment".formatted(id);
        assertThat(checkouts.effects("lost"))
                .containsExactly(
                        "charge %s:charge_card".formatted(id),
                        "reserve %s:reserve_stock".formatted(id),
                        ship,
                        ship,
                        ship,
                        "cancel_shipment %s:arrange_fulfillment:undo".formatted(id),
                        "release %s:reserve_stock:undo".formatted(id),
                        "refund %s:charge_card:undo".formatted(id));
        assertThat(checkouts.reservations("lost")).isZero();
        Answer late = api.step(checkout + "/steps/arrange_fulfillment/complete", "X-Callback-Token", first);
        assertThat(late.status()).isEqualTo(200);
        assertThat(late.body().path("applied").asBoolean(true)).isFalse();
    }

    @Test
    void aCheckoutThatCannotBeShippedIsCompensatedInReverseOrder() {
        Answer started = checkouts.start("unshipped", 4200, "\"arrange_fulfillment\":\"fail:always\"");

        Answer ended = api.get(started.location() + "?await=PT30S");

        assertThat(ended.text("state")).isEqualTo("failed");
        assertThat(ended.body().at("/steps/2").toString()).isEqualTo("""
                        {"name":"arrange_fulfillment","state":"failed","attempt":3,"error":\
                        {"type":"simulated","message":"Attempt 3 of arrange_fulfillment failed as requested.","details":null}}""");
        assertThat(checkouts.kinds("unshipped")).containsExactly("charge", "reserve", "release", "refund");
        assertThat(checkouts.reservations("unshipped")).isZero();
        api.get(started.location() + "/courier").requireProblem(404, "");
    }

    @Test
    void aChargeIsAttemptedSixTimesAndAFailedChargeIsNotRefunded() {
        String retried = checkouts
                .start("retried", 4200, "\"charge_card\":\"fail:2\"," + BY_HIMSELF)
                .location();
        String refused =
                checkouts.start("refused", 4200, "\"charge_card\":\"fail:6\"").location();

        Answer completed = api.get(retried + "?await=PT30S");
        Answer failed = api.get(refused + "?await=PT30S");

        assertThat(completed.text("state")).isEqualTo("completed");
        assertThat(checkouts.steps(retried)).contains("charge_card completed 3");
        assertThat(checkouts.kinds("retried")).containsExactly("charge", "reserve", "ship", "email");
        assertThat(failed.text("state")).isEqualTo("failed");
        assertThat(checkouts.steps(refused)).contains("charge_card failed 6", "reserve_stock cancelled 0");
        assertThat(checkouts.effects("refused")).isEmpty();
    }

    @Test
    void aFailedReservationOfStockIsNotRetried() {
        String checkout = checkouts
                .start("sold-out", 4200, "\"reserve_stock\":\"fail:1\"")
                .location();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("failed");

        assertThat(checkouts.steps(checkout)).contains("charge_card compensated 1", "reserve_stock failed 1");
        assertThat(checkouts.kinds("sold-out")).containsExactly("charge", "refund");
    }

    @Test
    void aRetriedCompensationTakesEffectOnce() {
        String trouble = "\"refund_payment\":\"fail:2\",\"release_stock\":\"fail:2\",\"cancel_shipment\":\"fail:2\"";
        String checkout = checkouts.awaitCourier(checkouts.start("difficult", 4200, trouble));

        checkouts.cancel(checkout, "user");

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("cancelled");
        assertThat(checkouts.kinds("difficult"))
                .containsExactly("charge", "reserve", "ship", "cancel_shipment", "release", "refund");
    }

    /** The charge may or may not take effect. In both cases, the customer pays nothing in the end. */
    @Test
    void aCheckoutThatIsCancelledDuringItsChargeCostsNothing() {
        AtomicReference<String> started = new AtomicReference<>();
        Work.whileLocked(database, Work.NO_EFFECTS, () -> {
            String amid = checkouts.start("amid", 4200, "").location();
            started.set(amid);
            await().atMost(30, SECONDS).until(() -> api.get(amid).text("state").equals("running"));
            checkouts.cancel(amid, "user");
        });
        String checkout = started.get();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("cancelled");
        assertThat(checkouts.kinds("amid")).isIn(List.of(), List.of("charge", "refund"));
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void aFailedCompensationIsShownWithItsError() {
        String checkout = checkouts.awaitCourier(checkouts.start("stuck", 4200, "\"cancel_shipment\":\"fail:always\""));

        checkouts.cancel(checkout, "user");

        await().atMost(30, SECONDS).until(() -> api.get(checkout).text("state").equals("compensation_failed"));
        assertThat(checkouts.steps(checkout)).contains("arrange_fulfillment compensating 1");
        assertThat(api.get(checkout).body().at("/steps/2/error/type").asString())
                .isEqualTo("simulated");
        assertThat(checkouts.kinds("stuck")).containsExactly("charge", "reserve", "ship");
    }

    @Test
    void aCheckoutThatIsCancelledDuringItsDeliveryIsCompensatedInReverseOrder() {
        String checkout = checkouts.awaitCourier(checkouts.start("cancelled", 4200, ""));
        String token = checkouts.token(checkout);

        Answer cancelled = checkouts.cancel(checkout, "user");
        Answer ended = api.get(checkout + "?await=PT30S");
        Answer again = checkouts.cancel(checkout, "somebody else");

        assertThat(cancelled.status()).isEqualTo(202);
        assertThat(cancelled.body().propertyNames()).containsExactly("executionId", "state");
        assertThat(ended.text("state")).isEqualTo("cancelled");
        assertThat(checkouts.steps(checkout))
                .containsExactly(
                        "charge_card compensated 1",
                        "reserve_stock compensated 1",
                        "arrange_fulfillment compensated 1",
                        "approval cancelled 0",
                        "send_receipt cancelled 0");
        assertThat(checkouts.kinds("cancelled"))
                .containsExactly("charge", "reserve", "ship", "cancel_shipment", "release", "refund");
        assertThat(again.status()).isEqualTo(202);
        assertThat(again.raw())
                .isEqualTo("{\"executionId\":\"%s\",\"state\":\"cancelled\"}".formatted(ended.text("executionId")));
        Answer late = api.step(checkout + "/steps/arrange_fulfillment/complete", "X-Callback-Token", token);
        assertThat(late.body().path("applied").asBoolean(true)).isFalse();
        assertThat(checkouts.effects("cancelled")).hasSize(6);
    }
}
