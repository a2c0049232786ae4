package io.sagaspring.sample.accounts;

import static io.sagaspring.sample.accounts.AccountCalls.KEY;
import static io.sagaspring.sample.accounts.AccountCalls.newKey;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

/** Tests the {@code Idempotency-Key} of calls about accounts. */
@SampleTest
class AccountKeysTests {

    private static final int CALLERS = 16;

    private final Api api;
    private final AccountCalls accounts;
    private final TestDatabase database;
    private final JdbcClient jdbc;

    AccountKeysTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.accounts = new AccountCalls(api);
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void anAccountIsOpenedOnceForEachKey() {
        String key = newKey();
        Answer first = api.post("/api/accounts", "{\"owner\":\"ada\"}", KEY, key);

        Answer second = api.post("/api/accounts", "{\"owner\":\"ada\"}", KEY, key);

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.location()).isEqualTo("/api/accounts/" + first.body().path("accountId"));
        requireReplay(second, first);
        assertThat(api.post("/api/accounts", "{\"owner\":\"ada\"}", KEY, newKey())
                        .location())
                .isNotEqualTo(first.location());
    }

    @Test
    void anAccountIsCreditedOnceForEachKey() {
        String account = api.account("ada");
        String key = newKey();
        Answer first = accounts.credit(account, 500, KEY, key);
        accounts.credit(account, 1);

        Answer second = accounts.credit(account, 500, KEY, key);

        assertThat(first.raw()).isEqualTo("{\"balanceCents\":500}");
        requireReplay(second, first);
        requireReplay(accounts.credit(account, 500, KEY, '"' + key + '"'), first);
        assertThat(accounts.balance(account)).isEqualTo(501);
    }

    @Test
    void aResetIsReplayedEvenIfItsAccountNoLongerExists() {
        String account = api.account("ada");
        String key = newKey();
        Answer first = api.step(account + "/reset", KEY, key);
        String successor = "/api/accounts/" + first.body().path("accountId");
        accounts.credit(successor, 500);

        Answer second = api.step(account + "/reset", KEY, key);

        requireReplay(second, first);
        api.get(account).requireProblem(404, "");
        assertThat(accounts.balance(successor)).isEqualTo(500);
        api.step(account + "/reset", KEY, newKey()).requireProblem(404, "");
    }

    /**
     * If the process is killed directly after the commit of the work, the work and its key are stored, but the reply to
     * the web request is not.
     */
    @Test
    void anEffectCommittedBeforeTheReplyIsNotRepeated() {
        String key = newKey();
        Answer opened = api.post("/api/accounts", "{\"owner\":\"ada\"}", KEY, key);
        Answer credited = accounts.credit(opened.location(), 500, KEY, key);
        Answer reset = api.step(opened.location() + "/reset", KEY, key);
        jdbc.sql("DELETE FROM saga_idempotency_key WHERE request_id = ? AND operation LIKE 'POST %'")
                .param(key)
                .update();

        Answer openedAgain = api.post("/api/accounts", "{\"owner\":\"ada\"}", KEY, key);
        Answer creditedAgain = accounts.credit(opened.location(), 500, KEY, '"' + key + '"');
        Answer resetAgain = api.step(opened.location() + "/reset", KEY, key);

        assertThat(List.of(openedAgain.raw(), creditedAgain.raw(), resetAgain.raw()))
                .containsExactly(opened.raw(), credited.raw(), reset.raw());
        assertThat(openedAgain.location()).isEqualTo(opened.location());
        assertThat(creditedAgain.isReplay()).isFalse();
        assertThat(accounts.balance("/api/accounts/" + reset.body().path("accountId")))
                .isZero();
    }

    @Test
    void theKeyOfOneAccountIsRefusedOnAnotherAccount() {
        String account = api.account("ada");
        String another = api.account("bob");
        String key = newKey();
        accounts.credit(account, 500, KEY, key);
        Answer reset = api.step(account + "/reset", KEY, key);

        accounts.credit(another, 500, KEY, key).requireProblem(422, "KEY_REUSED");
        api.step(another + "/reset", KEY, key).requireProblem(422, "KEY_REUSED");
        api.step("/api/accounts/%s/reset".formatted(reset.body().path("accountId")), KEY, key)
                .requireProblem(422, "KEY_REUSED");
        assertThat(accounts.balance(another)).isZero();
        requireReplay(api.step(account + "/reset", KEY, key), reset);
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        String account = api.account("ada");
        String key = newKey();
        accounts.credit(account, 500, KEY, key);
        String opening = newKey();
        api.post("/api/accounts", "{\"owner\":\"ada\"}", KEY, opening);

        accounts.credit(account, 501, KEY, key).requireProblem(422, "KEY_REUSED");
        api.post(account + "/credits?twice=yes", "{\"amountCents\":500}", KEY, key)
                .requireProblem(422, "KEY_REUSED");
        api.post("/api/accounts", "{\"owner\":\"bob\"}", KEY, opening).requireProblem(422, "KEY_REUSED");
        assertThat(accounts.balance(account)).isEqualTo(500);
    }

    @Test
    void duplicatesOfARunningRequestAreRefusedWithARetryAfterHeader() {
        String account = api.account("ada");
        String key = newKey();
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        Work.whileLocked(database, "SELECT FROM account WHERE id = %s FOR UPDATE".formatted(id(account)), () -> {
            answers.addAll(Work.race(CALLERS, caller -> accounts.credit(account, 500, KEY, key)));
            await().atMost(60, SECONDS)
                    .until(() ->
                            answers.stream().filter(CompletableFuture::isDone).count() >= CALLERS - 1);
            accounts.credit(account, 501, KEY, key).requireProblem(422, "KEY_REUSED");
        });
        List<Answer> all = answers.stream().map(CompletableFuture::join).toList();

        Answer winner = requireOneCarriedOut(all);
        assertThat(all)
                .filteredOn(answer -> answer.status() != 200)
                .hasSize(CALLERS - 1)
                .allSatisfy(loser -> {
                    loser.requireProblem(409, "DUPLICATE_REQUEST");
                    assertThat(Integer.parseInt(loser.header("Retry-After"))).isBetween(1, 5);
                });
        requireReplay(accounts.credit(account, 500, KEY, key), winner);
        assertThat(accounts.balance(account)).isEqualTo(500);
    }

    @Test
    void exactlyOneOfConcurrentRequestsWithAKeyIsExecuted() {
        String account = api.account("ada");
        String key = newKey();

        List<Answer> all = Work.race(CALLERS, caller -> accounts.credit(account, 500, KEY, key)).stream()
                .map(CompletableFuture::join)
                .toList();

        Answer winner = requireOneCarriedOut(all);
        assertThat(all).filteredOn(Answer::isReplay).allSatisfy(replay -> requireReplay(replay, winner));
        assertThat(all)
                .filteredOn(answer -> answer.status() != 200)
                .allSatisfy(loser -> loser.requireProblem(409, "DUPLICATE_REQUEST"));
        assertThat(accounts.balance(account)).isEqualTo(500);
    }

    @ParameterizedTest
    @CsvSource({"invalid, 422, Rejected", "fail, 422, Failed", "throw, 500, ''", "'delay=1,throw', 500, ''"})
    void aFailedRequestRollsItsWritesBackAndFreesItsKey(String trouble, int status, String outcome) {
        String account = api.account("ada");
        String key = newKey();
        String[] troubled = {KEY, key, "X-Simulate", trouble};
        long opened = lastId();

        accounts.credit(account, 500, troubled).requireProblem(status, outcome);
        api.post("/api/accounts", "{\"owner\":\"ada\"}", troubled).requireProblem(status, outcome);
        api.step(account + "/reset", troubled).requireProblem(status, outcome);

        assertThat(lastId()).as("the failure comes after the writes").isEqualTo(opened + 2);
        assertThat(accountsAfter(opened)).isZero();
        assertThat(accounts.balance(account)).isZero();
        Answer credited = accounts.credit(account, 501, KEY, key);
        assertThat(credited.raw()).isEqualTo("{\"balanceCents\":501}");
        requireReplay(accounts.credit(account, 501, KEY, key), credited);
        assertThat(api.post("/api/accounts", "{\"owner\":\"bob\"}", KEY, key).status())
                .isEqualTo(201);
        assertThat(api.step(account + "/reset", KEY, key).status()).isEqualTo(200);
    }

    @Test
    void aReplayRunsNothing() {
        String account = api.account("ada");
        String key = newKey();
        Answer first = accounts.credit(account, 500, KEY, key);

        requireReplay(accounts.credit(account, 500, KEY, key, "X-Simulate", "throw"), first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "\"open", "a\"b", "a,b", "a;b", "\"\""})
    void aMalformedKeyIsRefused(String key) {
        String account = api.account("ada");

        accounts.credit(account, 500, KEY, key).requireProblem(400, "INVALID_KEY");
        assertThat(accounts.balance(account)).isZero();
    }

    @Test
    void aKeyThatIsTooLongSentTwiceOrNotAsciiIsRefused() {
        String account = api.account("ada");

        accounts.credit(account, 500, KEY, "k".repeat(256)).requireProblem(400, "INVALID_KEY");
        accounts.credit(account, 500, KEY, "one", KEY, "two").requireProblem(400, "INVALID_KEY");
        assertThat(api.raw("""
                POST %s/credits HTTP/1.1
                Host: localhost
                Connection: close
                Content-Type: application/json
                Content-Length: 19
                Idempotency-Key: \u00fc

                {"amountCents":500}""".formatted(account).replace("\n", "\r\n")))
                .startsWith("HTTP/1.1 400")
                .contains("INVALID_KEY");
        assertThat(accounts.balance(account)).isZero();
        assertThat(accounts.credit(account, 500, KEY, newKey() + "k".repeat(255 - 36))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aRequestWithAnInvalidAmountOrAnUnknownAccountUsesNoKey() {
        String account = api.account("ada");
        String key = newKey();
        accounts.credit(account, -1, KEY, key).requireProblem(400, "");
        accounts.credit("/api/accounts/987654321", 500, KEY, key).requireProblem(404, "");

        assertThat(accounts.credit(account, 500, KEY, key).status()).isEqualTo(200);
    }

    private static void requireReplay(Answer answer, Answer first) {
        assertThat(answer.isReplay()).as(answer::toString).isTrue();
        assertThat(first.isReplay()).isFalse();
        assertThat(answer.status()).isEqualTo(first.status());
        assertThat(answer.raw()).isEqualTo(first.raw());
        assertThat(answer.type()).isEqualTo(first.type()).isEqualTo("application/json");
        assertThat(answer.location()).isEqualTo(first.location());
    }

    private static Answer requireOneCarriedOut(List<Answer> answers) {
        List<Answer> carriedOut = answers.stream()
                .filter(answer -> answer.status() == 200 && !answer.isReplay())
                .toList();
        assertThat(carriedOut).hasSize(1);
        return carriedOut.get(0);
    }

    private static Long id(String account) {
        return Long.valueOf(account.substring(account.lastIndexOf('/') + 1));
    }

    /** Counts inserts by the sequence of their ids, which also counts inserts that were rolled back. */
    private long lastId() {
        return jdbc.sql("SELECT last_value FROM account_id_seq")
                .query(Long.class)
                .single();
    }

    private long accountsAfter(long id) {
        return jdbc.sql("SELECT count(*) FROM account WHERE id > ?")
                .param(id)
                .query(Long.class)
                .single();
    }
}
