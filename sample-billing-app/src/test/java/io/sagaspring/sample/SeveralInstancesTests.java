package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api.Answer;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests two instances on one database. Both were started at the same moment, when the database was empty. */
class SeveralInstancesTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final List<ConfigurableApplicationContext> instances = new ArrayList<>();
    private static final List<Api> apis = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        for (CompletableFuture<ConfigurableApplicationContext> instance :
                Work.race(2, number -> SampleNodes.start(database))) {
            instances.add(instance.get(120, SECONDS));
        }
        instances.forEach(instance -> apis.add(SampleNodes.api(instance)));
    }

    @AfterAll
    static void stop() {
        instances.forEach(ConfigurableApplicationContext::close);
        database.close();
    }

    @Test
    void exactlyOneCallerOfAllInstancesClosesABilling() {
        String billing = apis.get(0).approved("TWO-1", "TWO-2");

        Answer winner = Work.raceBehind(
                database,
                Work.NO_AFTER_EFFECTS,
                12,
                caller -> apis.get(caller % 2).step(billing + "/steps/close"));

        assertThat(winner.text("status")).isEqualTo("CLOSED");
        Work.awaitNone(JdbcClient.create(database.dataSource()));
        apis.forEach(api -> {
            assertThat(api.get(billing).text("status")).isEqualTo("CLOSED");
            assertThat(api.mails("TWO-1").body()).hasSize(1);
            assertThat(api.mails("TWO-2").body()).hasSize(1);
        });
    }

    @Test
    void aRequestWithAKeyIsExecutedOnceOnAllInstances() {
        String account = apis.get(0).account("ada");
        String[] key = {"Idempotency-Key", "several-1"};

        List<Answer> all = Work.race(
                        12, caller -> apis.get(caller % 2).post(account + "/credits", "{\"amountCents\":500}", key))
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(all)
                .filteredOn(answer -> answer.status() == 200 && !answer.isReplay())
                .hasSize(1);
        assertThat(all)
                .allMatch(answer ->
                        answer.status() == 200 || answer.text("outcome").equals("DUPLICATE_REQUEST"));
        apis.forEach(api -> {
            assertThat(api.post(account + "/credits", "{\"amountCents\":500}", key)
                            .isReplay())
                    .isTrue();
            assertThat(api.get(account).body().path("balanceCents").asLong()).isEqualTo(500);
        });
    }
}
