package io.sagaspring.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Freeing;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that people can list leases, and that a freed lease fences off its previous owner. */
class StoredLeasesTests {

    private static final String HOSTILE = "<img src=x onerror=alert(1)>' OR '1'='1";
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = SagaSchema.verify(database.dataSource(), null);
    private static final OwnTransactions own = new OwnTransactions(database.dataSource());
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final LeaseStore store = LeaseStore.onPostgres(schema, own, database.dataSource(), TTL);
    private static final StoredLeases leases = new StoredLeases(schema, own);

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void empty() {
        jdbc.sql("TRUNCATE saga_lease").update();
    }

    private static FencingToken acquire(LeaseName name, String node) {
        return store.acquire(name, new LeaseStore.Attempt(UUID.randomUUID(), node, TTL))
                .token();
    }

    private static FencingToken acquire(String name) {
        return acquire(new LeaseName(name), "node-a");
    }

    private static LeaseQuery first(int limit) {
        return new LeaseQuery(null, null, null, null, null, limit);
    }

    private static List<String> names(LeaseQuery query) {
        return leases.list(query).leases().stream().map(LeaseView::name).toList();
    }

    private static List<String> allNames(LeaseQuery query) {
        List<String> all = new ArrayList<>();
        @Nullable String next = query.after();
        do {
            LeasePage page = leases.list(
                    new LeaseQuery(query.name(), query.tenant(), query.node(), query.state(), next, query.limit()));
            page.leases().forEach(each -> all.add(each.name()));
            next = page.next();
        } while (next != null);
        return all;
    }

    @Test
    void aLeaseIsListedWithItsStateAndTheTimesOfTheDatabase() {
        FencingToken held = acquire("held");
        assertThat(store.release(new LeaseName("released"), acquire("released")))
                .isTrue();
        assertThat(store.complete(new LeaseName("completed"), acquire("completed"), Completion.SKIPPED))
                .isTrue();
        acquire("expired");
        jdbc.sql("UPDATE saga_lease SET expires_at = '2026-01-02T03:04:05Z' WHERE name = 'expired'")
                .update();

        List<LeaseView> found = leases.list(first(10)).leases();

        assertThat(found)
                .extracting(LeaseView::name, LeaseView::state)
                .containsExactly(
                        tuple("completed", LeaseState.COMPLETED),
                        tuple("expired", LeaseState.FREE),
                        tuple("held", LeaseState.HELD),
                        tuple("released", LeaseState.FREE));
        assertThat(found.get(0).completion()).isEqualTo(Completion.SKIPPED);
        assertThat(found.get(1).endedAt()).isEqualTo(Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(found.get(1).endsAt()).isNull();
        assertThat(found.get(2).token()).isEqualTo(held);
        assertThat(found.get(2).node()).isEqualTo("node-a");
        assertThat(Duration.between(found.get(2).heldSince(), found.get(2).endsAt()))
                .isCloseTo(TTL, Duration.ofSeconds(1));
        assertThat(found.get(2).endedAt()).isNull();
        assertThat(found.get(3).endedAt()).isNotNull();
    }

    @Test
    void aListHasPagesWithoutADuplicate() {
        for (int each = 10; each < 17; each++) {
            acquire("n-" + each);
        }

        assertThat(names(first(3))).containsExactly("n-10", "n-11", "n-12");
        assertThat(allNames(first(3)))
                .containsExactly("n-10", "n-11", "n-12", "n-13", "n-14", "n-15", "n-16")
                .isEqualTo(allNames(first(7)));
        assertThat(leases.list(first(7)).next()).isNull();
    }

    @Test
    void hostileNamesStayAsTheyAre() {
        acquire(new LeaseName(HOSTILE, "acme"), HOSTILE);
        acquire("z");

        LeasePage page = leases.list(first(1));

        assertThat(page.leases().get(0).name()).isEqualTo(HOSTILE);
        assertThat(page.leases().get(0).node()).isEqualTo(HOSTILE);
        assertThat(allNames(first(1))).containsExactlyInAnyOrder(HOSTILE, "z");
        assertThat(names(new LeaseQuery(HOSTILE, "acme", HOSTILE, LeaseState.HELD, null, 5)))
                .containsExactly(HOSTILE);
        assertThatThrownBy(() -> leases.list(new LeaseQuery(null, null, null, null, "*", 5)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> leases.list(new LeaseQuery(null, null, null, null, "AA", 5)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> first(0)).hasMessageContaining("from 1 to 1,000");
    }

    @Test
    void filtersSelectByNameTenantNodeAndState() {
        acquire(new LeaseName("a", "acme"), "node-a");
        acquire(new LeaseName("a", "acme2"), "node-a");
        acquire(new LeaseName("a"), "node-b");
        assertThat(store.release(new LeaseName("b", "acme"), acquire(new LeaseName("b", "acme"), "node-b")))
                .isTrue();

        assertThat(leases.list(new LeaseQuery(null, "acme", null, null, null, 9))
                        .leases())
                .extracting(LeaseView::tenant)
                .containsExactly("acme", "acme");
        assertThat(leases.list(new LeaseQuery(null, "", null, null, null, 9)).leases())
                .extracting(LeaseView::tenant)
                .containsOnlyNulls()
                .hasSize(1);
        assertThat(leases.list(new LeaseQuery("a", null, null, null, null, 9)).leases())
                .extracting(LeaseView::node)
                .containsExactly("node-b");
        assertThat(names(new LeaseQuery("a", "acme2", null, null, null, 9))).containsExactly("a");
        assertThat(names(new LeaseQuery(null, "acme", null, LeaseState.FREE, null, 9)))
                .containsExactly("b");
        assertThat(names(new LeaseQuery(null, null, "node-b", LeaseState.HELD, null, 9)))
                .containsExactly("a");
    }

    @Test
    void aFreedLeaseFencesOffItsPreviousOwner() {
        LeaseName name = new LeaseName("n", "acme");
        FencingToken token = acquire(name, "node-a");

        assertThat(leases.free(name, token)).isEqualTo(Freeing.FREED);

        assertThat(store.renew(name, token)).isFalse();
        assertThat(store.reattach(name, token, TTL)).isFalse();
        assertThat(store.complete(name, token, Completion.PASSED)).isFalse();
        assertThat(store.release(name, token)).isFalse();
        assertThat(leases.find(name).orElseThrow().state()).isEqualTo(LeaseState.FREE);
        FencingToken next = acquire(name, "node-b");
        assertThat(next).isGreaterThan(token);
        assertThat(leases.free(name, token)).isEqualTo(Freeing.NOT_HELD);
        assertThat(store.renew(name, next)).isTrue();
    }

    @Test
    void whatIsNotHeldIsNotFreed() {
        FencingToken completed = acquire("completed");
        assertThat(store.complete(new LeaseName("completed"), completed, Completion.PASSED))
                .isTrue();
        FencingToken released = acquire("released");
        assertThat(store.release(new LeaseName("released"), released)).isTrue();
        FencingToken held = acquire("held");

        assertThat(leases.free(new LeaseName("completed"), completed)).isEqualTo(Freeing.NOT_HELD);
        assertThat(leases.free(new LeaseName("released"), released)).isEqualTo(Freeing.NOT_HELD);
        assertThat(leases.free(new LeaseName("held"), new FencingToken(held.value() - 1)))
                .isEqualTo(Freeing.NOT_HELD);
        assertThat(leases.free(new LeaseName("none"), held)).isEqualTo(Freeing.NOT_HELD);
        assertThat(leases.find(new LeaseName("completed")).orElseThrow().token())
                .isEqualTo(completed);
        assertThat(leases.find(new LeaseName("held")).orElseThrow().state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aLeaseThatATransactionHasCheckedIsNotFreed() throws SQLException {
        FencingToken token = acquire("n");
        try (Connection owner = database.dataSource().getConnection();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("SELECT FROM saga_lease WHERE name = 'n' FOR NO KEY UPDATE");

            assertThat(leases.free(new LeaseName("n"), token)).isEqualTo(Freeing.LOCKED);
            owner.rollback();
        }
        assertThat(leases.free(new LeaseName("n"), token)).isEqualTo(Freeing.FREED);
    }

    @Test
    void heldLeasesAreCountedForEachNode() {
        acquire("a");
        acquire("b");
        acquire(new LeaseName("c"), "node-b");
        assertThat(store.release(new LeaseName("d"), acquire("d"))).isTrue();
        jdbc.sql("""
                UPDATE saga_lease SET expires_at = '2100-01-01T00:01:00Z', ttl_millis = 60000
                WHERE name IN ('a', 'b')""").update();

        NodeLoads loads = leases.loads();

        assertThat(loads.isComplete()).isTrue();
        assertThat(loads.nodes())
                .extracting(each -> each.node() + "=" + each.held())
                .containsExactly("node-a=2", "node-b=1");
        assertThat(loads.nodes().get(0).heartbeatAt()).isEqualTo(Instant.parse("2100-01-01T00:00:00Z"));
    }

    @Test
    void eachPageReadsABoundedNumberOfNamesThroughAnIndex() {
        jdbc.sql("""
                INSERT INTO saga_lease (name, token, attempt, node, ttl_millis, touched_at, expires_at)
                SELECT 'n-' || lpad(n::text, 6, '0'), n, gen_random_uuid(), CASE WHEN n = 30000 THEN 'rare' ELSE 'node' END, 1000,
                    clock_timestamp() - n * INTERVAL '1 second', NULL
                FROM generate_series(1, 30000) AS n""").update();
        jdbc.sql("VACUUM (ANALYZE) saga_lease").update();
        LeaseQuery rare = new LeaseQuery(null, "", "rare", LeaseState.FREE, null, 50);

        LeasePage empty = leases.list(rare);

        assertThat(empty.leases()).isEmpty();
        assertThat(empty.next()).isNotNull();
        assertThat(allNames(rare)).containsExactly("n-030000");
        assertPlan(first(50), null, 51, 51, 51);
        assertPlan(first(50), "n-020000", "n-020000", 51, 51, 51);
        assertPlan(new LeaseQuery("n-000007", null, null, null, null, 50), null, "n-000007", 51, 51, 51);
        assertPlan(rare, "n", "n", 10_000, "", "rare", "free", "", "rare", "free", 10_000, 51);
        assertThat(plan(new LeaseListTable(schema).loads(), 10_000, 10_000))
                .contains("saga_lease_age")
                .doesNotContain("Seq Scan");
    }

    private static void assertPlan(LeaseQuery query, @Nullable String after, Object... values) {
        assertThat(plan(new LeaseListTable(schema).selection(query, after), values))
                .contains("saga_lease_pkey")
                .doesNotContain("Seq Scan");
    }

    private static String plan(String statement, Object... values) {
        return String.join(
                "\n",
                jdbc.sql("EXPLAIN " + statement)
                        .params(values)
                        .query(String.class)
                        .list());
    }
}
