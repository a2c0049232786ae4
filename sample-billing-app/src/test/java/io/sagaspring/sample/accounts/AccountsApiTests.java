package io.sagaspring.sample.accounts;

import static io.sagaspring.sample.accounts.AccountCalls.KEY;
import static io.sagaspring.sample.accounts.AccountCalls.newKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Accounts are opened, credited and reset, and a malformed call is refused. */
@SampleTest
class AccountsApiTests {

    private static final int CALLERS = 16;

    private final Api api;
    private final AccountCalls accounts;

    AccountsApiTests(@LocalServerPort int port) {
        this.api = new Api(port);
        this.accounts = new AccountCalls(api);
    }

    @Test
    void anAccountIsOpenedCreditedAndReset() {
        Answer opened = api.post("/api/accounts", "{\"owner\":\"ada\"}");
        String account = opened.location();
        String id = opened.body().path("accountId").toString();
        Answer credited = accounts.credit(account, 300);
        Answer again = accounts.credit(account, 200);
        Answer shown = api.get(account);
        Answer reset = api.step(account + "/reset");
        String successor = "/api/accounts/" + reset.body().path("accountId");

        assertThat(opened.status()).isEqualTo(201);
        assertThat(opened.body().propertyNames()).containsExactly("accountId");
        assertThat(opened.body().path("accountId").isNumber()).isTrue();
        assertThat(account).isEqualTo("/api/accounts/" + id);
        assertThat(credited.status()).isEqualTo(200);
        assertThat(credited.raw()).isEqualTo("{\"balanceCents\":300}");
        assertThat(again.raw()).isEqualTo("{\"balanceCents\":500}");
        assertThat(shown.raw()).isEqualTo("{\"accountId\":%s,\"owner\":\"ada\",\"balanceCents\":500}".formatted(id));
        assertThat(reset.status()).isEqualTo(200);
        assertThat(reset.body().propertyNames()).containsExactly("accountId");
        assertThat(successor).isNotEqualTo(account);
        api.get(account).requireProblem(404, "");
        accounts.credit(account, 1).requireProblem(404, "");
        assertThat(api.get(successor).text("owner")).isEqualTo("ada");
        assertThat(accounts.balance(successor)).isZero();
    }

    @Test
    void everyRequestWithoutAKeyIsExecuted() {
        String account = api.account("ada");

        assertThat(accounts.credit(account, 500).isReplay()).isFalse();
        assertThat(accounts.credit(account, 500).isReplay()).isFalse();
        assertThat(api.account("ada")).isNotEqualTo(account);
        assertThat(accounts.balance(account)).isEqualTo(1000);
    }

    @Test
    void concurrentCreditsAreAllCounted() {
        String account = api.account("ada");

        List<Answer> all = Work.race(CALLERS, caller -> accounts.credit(account, 1L << caller, KEY, newKey())).stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(all).allMatch(answer -> answer.status() == 200);
        assertThat(accounts.balance(account)).isEqualTo((1L << CALLERS) - 1);
    }

    @Test
    void aCreditThatRacesWithAResetSucceedsOrIsRefused() {
        String account = api.account("ada");

        List<Answer> all = Work.race(
                        CALLERS, caller -> caller % 4 == 3 ? api.step(account + "/reset") : accounts.credit(account, 1))
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(all)
                .filteredOn(answer -> answer.status() == 200 && answer.body().has("accountId"))
                .hasSize(1);
        assertThat(all)
                .filteredOn(answer -> answer.status() != 200)
                .allSatisfy(answer -> answer.requireProblem(404, ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "[]",
                "{\"owner\":null}",
                "{\"owner\":\" \"}",
                "{\"owner\":7.5,",
                "{\"owner\":\"\\u0000\"}"
            })
    void aMalformedRequestToOpenAnAccountIsRefused(String body) {
        api.post("/api/accounts", body).requireProblem(400, "");
        api.post("/api/accounts", body, KEY, newKey()).requireProblem(400, "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"amountCents\":0}",
                "{\"amountCents\":-1}",
                "{\"amountCents\":0.5}",
                "{\"amountCents\":1e30}",
                "{\"amountCents\":9223372036854775808}",
                "{\"amountCents\":\"many\"}",
                "{\"amountCents\":null}"
            })
    void aMalformedCreditIsRefused(String body) {
        String account = api.account("ada");

        api.post(account + "/credits", body).requireProblem(400, "");
        api.post(account + "/credits", body, KEY, newKey()).requireProblem(400, "");
        assertThat(accounts.balance(account)).isZero();
    }

    @Test
    void aCreditThatAnAccountCannotHoldIsRefused() {
        String account = api.account("ada");
        String key = newKey();
        accounts.credit(account, Long.MAX_VALUE - 1);

        accounts.credit(account, 2, KEY, key).requireProblem(422, "");

        assertThat(accounts.balance(account)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(accounts.credit(account, 1, KEY, key).status()).isEqualTo(200);
        assertThat(accounts.balance(account)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anUnknownAccountOrAMalformedRequestIsRefused() {
        api.get("/api/accounts/987654321").requireProblem(404, "");
        api.step("/api/accounts/987654321/reset").requireProblem(404, "");
        api.get("/api/accounts/x").requireProblem(400, "");
        api.step("/api/accounts/x/reset", KEY, newKey()).requireProblem(400, "");
        accounts.credit(api.account("ada"), 500, "X-Simulate", "crash").requireProblem(400, "");
    }
}
