package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.shop.OwnThread;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An expired key counts as absent, and is purged unless it is claimed. */
class ExpiredKeysTests extends KeysOnPostgres {

    @Test
    void anExpiredKeyCountsAsAbsentBeforeItIsPurged() {
        payOnce(KEY.about(Fingerprint.of("1200")));
        age("24 hours 1 second");

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-2", 1200));
    }

    @Test
    void expiredKeysArePurgedUnlessTheyAreClaimed() {
        payOnce(KEY);
        payOnce(KEY.onAccount("8"));
        keys.check(KEY.onAccount("9"));
        keys.check(KEY.onAccount("10"));
        jdbc.sql("UPDATE saga_idempotency_key SET expires_at = now() - INTERVAL '1 second' WHERE account <> '7'")
                .update();
        jdbc.sql("UPDATE saga_idempotency_key SET lease_until = now() - INTERVAL '1 second' WHERE account = '10'")
                .update();

        assertThat(store.purge(1)).isOne();
        assertThat(store.purge(10)).isOne();
        assertThat(jdbc.sql("SELECT account FROM saga_idempotency_key ORDER BY account")
                        .query(String.class)
                        .list())
                .containsExactly("7", "9");
    }

    /** Until the key expires, a request with another fingerprint than the crashed owner's request is refused. */
    @Test
    void anyRequestCanTakeOverTheExpiredClaimOfACrashedOwner() {
        keys.check(KEY.about(Fingerprint.of("1200")));
        backdateLeases("31 seconds");
        age("24 hours 1 second");

        assertThat(payOnce(KEY.about(Fingerprint.of("9900")))).isEqualTo(new Receipt("R-1", 1200));
    }

    /** No data of the previous request remains: not its account, node, times or reply. */
    @Test
    void anExpiredKeyIsReplacedAsAWhole() {
        IdempotencyKey key = KEY.changingAccount();
        keys.check(key.about(Fingerprint.of("1200")));
        jdbc.sql("""
                        UPDATE saga_idempotency_key SET lease_until = NULL, format = 'old', head = 'old', body = 'old',
                            claimed_at = claimed_at - INTERVAL '25 hours', expires_at = expires_at - INTERVAL '25 hours'""").update();
        KeyStore other = new KeyStore(schema, "other", new OwnTransactions(connections), SETTINGS, List.of());

        KeyClaim claim = ((KeyCheck.New) new IdempotencyKeys(other, keeper)
                        .check(key.onAccount("8").about(Fingerprint.of("9900"))))
                .claim();

        assertThat(jdbc.sql("""
                        SELECT account, node, clock_timestamp() - claimed_at < INTERVAL '1 minute' AS young,
                            expires_at - claimed_at BETWEEN INTERVAL '23:59' AND INTERVAL '24:01' AS lasting,
                            fingerprint, format, head, body FROM saga_idempotency_key""").query().singleRow())
                .containsEntry("account", "8")
                .containsEntry("node", "other")
                .containsEntry("young", true)
                .containsEntry("lasting", true)
                .containsEntry("fingerprint", Fingerprint.of("9900").bytes())
                .containsEntry("format", null)
                .containsEntry("head", null)
                .containsEntry("body", null);
        assertThat(leaseLeft()).isBetween(25, 30);
        claim.complete(new StoredReply("json", null, null));
        assertThat(keys.check(key.about(Fingerprint.of("9900")))).isInstanceOf(KeyCheck.Completed.class);
    }

    @Test
    void aPurgeSkipsLockedKeys() throws Exception {
        payOnce(KEY);
        payOnce(KEY.onAccount("8"));
        age("24 hours 1 second");
        try (Connection other = connections.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM saga_idempotency_key WHERE account = '7' FOR UPDATE");

            assertThat(OwnThread.call(() -> store.purge(10)).get(20, SECONDS)).isOne();

            other.rollback();
        }
        assertThat(rows()).isOne();
    }

    private static void age(String interval) {
        jdbc.sql("UPDATE saga_idempotency_key SET expires_at = expires_at - INTERVAL '%s'".formatted(interval))
                .update();
    }
}
