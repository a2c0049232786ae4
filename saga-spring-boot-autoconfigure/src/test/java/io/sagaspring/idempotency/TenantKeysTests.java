package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tenants never share a key, even if all parts of the keys are equal. */
class TenantKeysTests extends KeysOnPostgres {

    private final ThreadTenants context = new ThreadTenants("a", "b");
    private final Tenants tenants = Tenants.of(context);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final KeyStore ofTenants = store(0);

    private KeyStore store(int maxKeys) {
        return new KeyStore(
                schema,
                "node",
                new OwnTransactions(connections),
                SETTINGS,
                List.of((key, event) -> events.add(event + " " + context.current())),
                maxKeys,
                tenants);
    }

    private Idempotency idempotency(KeyStore keyStore, boolean sameTransaction) {
        Idempotency made = new Idempotency(
                new IdempotencyKeys(keyStore, keeper),
                new TransactionalKeys(
                        keyStore, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
                new JsonPayloadCodec(1_000));
        return sameTransaction ? made.inTransaction() : made;
    }

    private String payIn(@Nullable String tenant, Idempotency made, IdempotencyKey key) {
        return tenants.in(
                tenant,
                () -> made.execute(
                        key, String.class, () -> "%s %d".formatted(context.current(), done.incrementAndGet())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void equalKeysOfTwoTenantsCauseTwoExecutions(boolean sameTransaction) {
        Idempotency made = idempotency(ofTenants, sameTransaction);

        for (int repetition = 0; repetition < 2; repetition++) {
            assertThat(payIn("a", made, KEY)).isEqualTo("a 1");
            assertThat(payIn("b", made, KEY)).isEqualTo("b 2");
            assertThat(payIn(null, made, KEY)).isEqualTo("null 3");
        }
        assertThat(rows()).isEqualTo(3);
        assertThat(jdbc.sql("SELECT tenant FROM saga_idempotency_key ORDER BY tenant")
                        .query(String.class)
                        .list())
                .containsExactly("a", "b", null);
    }

    /** The name of an owner can be any name that a user can register. */
    @Test
    void noNameOfAnOwnerReachesTheKeysOfATenant() {
        Idempotency made = idempotency(ofTenants, false);
        assertThat(payIn("a", made, KEY)).isEqualTo("a 1");

        for (String owner : List.of("a:ada", "1:a:ada", "aada", "a ada")) {
            assertThat(payIn(null, made, KEY.ownedBy(owner))).startsWith("null ");
            assertThat(payIn("b", made, KEY.ownedBy(owner))).startsWith("b ");
        }
    }

    @Test
    void aKeyInProgressDoesNotBlockAnotherTenant() {
        KeyCheck first = tenants.in("a", () -> new IdempotencyKeys(ofTenants, keeper).check(KEY));

        assertThat(first).isInstanceOf(KeyCheck.New.class);
        assertThat(tenants.in("a", () -> new IdempotencyKeys(ofTenants, keeper).check(KEY)))
                .isInstanceOf(KeyCheck.Processing.class);
        assertThat(tenants.in("b", () -> new IdempotencyKeys(ofTenants, keeper).check(KEY)))
                .isInstanceOf(KeyCheck.New.class);
    }

    @Test
    void twoTenantsCanUseEqualKeysForDifferentRequests() {
        Idempotency made = idempotency(ofTenants, false);

        assertThat(payIn("a", made, KEY.about(Fingerprint.of("one")))).isEqualTo("a 1");
        assertThat(payIn("b", made, KEY.about(Fingerprint.of("two")))).isEqualTo("b 2");
        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> payIn("a", made, KEY.about(Fingerprint.of("two"))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachTenantHasItsOwnLimit(boolean sameTransaction) {
        KeyStore limited = store(1);
        Idempotency made = idempotency(limited, sameTransaction);
        payIn("a", made, KEY);

        assertThat(payIn("b", made, KEY)).startsWith("b ");
        assertThatExceptionOfType(TooManyKeysException.class).isThrownBy(() -> payIn("a", made, KEY.onAccount("8")));

        KeyStore another = store(1);
        another.count();
        Idempotency there = idempotency(another, sameTransaction);
        assertThat(payIn(null, there, KEY)).startsWith("null ");
        assertThatExceptionOfType(TooManyKeysException.class).isThrownBy(() -> payIn("b", there, KEY.onAccount("8")));
    }

    /**
     * The test ends the claim on a thread that has left the tenant. In an application, this can happen after
     * asynchronous work.
     */
    @Test
    void aListenerIsCalledInTheTenantOfTheKey() {
        KeyCheck check = tenants.in("a", () -> new IdempotencyKeys(ofTenants, keeper).check(KEY));

        ((KeyCheck.New) check).claim().complete(new StoredReply("json", null, null));

        assertThat(events).containsExactly("CLAIMED a", "COMPLETED a");
        assertThat(context.current()).isNull();
    }

    @Test
    void theListenersOfASameTransactionKeyAreCalledInTheTenantOfTheKey() {
        Idempotency made = idempotency(ofTenants, true);

        new TransactionTemplate(new DataSourceTransactionManager(connections))
                .executeWithoutResult(status -> payIn("a", made, KEY));

        assertThat(events).containsExactly("CLAIMED a", "COMPLETED a");
    }

    @Test
    void aReplyIsStoredEvenIfTheTenantWasRemovedDuringTheWork() {
        KeyCheck check = tenants.in("a", () -> new IdempotencyKeys(ofTenants, keeper).check(KEY));
        context.remove("a");

        ((KeyCheck.New) check).claim().complete(new StoredReply("json", null, null));

        assertThat(events).containsExactly("CLAIMED a");
        context.add("a");
        assertThat(tenants.in("a", () -> new IdempotencyKeys(ofTenants, keeper).check(KEY)))
                .isInstanceOf(KeyCheck.Completed.class);
    }
}
