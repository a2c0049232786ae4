package io.sagaspring.sample.accounts;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import java.util.UUID;

/** Credits accounts and reads their balances. */
final class AccountCalls {

    static final String KEY = "Idempotency-Key";

    private final Api api;

    AccountCalls(Api api) {
        this.api = api;
    }

    Answer credit(String account, long amountCents, String... headers) {
        return api.post(account + "/credits", "{\"amountCents\":%d}".formatted(amountCents), headers);
    }

    long balance(String account) {
        return api.get(account).body().path("balanceCents").asLong();
    }

    static String newKey() {
        return UUID.randomUUID().toString();
    }
}
