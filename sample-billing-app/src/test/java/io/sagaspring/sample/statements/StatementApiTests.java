package io.sagaspring.sample.statements;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.Runs;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Payments lead to bookings and a statement. */
@SampleTest
class StatementApiTests {

    private final Api api;
    private final Runs runs;
    private final TestDatabase database;
    private final JdbcClient jdbc;

    StatementApiTests(@LocalServerPort int port, @Autowired Runs runs, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.runs = runs;
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    private void pay(String customer, int cents, String... simulation) {
        String line = "{\"number\":\"%s\",\"amountCents\":1200,\"customer\":\"%s\"}"
                .formatted("STATEMENT-" + cents, customer);
        Answer billing = api.post("/api/billings", "{\"period\":\"2026-11\",\"invoices\":[%s]}".formatted(line));
        api.post(
                "/api/invoices/%d/steps/apply_payment"
                        .formatted(billing.body().at("/invoices/0/id").asLong()),
                "{\"amountCents\":%d,\"reference\":\"bank\"}".formatted(cents),
                simulation);
    }

    private int bookings(String customer) {
        return jdbc.sql("SELECT count(*) FROM booking WHERE customer = ?")
                .param(customer)
                .query(Integer.class)
                .single();
    }

    private Answer written(String customer) {
        return api.post("/api/statements", "{\"customer\":\"%s\"}".formatted(customer));
    }

    private Answer awaitPayments(String customer, int payments) {
        return await().atMost(60, SECONDS)
                .until(
                        () -> api.get("/api/statements?customer=" + customer),
                        answer -> answer.body().path("payments").asInt() == payments);
    }

    @Test
    void severalPaymentsLeadToOneStatement() {
        String customer = "several@example.org";
        assertThat(runs.queue("statements").pause("several payments follow", "test"))
                .isTrue();
        pay(customer, 700);
        pay(customer, 200);
        pay(customer, 30);
        await().atMost(60, SECONDS).until(() -> bookings(customer) == 3);
        assertThat(runs.queue("statements").resume("test")).isTrue();

        Answer statement = awaitPayments(customer, 3);

        assertThat(statement.body().propertyNames())
                .containsExactly("customer", "payments", "totalCents", "written", "at");
        assertThat(statement.text("customer")).isEqualTo(customer);
        assertThat(statement.body().path("totalCents").asLong()).isEqualTo(930);
        assertThat(statement.body().path("written").asLong()).isEqualTo(1);
    }

    @Test
    void anActionThatFailsAfterItsWritesLeadsToNoBooking() {
        String customer = "fails@example.org";
        pay(customer, 500, "X-Simulate", "throw");
        pay(customer, 40);

        Answer statement = awaitPayments(customer, 1);

        assertThat(statement.body().path("totalCents").asLong()).isEqualTo(40);
    }

    @Test
    void aCallerCanWriteTheStatementAndGetsIt() {
        Answer first = written("called@example.org");
        Answer second = written("called@example.org");

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.raw()).startsWith("""
                {"customer":"called@example.org","payments":0,"totalCents":0,"written":1,"at":\"""");
        assertThat(second.body().path("written").asInt()).isEqualTo(2);
        assertThat(api.get("/api/statements?customer=called@example.org").raw()).isEqualTo(second.raw());
    }

    @Test
    void concurrentCallersWriteTheStatementOneAfterTheOther() {
        assertThat(Work.race(8, caller -> written("race@example.org")).stream()
                        .map(answer -> answer.join().body().path("written").asInt())
                        .toList())
                .containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    void thePaymentAndItsEventAreStoredTogether() {
        String customer = "together@example.org";
        Work.whileLocked(database, "LOCK TABLE booking IN SHARE MODE", () -> {
            pay(customer, 900);

            assertThat(jdbc.sql("SELECT count(*) FROM saga_delivery WHERE listener = 'bookings'")
                            .query(Integer.class)
                            .single())
                    .isPositive();
        });

        awaitPayments(customer, 1);
    }

    @Test
    void anUnknownCustomerHasNoStatement() {
        api.get("/api/statements?customer=nobody@example.org").requireProblem(404, "");
        written("no address").requireProblem(400, "");
    }
}
