package io.sagaspring.sample.checkout;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Checkouts: every call, and that what does not finish is undone. */
@SampleTest
class CheckoutApiTests {

    private static final String BY_HIMSELF = "\"auto_courier\":\"true\"";
    private static final String APPLIED = "{\"applied\":true}";
    private static final List<String> CALLBACKS = List.of("complete", "fail", "extend", "heartbeat");

    private final Api api;
    private final JdbcClient jdbc;

    CheckoutApiTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void aCheckoutWhoseCourierDeliversCompletes() {
        Answer started = start("completes", 4200, BY_HIMSELF);
        String checkout = started.location();
        Answer over = api.get(checkout + "?await=PT30S");

        assertThat(started.status()).isEqualTo(202);
        String id = started.text("executionId");
        assertThat(checkout).isEqualTo("/api/checkouts/" + id);
        assertThat(started.body().propertyNames()).containsExactly("executionId", "state");
        assertThat(over.status()).isEqualTo(200);
        assertThat(over.raw()).startsWith("""
                        {"executionId":"%s","state":"completed","steps":[\
                        {"name":"charge_card","state":"completed","attempt":1,"error":null},\
                        {"name":"reserve_stock","state":"completed","attempt":1,"error":null},\
                        {"name":"arrange_fulfillment","state":"completed","attempt":1,"error":null},\
                        {"name":"send_receipt","state":"completed","attempt":1,"error":null}],"context":{""".formatted(id));
        assertThat(over.body().path("context").propertyNames())
                .containsExactlyInAnyOrder("chargeId", "reservation", "shipmentId", "arrange_fulfillment");
        assertThat(over.body().at("/context/arrange_fulfillment/deliveredBy").asString())
                .isEqualTo("courier");
        assertThat(effects("completes"))
                .containsExactly(
                        "charge %s:charge_card".formatted(id),
                        "reserve %s:reserve_stock".formatted(id),
                        "ship %s:arrange_fulfillment".formatted(id),
                        "email %s:send_receipt".formatted(id));
        assertThat(reservations("completes")).isEqualTo(1);
    }

    @Test
    void theSameOrderAgainIsTheSameCheckoutUntouched() {
        Answer first = start("again", 4200, "");
        String checkout = awaitCourier(first);
        String before = api.get(checkout).raw();

        Answer again = start("again", 100_000, BY_HIMSELF);

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("executionId")).isEqualTo(first.text("executionId"));
        assertThat(again.location()).isEqualTo(checkout);
        assertThat(again.text("state")).isEqualTo("waiting");
        assertThat(api.get(checkout).raw()).isEqualTo(before);
    }

    @Test
    void ofAllWhoStartAnOrderAtOnceOneDoes() {
        List<Answer> answers = Work.race(8, caller -> start("race", 4200, BY_HIMSELF)).stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).filteredOn(answer -> answer.status() == 202).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() != 202).allMatch(answer -> answer.status() == 200);
        assertThat(answers.stream().map(Answer::location).distinct()).hasSize(1);
        assertThat(api.get(answers.get(0).location() + "?await=PT30S").text("state"))
                .isEqualTo("completed");
        assertThat(effects("race")).hasSize(4);
    }

    /** Whether it needs an approval is asked when it is the approval's turn; until then it shows. */
    @Test
    void theCourierSaysThatItIsDelivered() {
        String checkout = awaitCourier(start("delivered", 4200, ""));
        assertThat(steps(checkout))
                .containsExactly(
                        "charge_card completed 1",
                        "reserve_stock completed 1",
                        "arrange_fulfillment waiting 1",
                        "approval pending 0",
                        "send_receipt pending 0");

        assertThat(call(checkout, "heartbeat", "").raw()).isEqualTo(APPLIED);
        assertThat(call(checkout, "extend", "{\"by\":\"PT10M\"}").raw()).isEqualTo(APPLIED);
        Answer delivered = call(checkout, "complete", "{\"signedBy\":\"ada\"}");
        Answer over = api.get(checkout + "?await=PT30S");

        assertThat(delivered.status()).isEqualTo(200);
        assertThat(delivered.raw()).isEqualTo(APPLIED);
        assertThat(over.text("state")).isEqualTo("completed");
        assertThat(over.body().at("/context/arrange_fulfillment/signedBy").asString())
                .isEqualTo("ada");
        for (String callback : CALLBACKS) {
            Answer late = call(checkout, callback, bodyOf(callback));
            assertThat(late.status()).as(callback).isEqualTo(200);
            assertThat(late.body().path("applied").asBoolean(true)).isFalse();
            assertThat(late.text("because")).isNotBlank();
        }
        assertThat(effects("delivered")).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"'', null", "17, 17", "'[1,\"two\"]', '[1,\"two\"]'", "'\"\\u0000\"', '\"\\u0000\"'"})
    void theResultOfTheCourierIsKeptWhateverItsJsonType(String payload, String kept) {
        String checkout = awaitCourier(start("kept-" + UUID.randomUUID(), 4200, ""));

        assertThat(call(checkout, "complete", payload).raw()).isEqualTo(APPLIED);

        assertThat(api.get(checkout + "?await=PT30S")
                        .body()
                        .at("/context/arrange_fulfillment")
                        .toString())
                .isEqualTo(kept.equals("null") ? "" : kept);
    }

    @Test
    void aKeyMakesACallbackOneOfAllAttempts() {
        String checkout = awaitCourier(start("keyed", 4200, ""));
        String[] headers = {"X-Callback-Token", token(checkout), "Idempotency-Key", "k-1"};
        String failure = bodyOf("fail");
        String fail = checkout + "/steps/arrange_fulfillment/fail";

        assertThat(api.post(fail, failure, headers).raw()).isEqualTo(APPLIED);
        Answer again = api.post(fail, failure, headers);

        assertThat(again.body().path("applied").asBoolean(true)).isFalse();
        awaitAttempt(checkout, 2);
        assertThat(call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);
    }

    @Test
    void aShipmentThatFailsIsBegunAgainUnderTheSameKeyAndUndoneWhenItFailsForGood() {
        Answer started = start("lost", 4200, "");
        String checkout = awaitCourier(started);
        String first = token(checkout);
        for (int attempt = 1; attempt <= 3; attempt++) {
            awaitAttempt(checkout, attempt);
            assertThat(call(
                                    checkout,
                                    "fail",
                                    "{\"type\":\"parcel_lost\",\"message\":\"It fell off.\",\"details\":{\"lorry\":7}}")
                            .raw())
                    .isEqualTo(APPLIED);
        }
        Answer over = api.get(checkout + "?await=PT30S");

        assertThat(over.text("state")).isEqualTo("failed");
        assertThat(steps(checkout))
                .containsExactly(
                        "charge_card compensated 1",
                        "reserve_stock compensated 1",
                        "arrange_fulfillment compensated 3",
                        "approval cancelled 0",
                        "send_receipt cancelled 0");
        assertThat(over.body().at("/steps/2/error").toString())
                .isEqualTo("{\"type\":\"parcel_lost\",\"message\":\"It fell off.\",\"details\":{\"lorry\":7}}");
        String id = started.text("executionId");
        String ship = "ship %s:arrange_fulfillment".formatted(id);
        assertThat(effects("lost"))
                .containsExactly(
                        "charge %s:charge_card".formatted(id),
                        "reserve %s:reserve_stock".formatted(id),
                        ship,
                        ship,
                        ship,
                        "cancel_shipment %s:arrange_fulfillment:undo".formatted(id),
                        "release %s:reserve_stock:undo".formatted(id),
                        "refund %s:charge_card:undo".formatted(id));
        assertThat(reservations("lost")).isZero();
        Answer late = api.step(checkout + "/steps/arrange_fulfillment/complete", "X-Callback-Token", first);
        assertThat(late.status()).isEqualTo(200);
        assertThat(late.body().path("applied").asBoolean(true)).isFalse();
    }

    @Test
    void aCheckoutThatCannotBeShippedIsRefundedInReverse() {
        Answer started = start("unshipped", 4200, "\"arrange_fulfillment\":\"fail:always\"");

        Answer over = api.get(started.location() + "?await=PT30S");

        assertThat(over.text("state")).isEqualTo("failed");
        assertThat(over.body().at("/steps/2").toString()).isEqualTo("""
                        {"name":"arrange_fulfillment","state":"failed","attempt":3,"error":\
                        {"type":"simulated","message":"Attempt 3 of arrange_fulfillment was to fail.","details":null}}""");
        assertThat(kinds("unshipped")).containsExactly("charge", "reserve", "release", "refund");
        assertThat(reservations("unshipped")).isZero();
        api.get(started.location() + "/courier").requireProblem(404, "");
    }

    @Test
    void aChargeIsTriedSixTimesAndOnlyWhatWasChargedIsRefunded() {
        String retried = start("retried", 4200, "\"charge_card\":\"fail:2\"," + BY_HIMSELF)
                .location();
        String refused = start("refused", 4200, "\"charge_card\":\"fail:6\"").location();

        Answer completed = api.get(retried + "?await=PT30S");
        Answer failed = api.get(refused + "?await=PT30S");

        assertThat(completed.text("state")).isEqualTo("completed");
        assertThat(steps(retried)).contains("charge_card completed 3");
        assertThat(kinds("retried")).containsExactly("charge", "reserve", "ship", "email");
        assertThat(failed.text("state")).isEqualTo("failed");
        assertThat(steps(refused)).contains("charge_card failed 6", "reserve_stock cancelled 0");
        assertThat(effects("refused")).isEmpty();
    }

    @Test
    void stockThatIsNotThereIsNotTriedAgain() {
        String checkout =
                start("sold-out", 4200, "\"reserve_stock\":\"fail:1\"").location();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("failed");

        assertThat(steps(checkout)).contains("charge_card compensated 1", "reserve_stock failed 1");
        assertThat(kinds("sold-out")).containsExactly("charge", "refund");
    }

    @Test
    void aRetriedCompensationTakesEffectOnce() {
        String trouble = "\"refund_payment\":\"fail:2\",\"release_stock\":\"fail:2\",\"cancel_shipment\":\"fail:2\"";
        String checkout = awaitCourier(start("difficult", 4200, trouble));

        cancel(checkout, "user");

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("cancelled");
        assertThat(kinds("difficult"))
                .containsExactly("charge", "reserve", "ship", "cancel_shipment", "release", "refund");
    }

    /** Whether the charge is made or not: who cancels has paid nothing in the end. */
    @Test
    void aCheckoutThatIsCancelledAmidItsChargeOwesNothing() {
        String checkout = start("amid", 4200, "\"charge_card\":\"delay:1500\"").location();
        await().atMost(30, SECONDS).until(() -> api.get(checkout).text("state").equals("running"));

        cancel(checkout, "user");

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("cancelled");
        assertThat(kinds("amid")).isIn(List.of(), List.of("charge", "refund"));
    }

    @Test
    void aReceiptThatCannotBeSentStopsNothing() {
        String checkout = start("no-mail", 4200, "\"send_receipt\":\"fail:always\"," + BY_HIMSELF)
                .location();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");

        assertThat(steps(checkout)).contains("send_receipt failed 1");
        assertThat(kinds("no-mail")).containsExactly("charge", "reserve", "ship");
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void aFailedCompensationIsShownWithItsError() {
        String checkout = awaitCourier(start("stuck", 4200, "\"cancel_shipment\":\"fail:always\""));

        cancel(checkout, "user");

        await().atMost(30, SECONDS).until(() -> api.get(checkout).text("state").equals("compensation_failed"));
        assertThat(steps(checkout)).contains("arrange_fulfillment compensating 1");
        assertThat(api.get(checkout).body().at("/steps/2/error/type").asString())
                .isEqualTo("simulated");
        assertThat(kinds("stuck")).containsExactly("charge", "reserve", "ship");
    }

    @Test
    void aCheckoutThatIsCancelledWhileTheCourierIsUnderWayIsUndoneInReverse() {
        String checkout = awaitCourier(start("cancelled", 4200, ""));
        String token = token(checkout);

        Answer cancelled = cancel(checkout, "user");
        Answer over = api.get(checkout + "?await=PT30S");
        Answer again = cancel(checkout, "somebody else");

        assertThat(cancelled.status()).isEqualTo(202);
        assertThat(cancelled.body().propertyNames()).containsExactly("executionId", "state");
        assertThat(over.text("state")).isEqualTo("cancelled");
        assertThat(steps(checkout))
                .containsExactly(
                        "charge_card compensated 1",
                        "reserve_stock compensated 1",
                        "arrange_fulfillment compensated 1",
                        "approval cancelled 0",
                        "send_receipt cancelled 0");
        assertThat(kinds("cancelled"))
                .containsExactly("charge", "reserve", "ship", "cancel_shipment", "release", "refund");
        assertThat(again.status()).isEqualTo(202);
        assertThat(again.raw())
                .isEqualTo("{\"executionId\":\"%s\",\"state\":\"cancelled\"}".formatted(over.text("executionId")));
        Answer late = api.step(checkout + "/steps/arrange_fulfillment/complete", "X-Callback-Token", token);
        assertThat(late.body().path("applied").asBoolean(true)).isFalse();
        assertThat(effects("cancelled")).hasSize(6);
    }

    @Test
    void aLargeCheckoutWaitsForItsApproval() {
        String checkout = start("large", 100_000, BY_HIMSELF).location();
        await().atMost(30, SECONDS).until(() -> steps(checkout).contains("approval waiting 1"));
        assertThat(kinds("large")).containsExactly("charge", "reserve", "ship");

        Answer approved = approve(checkout, "approved", "Idempotency-Key", "a-1");
        Answer again = approve(checkout, "approved", "Idempotency-Key", "a-1");
        Answer over = api.get(checkout + "?await=PT30S");
        Answer late = approve(checkout, "approved");

        assertThat(List.of(approved.status(), again.status(), late.status())).containsOnly(202);
        assertThat(approved.body().propertyNames()).containsExactly("executionId", "state");
        assertThat(over.text("state")).isEqualTo("completed");
        assertThat(over.body().at("/context/approval").toString())
                .isEqualTo("{\"approvedBy\":\"ada\",\"decision\":\"approved\"}");
        assertThat(kinds("large")).containsExactly("charge", "reserve", "ship", "email");
    }

    @Test
    void anApprovalThatComesEarlyIsKeptForItsStep() {
        String checkout = awaitCourier(start("early", 250_000, ""));

        assertThat(approve(checkout, "approved", "Idempotency-Key", "a-1").status())
                .isEqualTo(202);
        assertThat(call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");
    }

    @Test
    void aLargeCheckoutThatIsRejectedIsUndone() {
        String checkout = start("rejected", 100_000, BY_HIMSELF).location();
        await().atMost(30, SECONDS).until(() -> steps(checkout).contains("approval waiting 1"));

        assertThat(approve(checkout, "rejected").status()).isEqualTo(202);

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("cancelled");
        assertThat(kinds("rejected"))
                .containsExactly("charge", "reserve", "ship", "cancel_shipment", "release", "refund");
    }

    @Test
    void aSmallCheckoutDoesNotAskForApproval() {
        String checkout = start("small", 99_999, BY_HIMSELF).location();

        assertThat(approve(checkout, "approved").status()).isEqualTo(202);

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");
        assertThat(steps(checkout)).noneMatch(step -> step.startsWith("approval"));
        assertThat(api.get(checkout).body().path("context").has("approval")).isFalse();
    }

    @Test
    void aCallerWithoutTheTokenLearnsNothing() {
        String checkout = awaitCourier(start("mine", 4200, ""));
        String other = awaitCourier(start("other", 4200, ""));
        String foreign = token(other);
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
        assertThat(steps(checkout)).contains("arrange_fulfillment waiting 1");
        assertThat(steps(other)).contains("arrange_fulfillment waiting 1");
    }

    @Test
    void manyWhoWaitHoldNoConnection() {
        String checkout = awaitCourier(start("awaited", 4200, ""));

        List<CompletableFuture<Answer>> waiting = Work.race(40, caller -> api.get(checkout + "?await=PT1M"));
        assertThat(api.get(checkout + "?await=PT0.2S").text("state")).isEqualTo("waiting");
        assertThat(call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);

        assertThat(waiting.stream().map(CompletableFuture::join).map(answer -> answer.text("state")))
                .hasSize(40)
                .containsOnly("completed");
    }

    @Test
    void aDeliveryThatWasLostWithItsNodeIsMadeUpFor() {
        String checkout = awaitCourier(start("made-up-for", 4200, ""));

        jdbc.sql("UPDATE effects.parcel SET by_himself = true, at = at - interval '1 minute' WHERE execution_id = ?")
                .param(checkout.substring("/api/checkouts/".length()))
                .update();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");
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
        assertThat(effects("bad")).isEmpty();
    }

    @Test
    void anOrderIdThatIsTooLongIsRefused() {
        start("l".repeat(201), 4200, "").requireProblem(400, "");
        assertThat(start("l".repeat(200), 4200, "").status()).isEqualTo(202);
    }

    /** Its order's key cannot be stored, which the library says and no constraint of the request. */
    @Test
    void anOrderIdWithHalfASurrogatePairIsRefused() {
        start("half-\\ud83d", 4200, "").requireProblem(400, "InvalidName");
    }

    @Test
    void anUnstorableMessageIsRefusedAndTheNextOneIsApplied() {
        String checkout = awaitCourier(start("too-much", 4200, ""));
        String large = "\"%s\"".formatted("x".repeat(1 << 20));
        String deep = "[".repeat(300) + "]".repeat(300);

        call(checkout, "complete", large).requireProblem(413, "ValueTooLarge");
        call(checkout, "complete", deep).requireProblem(400, "InvalidValue");
        call(checkout, "fail", "{\"type\":\"lost\",\"details\":{\"where\":%s}}".formatted(large))
                .requireProblem(413, "ValueTooLarge");
        call(checkout, "fail", "{\"type\":\"lost\",\"details\":{\"where\":%s}}".formatted(deep))
                .requireProblem(400, "InvalidValue");

        assertThat(call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2M0.001S", "-PT1S", "PT", "soon", "10s", "10", "P1D"})
    void aMalformedOrTooLongWaitIsRefused(String await) {
        String checkout = start("impatient", 4200, "").location();

        api.get("%s?await=%s".formatted(checkout, await)).requireProblem(400, "");
    }

    @Test
    void aMalformedMessageOfTheCourierIsRefused() {
        String checkout = awaitCourier(start("misspoken", 4200, ""));

        call(checkout, "complete", "{").requireProblem(400, "");
        for (String body : List.of("", "{}", "{\"type\":\" \"}", "{\"type\":\"\\u0000\"}", "[]")) {
            call(checkout, "fail", body).requireProblem(400, "");
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
            call(checkout, "extend", body).requireProblem(400, "");
        }
        assertThat(steps(checkout)).contains("arrange_fulfillment waiting 1");
    }

    @Test
    void aMalformedCancellationOrApprovalIsRefused() {
        String checkout = awaitCourier(start("unclear", 100_000, ""));

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
        approve(checkout, "approved", "Idempotency-Key", "").requireProblem(400, "");
        approve(checkout, "approved", "Idempotency-Key", "k".repeat(256)).requireProblem(400, "");
        assertThat(steps(checkout)).contains("arrange_fulfillment waiting 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "0192f0c1-0000-7000-8000-000000000000", "1-1-1-1-1"})
    void anUnknownCheckoutIsNotFound(String id) {
        String checkout = "/api/checkouts/" + id;

        api.get(checkout).requireProblem(404, "");
        api.get(checkout + "?await=PT1S").requireProblem(404, "");
        api.get(checkout + "/courier").requireProblem(404, "");
        cancel(checkout, "user").requireProblem(404, "");
        approve(checkout, "approved").requireProblem(404, "");
        approve(checkout, "rejected").requireProblem(404, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%00", "a%00b"})
    void anIdWithNulIsRefused(String id) {
        api.get("/api/checkouts/" + id).requireProblem(400, "");
        api.get("/api/checkouts/" + id + "/courier").requireProblem(400, "");
        cancel("/api/checkouts/" + id, "user").requireProblem(400, "");
    }

    @Test
    void aSignalThatNobodyKnowsIsNotFound() {
        String checkout = start("unknown-signal", 4200, "").location();

        api.post(checkout + "/signals/other", "{}").requireProblem(404, "");
    }

    private Answer start(String order, long amountCents, String simulate) {
        return api.post("/api/checkouts", """
                {"orderId":"%s","amountCents":%d,"paymentToken":"tok_1","simulate":{%s}}""".formatted(order, amountCents, simulate));
    }

    /** The address of a checkout whose courier is under way. */
    private String awaitCourier(Answer started) {
        assertThat(started.status()).as(started::raw).isEqualTo(202);
        awaitAttempt(started.location(), 1);
        return started.location();
    }

    private void awaitAttempt(String checkout, int attempt) {
        await().atMost(30, SECONDS).until(() -> steps(checkout).contains("arrange_fulfillment waiting " + attempt));
    }

    private Answer cancel(String checkout, String reason) {
        return api.post(checkout + "/cancel", "{\"reason\":\"%s\"}".formatted(reason));
    }

    private Answer approve(String checkout, String decision, String... headers) {
        return api.post(
                checkout + "/signals/approval",
                "{\"approvedBy\":\"ada\",\"decision\":\"%s\"}".formatted(decision),
                headers);
    }

    private String token(String checkout) {
        return api.get(checkout + "/courier").text("token");
    }

    private Answer call(String checkout, String callback, String body) {
        return api.post(
                "%s/steps/arrange_fulfillment/%s".formatted(checkout, callback),
                body,
                "X-Callback-Token",
                token(checkout));
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

    private List<String> steps(String checkout) {
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

    private List<String> effects(String order) {
        return api.get("/api/effects?ref=" + order)
                .body()
                .valueStream()
                .map(effect -> "%s %s"
                        .formatted(
                                effect.path("kind").asString(),
                                effect.path("key").asString()))
                .toList();
    }

    private List<String> kinds(String order) {
        return api.get("/api/effects?ref=" + order).texts("kind");
    }

    private int reservations(String order) {
        return jdbc.sql("SELECT count(*) FROM reservation WHERE order_id = ?")
                .param(order)
                .query(Integer.class)
                .single();
    }
}
