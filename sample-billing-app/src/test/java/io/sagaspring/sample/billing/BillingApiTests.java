package io.sagaspring.sample.billing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.Comparator;
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

/** Tests every call about billings, and every response that a step can have. */
@SampleTest
class BillingApiTests {

    private final Api api;
    private final TestDatabase database;
    private final JdbcClient jdbc;

    BillingApiTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void anOpenedBillingIsADraftWithSentInvoices() {
        Answer opened = api.post("/api/billings", """
                {"period":"2026-11","invoices":[
                    {"number":"OPEN-1","amountCents":1200,"customer":"ada@example.org"},
                    {"number":"OPEN-2","amountCents":900,"customer":"bob@example.org"}]}""");

        assertThat(opened.status()).isEqualTo(201);
        JsonNode billing = opened.body();
        assertThat(billing.propertyNames()).containsExactly("id", "period", "status", "version", "invoices");
        assertThat(billing.path("id").isNumber()).isTrue();
        assertThat(opened.text("status")).isEqualTo("DRAFT");
        assertThat(opened.location()).isEqualTo("/api/billings/" + billing.path("id"));
        JsonNode invoice = billing.at("/invoices/1");
        assertThat(invoice.propertyNames())
                .containsExactly("id", "billingId", "number", "status", "amountCents", "customer", "deleted");
        assertThat(invoice.path("billingId")).isEqualTo(billing.path("id"));
        assertThat(invoice.path("status").asString()).isEqualTo("SENT");
        assertThat(api.get(opened.location()).body()).isEqualTo(billing);
        assertThat(api.get("/api/invoices/" + invoice.path("id")).body()).isEqualTo(invoice);
        assertThat(api.get("/api/invoices?number=OPEN-2").body()).containsExactly(invoice);
    }

    @Test
    void theListOfBillingsIsPaged() {
        api.open("PAGE-1");
        api.open("PAGE-2");

        JsonNode page = api.get("/api/billings?page=1&size=1").body();

        assertThat(page.propertyNames()).containsExactly("content", "page", "size", "total");
        assertThat(page.path("content")).hasSize(1);
        assertThat(page.path("page").asInt()).isOne();
        assertThat(page.path("total").asLong()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void anApprovedBillingIsClosedAndEachCustomerIsMailedOnce() {
        String billing = "/api/billings/" + api.open("CLOSE-1", "CLOSE-2").path("id");

        Answer approved = api.step(billing + "/steps/approve");
        Answer closed = api.step(billing + "/steps/close");

        assertThat(approved.status()).isEqualTo(200);
        assertThat(approved.body().toString()).isEqualTo("{\"outcome\":\"Completed\",\"status\":\"APPROVED\"}");
        assertThat(closed.status()).isEqualTo(200);
        assertThat(closed.body().toString()).isEqualTo("{\"outcome\":\"Completed\",\"status\":\"CLOSED\"}");
        assertThat(api.get(billing).text("status")).isEqualTo("CLOSED");
        assertThat(closedBy(billing)).isEqualTo("admin");
        Work.awaitNone(jdbc);
        assertThat(api.mails("CLOSE-1").body()).hasSize(1);
        assertThat(api.mails("CLOSE-2").body()).hasSize(1);
        JsonNode mail = api.mails("CLOSE-1").body().path(0);
        assertThat(mail.propertyNames()).containsExactly("at", "kind", "ref", "key", "node");
        assertThat(mail.path("key")).isNotEqualTo(api.mails("CLOSE-2").body().at("/0/key"));
    }

    @Test
    void aBillingWithoutInvoicesIsNotClosed() {
        String billing = api.approved();

        Answer refused = api.step(billing + "/steps/close");

        refused.requireProblem(422, "Rejected");
        assertThat(refused.body().path("messages").toString())
                .isEqualTo("[\"A billing needs at least one invoice before it can be closed.\"]");
        assertThat(api.get(billing).text("status")).isEqualTo("APPROVED");
    }

    @Test
    void anInapplicableStepNamesTheApplicableSteps() {
        String billing = "/api/billings/" + api.open("DRAFT-1").path("id");

        Answer refused = api.step(billing + "/steps/close");

        refused.requireProblem(409, "NotApplicable");
        assertThat(refused.text("currentStatus")).isEqualTo("DRAFT");
        assertThat(refused.body().path("possibleSteps").toString()).isEqualTo("[\"approve\"]");
    }

    @Test
    void aBillingShowsThatItIsBeingClosedAndRefusesOtherCallers() {
        String billing = api.approved("BUSY-1");
        List<CompletableFuture<Answer>> first = new ArrayList<>();

        Work.whileLocked(database, Work.NO_AFTER_EFFECTS, () -> {
            first.add(api.started(billing + "/steps/close"));
            await().atMost(20, SECONDS)
                    .until(() -> api.get(billing).text("status").equals("CLOSING"));
            Answer refused = api.step(billing + "/steps/close");

            refused.requireProblem(409, "ClaimFailed");
            assertThat(refused.text("detail")).isEqualTo("another operation is already in progress");
            assertThat(api.mails("BUSY-1").body()).isEmpty();
        });
        assertThat(first.get(0).join().status()).isEqualTo(200);
    }

    @Test
    void aSimulatedDelayMakesAStepSlow() {
        String billing = api.approved("SLOW-1");
        long begun = System.nanoTime();

        Answer closed = api.step(billing + "/steps/close", "X-Simulate", "delay=500");

        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(500_000_000);
        assertThat(closed.text("status")).isEqualTo("CLOSED");
    }

    @ParameterizedTest
    @CsvSource({"invalid, 422, Rejected", "fail, 422, Failed", "throw, 500, ''", "'delay=1,throw', 500, ''"})
    void aFailedClosingWritesNothingAndReleasesItsClaim(String trouble, int status, String outcome) {
        String number = "TROUBLE-" + trouble.hashCode();
        String billing = api.approved(number);

        Answer answer = api.step(billing + "/steps/close", "X-Simulate", trouble);

        answer.requireProblem(status, outcome);
        assertThat(answer.body().path("messages").size()).isEqualTo(outcome.equals("Rejected") ? 1 : 0);
        assertThat(api.get(billing).text("status")).isEqualTo("APPROVED");
        assertThat(closedBy(billing)).isEqualTo("nobody");
        Work.awaitNone(jdbc);
        assertThat(api.mails(number).body()).isEmpty();
        assertThat(api.step(billing + "/steps/close").status()).isEqualTo(200);
    }

    @Test
    void oneOfTwoConcurrentClosingsWithoutAClaimGetsAConflict() {
        String billing = api.approved("SYSTEM-1");
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        Work.whileLocked(database, Work.NO_AFTER_EFFECTS, () -> {
            answers.addAll(Work.race(2, caller -> api.step(billing + "/steps/close", "X-Requester", "system")));
            // The first closing is about to commit, and the second closing waits for the row that the first closing has
            // written.
            await().atMost(20, SECONDS)
                    .until(() -> jdbc.sql(
                                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
                            .query(Integer.class)
                            .single()
                            .equals(1));
            assertThat(api.get(billing).text("status")).isEqualTo("APPROVED");
        });
        List<Answer> byStatus = answers.stream()
                .map(CompletableFuture::join)
                .sorted(Comparator.comparing(Answer::status))
                .toList();

        assertThat(byStatus.get(0).text("status")).isEqualTo("CLOSED");
        byStatus.get(1).requireProblem(409, "Conflict");
        assertThat(closedBy(billing)).isEqualTo("system");
        Work.awaitNone(jdbc);
        assertThat(api.mails("SYSTEM-1").body()).hasSize(1);
    }

    @Test
    void aClosingThatLosesItsClaimCommitsNothing() {
        String billing = api.approved("LOST-1");

        Answer closed = closed(billing, () -> {
            jdbc.sql("DELETE FROM saga_claim WHERE entity_id = ?")
                    .param(id(billing).toString())
                    .update();
            jdbc.sql("UPDATE billing SET status = 'APPROVED', version = version + 1 WHERE id = ?")
                    .param(id(billing))
                    .update();
        });

        closed.requireProblem(409, "ClaimLost");
        assertThat(closedBy(billing)).isEqualTo("nobody");
        Work.awaitNone(jdbc);
        assertThat(api.mails("LOST-1").body()).isEmpty();
    }

    @Test
    void anEditOfABillingDuringItsClosingIsAConflict() {
        String billing = api.approved("EDIT-1");

        Answer closed = closed(
                billing,
                () -> jdbc.sql("UPDATE billing SET period = '2026-12', version = version + 1 WHERE id = ?")
                        .param(id(billing))
                        .update());

        closed.requireProblem(409, "Conflict");
        assertThat(api.get(billing).text("status")).isEqualTo("APPROVED");
        assertThat(api.get(billing).text("period")).isEqualTo("2026-12");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bob", "Admin", "any", "two words"})
    void anUnknownRequesterIsRefused(String requester) {
        String billing = api.approved("WHO-1");

        api.step(billing + "/steps/close", "X-Requester", requester).requireProblem(400, "UnknownRequester");
        assertThat(api.get(billing).text("status")).isEqualTo("APPROVED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "delay", "delay=-1", "delay=9999999999", "fail,throw", "Throw", "crash"})
    void anUnknownOrMalformedSimulationIsRefused(String trouble) {
        String billing = api.approved("TROUBLED-1");

        api.step(billing + "/steps/close", "X-Simulate", trouble).requireProblem(400, "");
        assertThat(api.get(billing).text("status")).isEqualTo("APPROVED");
    }

    @Test
    void anUnknownBillingOrStepIsNotFound() {
        String billing = api.approved("THERE-1");

        api.get("/api/billings/4711").requireProblem(404, "");
        api.step("/api/billings/4711/steps/close").requireProblem(404, "UnknownEntity");
        api.step(billing + "/steps/burn").requireProblem(404, "UnknownStep");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "[]",
                "{\"period\":\"2026-13\",\"invoices\":[]}",
                "{\"period\":\"2026-11\"}",
                "{\"period\":\"2026-11\",\"invoices\":[null]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\"A\",\"customer\":\"a@b.org\"}]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\"A\",\"amountCents\":0,\"customer\":\"a@b.org\"}]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\"A\",\"amountCents\":1.5,\"customer\":\"a@b.org\"}]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\"A\",\"amountCents\":1e30,\"customer\":\"a@b.org\"}]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\" \",\"amountCents\":1,\"customer\":\"a@b.org\"}]}",
                "{\"period\":\"2026-11\",\"invoices\":[{\"number\":\"\\u0000\",\"amountCents\":1,\"customer\":\"a@b.org\"}]}"
            })
    void aMalformedBillingIsRefused(String body) {
        api.post("/api/billings", body).requireProblem(400, "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/billings?page=-1",
                "/api/billings?page=2147483647&size=200",
                "/api/billings?size=0",
                "/api/billings?size=201",
                "/api/billings/abc"
            })
    void aMalformedAddressIsRefused(String path) {
        api.get(path).requireProblem(400, "");
    }

    /**
     * Closes a billing, and makes a change after the closing has read the billing and before the closing reads the
     * invoices. Returns the response.
     */
    private Answer closed(String billing, Runnable meanwhile) {
        List<CompletableFuture<Answer>> slow = new ArrayList<>();
        Work.whileLocked(database, "LOCK TABLE invoice IN ACCESS EXCLUSIVE MODE", () -> {
            slow.add(api.started(billing + "/steps/close"));
            Work.awaitWaiting(database, "invoice", 1);
            assertThat(jdbc.sql("SELECT status FROM billing WHERE id = ?")
                            .param(id(billing))
                            .query(String.class)
                            .single())
                    .isEqualTo("CLOSING");
            meanwhile.run();
        });
        return slow.get(0).join();
    }

    private static Long id(String billing) {
        return Long.valueOf(billing.substring(billing.lastIndexOf('/') + 1));
    }

    private String closedBy(String billing) {
        return jdbc.sql("SELECT coalesce(closed_by, 'nobody') FROM billing WHERE id = ?")
                .param(id(billing))
                .query(String.class)
                .single();
    }
}
