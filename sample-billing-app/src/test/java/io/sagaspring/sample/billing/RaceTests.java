package io.sagaspring.sample.billing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Sixteen callers press the same button at once, in each of the three cases that claims protect. The winner waits in
 * the middle of its step until all other callers have their responses. It waits for a lock that the others do not need.
 */
@SampleTest
class RaceTests {

    private static final int CALLERS = 16;

    private final Api api;
    private final TestDatabase database;
    private final JdbcClient jdbc;

    RaceTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void oneCallerClosesABillingAndEachCustomerGetsOneMail() {
        String billing = api.approved("RACE-1", "RACE-2");

        Answer winner = race(Work.NO_AFTER_EFFECTS, () -> api.step(billing + "/steps/close"));

        assertThat(winner.text("status")).isEqualTo("CLOSED");
        assertThat(api.get(billing).text("status")).isEqualTo("CLOSED");
        await().atMost(30, SECONDS)
                .until(() -> api.mails("RACE-1").body().size()
                                + api.mails("RACE-2").body().size()
                        >= 2);
        Work.awaitNone(jdbc);
        assertThat(api.mails("RACE-1").body()).hasSize(1);
        assertThat(api.mails("RACE-2").body()).hasSize(1);
    }

    @Test
    void oneCallerRegeneratesAnInvoiceAndThereIsOneClone() {
        String invoice = api.invoice("RACE-3");

        // The winner waits for this lock, because the clone has a foreign key to the locked billing.
        Answer winner = race("SELECT 1 FROM billing FOR UPDATE", () -> api.step(invoice + "/steps/regenerate"));

        assertThat(winner.text("status")).isEqualTo("REPLACED");
        assertThat(api.get("/api/invoices?number=RACE-3").texts("status")).containsExactly("REPLACED", "SENT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SENT", "OVERDUE"})
    void oneCallerPaysAnInvoiceAndThereIsOnePayment(String from) {
        String invoice = api.invoice("RACE-4");
        if (from.equals("OVERDUE")) {
            api.step(invoice + "/steps/mark_as_overdue");
        }

        Answer winner = race(
                "LOCK TABLE payment IN SHARE ROW EXCLUSIVE MODE",
                () -> api.post(invoice + "/steps/apply_payment", "{\"amountCents\":1200,\"reference\":\"bank-77\"}"));

        assertThat(winner.text("status")).isEqualTo("PAID");
        assertThat(api.get(invoice + "/payments").body()).hasSize(1);
    }

    private Answer race(String lock, Supplier<Answer> call) {
        return Work.raceBehind(database, lock, CALLERS, caller -> call.get());
    }
}
