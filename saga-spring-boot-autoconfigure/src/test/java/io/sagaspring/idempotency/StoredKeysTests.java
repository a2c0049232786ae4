package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Freeing;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.OwnTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that people can list keys without their replies, and that a freed key fences off its previous owner. */
class StoredKeysTests extends KeysOnPostgres {

    private static final Duration LEASE = SETTINGS.lease();
    private static final String HOSTILE = "<img src=x onerror=alert(1)>' OR '1'='1";

    private final StoredKeys stored = new StoredKeys(schema, new OwnTransactions(connections), LEASE);

    private static void insert(String rows) {
        jdbc.sql("""
                INSERT INTO saga_idempotency_key (id, owner, account, request_id, operation, attempt, token, node,
                    claimed_at, expires_at, lease_until, tenant, format)
                SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 'ada', '-', n, CASE WHEN n = 1 THEN 'rare' ELSE 'pay' END,
                    gen_random_uuid(), n, 'node-' || n %% 2, clock_timestamp(), clock_timestamp() + n / 2 * INTERVAL '1 minute',
                    CASE WHEN n %% 3 = 0 THEN clock_timestamp() + INTERVAL '20 seconds' END, CASE WHEN n %% 2 = 0 THEN 'acme' END,
                    'json'
                FROM %s AS n""".formatted(rows)).update();
    }

    private List<KeyView> all(KeyQuery query) {
        List<KeyView> all = new ArrayList<>();
        @Nullable String next = null;
        do {
            KeyPage page = stored.list(new KeyQuery(
                    query.operation(),
                    query.owner(),
                    query.tenant(),
                    query.node(),
                    query.state(),
                    next,
                    query.limit()));
            all.addAll(page.keys());
            next = page.next();
        } while (next != null);
        return all;
    }

    private KeyView only() {
        return stored.list(KeyQuery.latest(10)).keys().get(0);
    }

    private HeldClaim claimed(IdempotencyKey key) {
        return (HeldClaim) ((KeyCheck.New) keys.check(key)).claim();
    }

    @Test
    void aKeyIsListedWithItsStateAndWithoutItsReply() {
        Receipt receipt = payOnce(KEY);
        KeyView completed = only();

        assertThat(completed.state()).isEqualTo(KeyState.COMPLETED);
        assertThat(List.of(completed.operation(), completed.owner(), completed.account(), completed.node()))
                .containsExactly("pay", "ada", "7", "node");
        assertThat(Duration.between(completed.claimedAt(), completed.expiresAt()))
                .isCloseTo(SETTINGS.retention(), Duration.ofSeconds(1));
        assertThat(completed.toString()).doesNotContain(receipt.number(), "request-1");
        jdbc.sql("UPDATE saga_idempotency_key SET expires_at = clock_timestamp()")
                .update();
        assertThat(only().state()).isEqualTo(KeyState.EXPIRED);
    }

    @Test
    void aKeyInProgressIsAbandonedWhenItsLeaseHasEnded() {
        KeyClaim claim = claimed(KEY);

        assertThat(only().state()).isEqualTo(KeyState.PROCESSING);
        assertThat(only().leaseEndsAt()).isNotNull();
        backdateLeases("1 minute");
        assertThat(only().state()).isEqualTo(KeyState.ABANDONED);
        claim.fail();
    }

    @Test
    void aListHasPagesWithoutADuplicate() {
        insert("generate_series(1, 9)");

        List<String> ids =
                stored.list(KeyQuery.latest(9)).keys().stream().map(KeyView::id).toList();

        assertThat(ids).hasSize(9).first().asString().endsWith("09");
        assertThat(all(KeyQuery.latest(2))).extracting(KeyView::id).isEqualTo(ids);
        assertThat(all(KeyQuery.latest(3))).extracting(KeyView::id).isEqualTo(ids);
        assertThat(stored.list(KeyQuery.latest(9)).next()).isNull();
        for (String unreadable : new String[] {"", "x", "2026-01-01T00:00:00Z_x"}) {
            assertThatThrownBy(() -> stored.list(new KeyQuery(null, null, null, null, null, unreadable, 2)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void keysThatExpireAtTheSameTimeAreNotSkipped() {
        insert("generate_series(1, 9)");
        jdbc.sql("UPDATE saga_idempotency_key SET expires_at = '2100-01-01T00:00:00.123456Z'")
                .update();

        assertThat(all(KeyQuery.latest(2)))
                .hasSize(9)
                .extracting(KeyView::id)
                .doesNotHaveDuplicates()
                .isSortedAccordingTo((one, other) -> other.compareTo(one));
    }

    @Test
    void filtersSelectByOperationOwnerTenantNodeAndState() {
        insert("generate_series(1, 9)");
        KeyClaim hostile = claimed(IdempotencyKey.of(HOSTILE.substring(0, 20), "r")
                .ownedBy(HOSTILE)
                .onAccount(HOSTILE));

        assertThat(all(new KeyQuery("rare", null, null, null, null, null, 2))).hasSize(1);
        assertThat(all(new KeyQuery(null, HOSTILE, null, null, null, null, 2)))
                .extracting(KeyView::account)
                .containsExactly(HOSTILE);
        assertThat(all(new KeyQuery(null, "ada", "acme", null, null, null, 2)))
                .hasSize(4)
                .allMatch(each -> "acme".equals(each.tenant()));
        assertThat(all(new KeyQuery(null, "ada", "", null, null, null, 2))).hasSize(5);
        assertThat(all(new KeyQuery(null, "ada", null, "node-1", KeyState.PROCESSING, null, 2)))
                .hasSize(2);
        assertThat(all(new KeyQuery(null, null, null, null, KeyState.EXPIRED, null, 2)))
                .hasSize(1);
        assertThatThrownBy(() -> KeyQuery.latest(1_001)).hasMessageContaining("from 1 to 1,000");
        hostile.fail();
    }

    @Test
    void aKeyIsFoundByItsParts() {
        payOnce(KEY);
        payOnce(KEY.changingAccount());

        assertThat(stored.find(KEY, null)).hasSize(2);
        assertThat(stored.find(KEY.onAccount("8"), null)).hasSize(1);
        assertThat(stored.find(KEY.ownedBy("bob"), null)).isEmpty();
        assertThat(stored.find(KEY, "acme")).isEmpty();
        assertThat(stored.find(only().id())).contains(only());
    }

    @Test
    void aFreedKeyFencesOffItsPreviousOwner() {
        KeyClaim stuck = claimed(KEY);
        KeyView row = only();

        assertThat(stored.free(row.id(), row.token())).isEqualTo(Freeing.FREED);

        Receipt again = payOnce(KEY);
        assertThat(again.number()).isEqualTo("R-1");
        assertThatThrownBy(() -> stuck.complete(new StoredReply("json", null, new byte[] {1})))
                .isInstanceOf(SupersededException.class);
        assertThat(payOnce(KEY)).isEqualTo(again);
        assertThat(stored.free(row.id(), row.token())).isEqualTo(Freeing.NOT_HELD);
    }

    @Test
    void onlyAnUnansweredRequestWithTheSameTokenIsFreed() {
        KeyClaim claim = claimed(KEY);
        KeyView row = only();

        assertThat(stored.free(row.id(), new FencingToken(row.token().value() - 1)))
                .isEqualTo(Freeing.NOT_HELD);
        assertThat(rows()).isOne();
        claim.complete(new StoredReply("json", null, new byte[] {1}));

        assertThat(stored.free(row.id(), row.token())).isEqualTo(Freeing.NOT_HELD);
        assertThat(rows()).isOne();
    }

    @Test
    void anAbandonedKeyIsFreedForADifferentRequest() {
        KeyClaim dead = claimed(KEY.about(Fingerprint.of("one")));
        backdateLeases("1 minute");
        KeyView row = only();
        IdempotencyKey other = KEY.about(Fingerprint.of("other"));
        assertThatThrownBy(() -> payOnce(other)).isInstanceOf(KeyReusedException.class);

        assertThat(stored.free(row.id(), row.token())).isEqualTo(Freeing.FREED);

        assertThat(payOnce(other).number()).isEqualTo("R-1");
        dead.fail();
    }

    @Test
    void aLockedKeyIsNotFreed() throws SQLException {
        KeyClaim claim = claimed(KEY);
        KeyView row = only();
        try (Connection owner = connections.getConnection();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("SELECT FROM saga_idempotency_key FOR UPDATE");

            assertThat(stored.free(row.id(), row.token())).isEqualTo(Freeing.LOCKED);
            owner.rollback();
        }
        claim.fail();
    }

    @Test
    void keysInProgressAreCountedForEachNode() {
        insert("generate_series(1, 9)");
        jdbc.sql("UPDATE saga_idempotency_key SET lease_until = '2100-01-01T00:00:30Z' WHERE lease_until IS NOT NULL")
                .update();

        NodeLoads loads = stored.loads();

        assertThat(loads.isComplete()).isTrue();
        assertThat(loads.nodes())
                .extracting(each -> each.node(), each -> each.held(), each -> each.heartbeatAt())
                .containsExactly(
                        tuple("node-0", 1, Instant.parse("2100-01-01T00:00:00Z")),
                        tuple("node-1", 2, Instant.parse("2100-01-01T00:00:00Z")));
    }

    @Test
    void eachPageReadsABoundedNumberOfKeysThroughAnIndex() {
        insert("generate_series(1, 30000)");
        jdbc.sql("VACUUM (ANALYZE) saga_idempotency_key").update();
        KeyQuery rare = new KeyQuery("rare", null, null, null, null, null, 50);

        KeyPage empty = stored.list(rare);

        assertThat(empty.keys()).isEmpty();
        assertThat(empty.next()).isNotNull();
        assertThat(all(rare)).hasSize(1);
        KeyListTable table = new KeyListTable(schema, LEASE);
        Object then = Instant.now().atOffset(ZoneOffset.UTC);
        assertPlan(table.selection(KeyQuery.latest(50), false), 51, 51, 51);
        assertPlan(table.selection(KeyQuery.latest(50), true), then, new byte[32], 51, 51, 51);
        assertPlan(table.selection(rare, true), then, new byte[32], 10_000, "rare", "rare", 10_000, 51);
        assertPlan(table.loads(), 10_000, 10_000);
    }

    private static void assertPlan(String statement, Object... values) {
        assertThat(String.join(
                        "\n",
                        jdbc.sql("EXPLAIN " + statement)
                                .params(values)
                                .query(String.class)
                                .list()))
                .contains("saga_idempotency_key_expiry")
                .doesNotContain("Seq Scan");
    }
}
