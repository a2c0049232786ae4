package io.sagaspring.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests every call about invoices, and the writes of steps that succeed or fail. */
@SampleTest
class InvoiceApiTests {

    private static final String PAYMENT = "{\"amountCents\":700,\"reference\":\"bank-77\"}";

    private static final String KEY = "Idempotency-Key";

    private final Api api;
    private final TestDatabase database;
    private final JdbcClient jdbc;

    InvoiceApiTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void aRegeneratedInvoiceIsReplacedByACloneWithTheSameNumber() {
        String original = api.invoice("REGENERATE-1");

        Answer answer = api.step(original + "/steps/regenerate");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().propertyNames()).containsExactly("outcome", "status", "newInvoiceId");
        assertThat(answer.text("outcome")).isEqualTo("Completed");
        assertThat(answer.text("status")).isEqualTo("REPLACED");
        JsonNode both = api.get("/api/invoices?number=REGENERATE-1").body();
        assertThat(both).hasSize(2);
        assertThat(both.path(0)).isEqualTo(api.get(original).body());
        assertThat(both.at("/0/deleted").asBoolean()).isTrue();
        assertThat(both.at("/0/status").asString()).isEqualTo("REPLACED");
        assertThat(both.at("/1/id")).isEqualTo(answer.body().path("newInvoiceId"));
        assertThat(both.at("/1/status").asString()).isEqualTo("SENT");
        assertThat(both.at("/1/deleted").asBoolean()).isFalse();
        assertThat(both.at("/1/amountCents").asLong()).isEqualTo(1200);
        assertThat(both.at("/1/billingId")).isEqualTo(both.at("/0/billingId"));
    }

    @Test
    void aClosedBillingMailsAReplacedInvoiceOnce() {
        String billing = api.approved("REPLACED-1");
        api.step("/api/invoices/" + api.get(billing).body().at("/invoices/0/id") + "/steps/regenerate");

        api.step(billing + "/steps/close");

        Work.awaitNone(jdbc);
        assertThat(api.mails("REPLACED-1").body()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SENT", "OVERDUE"})
    void aPaymentOfAnyAmountIsRecordedAndMarksTheInvoiceAsPaid(String from) {
        String invoice = in(from);

        Answer answer = api.post(invoice + "/steps/apply_payment", PAYMENT);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().toString()).isEqualTo("{\"outcome\":\"Completed\",\"status\":\"PAID\"}");
        assertThat(api.get(invoice).text("status")).isEqualTo("PAID");
        JsonNode payments = api.get(invoice + "/payments").body();
        assertThat(payments).hasSize(1);
        assertThat(payments.path(0).propertyNames()).containsExactly("id", "amountCents", "reference", "at");
        assertThat(payments.at("/0/id").isNumber()).isTrue();
        assertThat(payments.at("/0/amountCents").asLong()).isEqualTo(700);
        assertThat(payments.at("/0/reference").asString()).isEqualTo("bank-77");
    }

    @Test
    void aPaidInvoiceHasNoApplicableStep() {
        String invoice = in("SENT");
        api.post(invoice + "/steps/apply_payment", PAYMENT);

        Answer refused = api.post(invoice + "/steps/apply_payment", PAYMENT);

        refused.requireProblem(409, "NotApplicable");
        assertThat(refused.text("currentStatus")).isEqualTo("PAID");
        assertThat(refused.body().path("possibleSteps").toString()).isEqualTo("[]");
        assertThat(api.get(invoice + "/payments").body()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "SENT, regenerate, invalid, 422, Rejected",
        "SENT, regenerate, fail, 422, Failed",
        "SENT, regenerate, throw, 500, ''",
        "SENT, apply_payment, invalid, 422, Rejected",
        "SENT, apply_payment, fail, 422, Failed",
        "SENT, apply_payment, throw, 500, ''",
        "OVERDUE, apply_payment, invalid, 422, Rejected",
        "OVERDUE, apply_payment, fail, 422, Failed",
        "OVERDUE, apply_payment, throw, 500, ''",
        "SENT, mark_as_overdue, throw, 500, ''"
    })
    void aFailedStepRollsItsWritesBackAndReleasesItsClaim(
            String from, String step, String trouble, int status, String outcome) {
        String invoice = in(from);
        String number = api.get(invoice).text("number");
        long written = writes(step);

        run(invoice, step, "X-Simulate", trouble).requireProblem(status, outcome);

        assertThat(writes(step)).as("the failure comes after the writes").isEqualTo(written + inserts(step));
        assertThat(api.get(invoice).text("status")).isEqualTo(from);
        assertThat(api.get("/api/invoices?number=" + number).body()).hasSize(1);
        assertThat(api.get(invoice).body().path("deleted").asBoolean()).isFalse();
        assertThat(api.get(invoice + "/payments").body()).isEmpty();
        assertThat(run(invoice, step).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"amountCents\":1200}",
                "{\"amountCents\":0,\"reference\":\"a\"}",
                "{\"amountCents\":-1,\"reference\":\"a\"}",
                "{\"amountCents\":0.5,\"reference\":\"a\"}",
                "{\"amountCents\":\"many\",\"reference\":\"a\"}",
                "{\"amountCents\":null,\"reference\":\"a\"}",
                "{\"amountCents\":1200,\"reference\":\"\"}",
                "{\"amountCents\":1200,\"reference\":\"\\u0000\"}"
            })
    void aMalformedPaymentIsRefused(String body) {
        String invoice = in("SENT");

        api.post(invoice + "/steps/apply_payment", body).requireProblem(400, "");
        assertThat(api.get(invoice).text("status")).isEqualTo("SENT");
    }

    @Test
    void aStepRunsOnceForEachKeyAndItsReplyIsReplayed() {
        String invoice = api.invoice("KEY-1");
        Answer first = api.step(invoice + "/steps/regenerate", KEY, "key-1");
        String paid = in("SENT");
        Answer payment = api.post(paid + "/steps/apply_payment", PAYMENT, KEY, "key-2");

        Answer second = api.step(invoice + "/steps/regenerate", KEY, "key-1");
        Answer repeated = api.post(paid + "/steps/apply_payment", PAYMENT, KEY, "key-2");

        assertThat(first.body().has("newInvoiceId")).isTrue();
        assertThat(second.isReplay()).isTrue();
        assertThat(second.raw()).isEqualTo(first.raw());
        assertThat(api.get("/api/invoices?number=KEY-1").body()).hasSize(2);
        assertThat(repeated.isReplay()).isTrue();
        assertThat(repeated.raw()).isEqualTo(payment.raw());
        assertThat(api.get(paid + "/payments").body()).hasSize(1);
        api.step(paid + "/steps/regenerate", KEY, "key-1").requireProblem(422, "KEY_REUSED");
        api.step(paid + "/steps/regenerate", KEY, "key-2").requireProblem(422, "KEY_REUSED");
        api.post(paid + "/steps/apply_payment", "{\"amountCents\":700,\"reference\":\"bank-78\"}", KEY, "key-2")
                .requireProblem(422, "KEY_REUSED");
    }

    @ParameterizedTest
    @CsvSource({"invalid, 422, Rejected", "fail, 422, Failed", "throw, 500, ''"})
    void aFailedStepFreesItsKey(String trouble, int status, String outcome) {
        String invoice = in("SENT");
        String key = "key-" + trouble;

        run(invoice, "apply_payment", KEY, key, "X-Simulate", trouble).requireProblem(status, outcome);
        Answer paid = run(invoice, "apply_payment", KEY, key);

        assertThat(paid.status()).isEqualTo(200);
        assertThat(paid.isReplay()).isFalse();
        assertThat(run(invoice, "apply_payment", KEY, key).isReplay()).isTrue();
        assertThat(api.get(invoice + "/payments").body()).hasSize(1);
    }

    @Test
    void anInapplicableStepFreesItsKey() {
        String invoice = in("OVERDUE");

        api.step(invoice + "/steps/regenerate", KEY, "key-3").requireProblem(409, "NotApplicable");
        api.step(invoice + "/steps/regenerate", KEY, "key-3").requireProblem(409, "NotApplicable");

        assertThat(run(invoice, "apply_payment", KEY, "key-3").status()).isEqualTo(200);
    }

    @Test
    void aRepeatedRequestIsADuplicateAndAnotherRequestFailsToClaim() {
        String invoice = in("SENT");
        List<CompletableFuture<Answer>> first = new ArrayList<>();

        Work.whileLocked(database, "LOCK TABLE payment IN SHARE MODE", () -> {
            first.add(api.posted(invoice + "/steps/apply_payment", PAYMENT, KEY, "key-4"));
            Work.awaitWaiting(database, "payment", 1);
            assertThat(api.get(invoice).text("status")).isEqualTo("APPLYING_PAYMENT_FROM_SENT");

            run(invoice, "apply_payment", KEY, "key-4").requireProblem(409, "DUPLICATE_REQUEST");
            run(invoice, "apply_payment", KEY, "key-5").requireProblem(409, "ClaimFailed");
        });

        Answer paid = first.get(0).join();
        assertThat(paid.status()).isEqualTo(200);
        assertThat(run(invoice, "apply_payment", KEY, "key-4").raw()).isEqualTo(paid.raw());
        run(invoice, "apply_payment", KEY, "key-5").requireProblem(409, "NotApplicable");
    }

    @Test
    void anUnknownInvoiceOrAMalformedRequestIsRefused() {
        String invoice = in("SENT");

        api.get("/api/invoices/4711").requireProblem(404, "");
        api.get("/api/invoices/4711/payments").requireProblem(404, "");
        api.step("/api/invoices/4711/steps/regenerate").requireProblem(404, "UnknownEntity");
        api.post("/api/invoices/4711/steps/apply_payment", PAYMENT).requireProblem(404, "UnknownEntity");
        api.step(invoice + "/steps/burn").requireProblem(404, "UnknownStep");
        api.get("/api/invoices/x").requireProblem(400, "");
        api.get("/api/invoices").requireProblem(400, "");
        api.get("/api/invoices?number=%00").requireProblem(400, "");
        api.step(invoice + "/steps/regenerate", "X-Requester", "bob").requireProblem(400, "UnknownRequester");
        assertThat(api.get("/api/invoices?number=nobody").body()).isEmpty();
    }

    private String in(String status) {
        String invoice = api.invoice("NUMBER-" + System.nanoTime());
        if (status.equals("OVERDUE")) {
            assertThat(api.step(invoice + "/steps/mark_as_overdue").body().toString())
                    .isEqualTo("{\"outcome\":\"Completed\",\"status\":\"OVERDUE\"}");
        }
        return invoice;
    }

    private Answer run(String invoice, String step, String... headers) {
        return step.equals("apply_payment")
                ? api.post(invoice + "/steps/apply_payment", PAYMENT, headers)
                : api.step(invoice + "/steps/" + step, headers);
    }

    /** Counts inserts by the sequence of their ids, which also counts inserts that were rolled back. */
    private long writes(String step) {
        return jdbc.sql("SELECT coalesce(pg_sequence_last_value(?::regclass), 0)")
                .param(step.equals("apply_payment") ? "payment_id_seq" : "invoice_id_seq")
                .query(Long.class)
                .single();
    }

    private static int inserts(String step) {
        return step.equals("mark_as_overdue") ? 0 : 1;
    }
}
