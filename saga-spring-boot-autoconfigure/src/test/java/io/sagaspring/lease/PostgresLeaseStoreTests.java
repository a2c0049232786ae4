package io.sagaspring.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class PostgresLeaseStoreTests extends LeaseStoreContract {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = SagaSchema.migrate(database.dataSource(), null);
    private static final Duration RETENTION = Duration.ofDays(30);

    private static final HikariDataSource pool = pool();
    private static final JdbcClient jdbc = JdbcClient.create(pool);
    private static final LeaseStore store = onPool();
    private static final LeaseStore another = onPool();

    private Connection keepers;

    @BeforeEach
    void connect() throws SQLException {
        keepers = database.dataSource().getConnection();
    }

    @AfterEach
    void disconnect() throws SQLException {
        keepers.close();
    }

    @AfterAll
    static void drop() {
        pool.close();
        database.close();
    }

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database.dataSource());
        pool.setMinimumIdle(0);
        return pool;
    }

    private static LeaseStore onPool() {
        return new PostgresLeaseStore(schema, new OwnTransactions(pool), pool, RETENTION);
    }

    @Override
    protected LeaseStore store() {
        return store;
    }

    @Override
    protected LeaseStore another() {
        return another;
    }

    @Override
    protected void pass(LeaseName name, Duration duration) {
        jdbc.sql("UPDATE saga_lease SET expires_at = expires_at - ? * INTERVAL '1 millisecond' WHERE name = ?")
                .param(duration.toMillis())
                .param(name.text())
                .update();
    }

    @Override
    protected RenewableLeases.Connecting connecting() {
        return () -> keepers;
    }

    private FencingToken acquired(String name) {
        return store().acquire(
                        new LeaseName(name), new LeaseStore.Attempt(UUID.randomUUID(), "node", Duration.ofMinutes(1)))
                .token();
    }

    /** Ages all leases, as if the application had not been used for this long. */
    private static void age(Duration duration) {
        jdbc.sql("UPDATE saga_lease SET touched_at = touched_at - ? * INTERVAL '1 millisecond'")
                .param(duration.toMillis())
                .update();
    }

    @Test
    void aLeaseUnusedForTheRetentionIsForgottenAndItsNextTokenIsGreater() {
        jdbc.sql("DELETE FROM saga_lease").update();
        FencingToken released = acquired("released");
        store().release(new LeaseName("released"), released);
        store().complete(new LeaseName("ended"), acquired("ended"), Completion.PASSED);
        acquired("renewed for years");
        age(RETENTION.minusMinutes(1));
        assertThat(store().purge(10)).isZero();
        age(Duration.ofMinutes(1));

        assertThat(store().purge(1)).isOne();
        assertThat(store().purge(10)).isOne();
        assertThat(jdbc.sql("SELECT name FROM saga_lease").query(String.class).list())
                .containsExactly("renewed for years");
        assertThat(acquired("released")).isGreaterThan(released);
    }

    /** A caller that waits for a row must not also wait for the purge, and the purge does not wait for any caller. */
    @Test
    void thePurgeSkipsALockedRow() throws SQLException {
        jdbc.sql("DELETE FROM saga_lease").update();
        store().release(new LeaseName("locked"), acquired("locked"));
        store().release(new LeaseName("free"), acquired("free"));
        age(RETENTION);
        keepers.setAutoCommit(false);
        try (PreparedStatement lock =
                keepers.prepareStatement("SELECT FROM saga_lease WHERE name = 'locked' FOR UPDATE")) {
            lock.execute();

            assertThat(store().purge(10)).isOne();
        }
    }

    @Test
    void theSearchForOldLeasesUsesAnIndex() {
        jdbc.sql("""
                INSERT INTO saga_lease (name, token, attempt, node, ttl_millis, touched_at)
                SELECT 'many/' || n, nextval('saga_token'), gen_random_uuid(), 'node', 1000, now() FROM generate_series(1, 20000) AS n
                """).update();
        jdbc.sql("ANALYZE saga_lease").update();

        assertThat(jdbc.sql("EXPLAIN " + new LeaseTable(schema, RETENTION).purge())
                        .param(RETENTION.toMillis())
                        .param(RETENTION.toMillis())
                        .param(1_000)
                        .query(String.class)
                        .list())
                .anyMatch(line -> line.contains("Index Scan using saga_lease_age"));
        jdbc.sql("DELETE FROM saga_lease").update();
    }

    /** A renewal does not change a key, so an insert that refers to the row does not conflict with it. */
    @Test
    void aLeaseIsRenewedWhileAnotherTableRefersToIt() throws Exception {
        HeldLease lease = new HeldLease("lease", "referred to", acquired("referred to"));
        jdbc.sql("CREATE TABLE booking (lease text REFERENCES saga_lease (name))")
                .update();
        try (Connection application = database.dataSource().getConnection();
                Statement insert = application.createStatement()) {
            application.setAutoCommit(false);
            insert.execute("INSERT INTO booking VALUES ('referred to')");

            assertThat(store().renew(connecting(), Set.of(lease))).containsExactly(lease);
            application.rollback();
        } finally {
            jdbc.sql("DROP TABLE booking").update();
        }
    }

    /** A renewal must not write to an index. */
    @Test
    void renewalsAreHotUpdates() {
        FencingToken token = acquired("hot");
        // When a connection is closed, it reports all its statistics.
        try (HikariDataSource closed = pool()) {
            LeaseStore renewing = new PostgresLeaseStore(schema, new OwnTransactions(closed), closed, RETENTION);
            for (int renewal = 0; renewal < 100; renewal++) {
                assertThat(renewing.renew(new LeaseName("hot"), token)).isTrue();
            }
        }

        await().until(() -> updates("n_tup_upd") >= 100);
        assertThat(updates("n_tup_hot_upd")).isGreaterThan(95);
    }

    private static long updates(String which) {
        return jdbc.sql("SELECT " + which + " FROM pg_stat_user_tables WHERE relname = 'saga_lease'")
                .query(Long.class)
                .single();
    }

    /** A lease that was renewed for longer than the retention counts as used until its holder ends it. */
    @Test
    void aLongHeldLeaseIsNotForgottenImmediatelyAfterItsEnd() {
        jdbc.sql("DELETE FROM saga_lease").update();
        FencingToken released = acquired("released");
        FencingToken expired = acquired("expired");
        age(RETENTION.multipliedBy(2));
        store().release(new LeaseName("released"), released);
        pass(new LeaseName("expired"), Duration.ofMinutes(2));

        assertThat(store().purge(10)).isZero();
        assertThat(store().reattach(new LeaseName("released"), released, Duration.ofMinutes(1)))
                .isTrue();
        assertThat(store().reattach(new LeaseName("expired"), expired, Duration.ofMinutes(1)))
                .isTrue();
    }

    /** The waiting caller has read the row as expired. It reads the row again when it gets the lock. */
    @Test
    void aLeaseThatIsCompletedWhileACallerWaitsForItsRowIsNotAcquired() throws Exception {
        LeaseName name = new LeaseName("completed-meanwhile");
        FencingToken late = acquired(name.value());
        pass(name, Duration.ofMinutes(2));
        UUID waiting = UUID.randomUUID();
        keepers.setAutoCommit(false);
        try (PreparedStatement complete = keepers.prepareStatement(
                "UPDATE saga_lease SET completion = 'PASSED', expires_at = NULL WHERE name = ? AND token = ?")) {
            complete.setString(1, name.value());
            complete.setLong(2, late.value());
            assertThat(complete.executeUpdate()).isOne();
        }
        CompletableFuture<LeaseStore.Found> caller = OwnThread.call(
                () -> store().acquire(name, new LeaseStore.Attempt(waiting, "other", Duration.ofMinutes(1))));
        await().until(() -> LockWaits.in(jdbc) > 0);
        keepers.commit();

        assertThat(caller.get(20, SECONDS).attempt()).isNotEqualTo(waiting);
        assertThat(store().find(name))
                .hasValueSatisfying(found -> assertThat(found.completion()).isEqualTo(Completion.PASSED));
    }

    /**
     * A sequence is not replicated together with the rows that use its numbers. In a restored backup or a promoted
     * replica, the sequence may be behind these rows.
     */
    @Test
    void tokensGrowEvenIfTheSequenceIsBehind() {
        FencingToken before = acquired("restored");
        store().release(new LeaseName("restored"), before);
        jdbc.sql("SELECT setval('saga_token', 1)").query().singleRow();
        try {
            assertThat(acquired("restored")).isGreaterThan(before);
        } finally {
            jdbc.sql("SELECT setval('saga_token', ?)")
                    .param(before.value() + 10)
                    .query()
                    .singleRow();
        }
    }

    @Test
    void theKeeperDistinguishesLeaseNamesWithEqualTokens() throws Exception {
        HeldLease mine = new HeldLease("lease", "mine", acquired("mine"));
        store().release(new LeaseName("lost"), acquired("lost"));
        HeldLease lost = new HeldLease("lease", "lost", mine.token());
        jdbc.sql("UPDATE saga_lease SET token = ? WHERE name = 'lost'")
                .param(mine.token().value())
                .update();

        assertThat(store().renew(connecting(), Set.of(mine, lost))).containsExactly(mine);
        assertThat(store().stillHeld(connecting(), Set.of(mine, lost))).containsExactly(mine);
    }

    /** The application decides how long its own statements wait for a lock. */
    @Test
    void aConnectionReturnsToThePoolWithItsOriginalLockTimeout() {
        try (HikariDataSource single = new HikariDataSource()) {
            single.setDataSource(database.dataSource());
            single.setMaximumPoolSize(1);
            LeaseStore onSingle = new PostgresLeaseStore(schema, new OwnTransactions(single), single, RETENTION);
            onSingle.acquire(
                    new LeaseName("as it came"),
                    new LeaseStore.Attempt(UUID.randomUUID(), "node", Duration.ofMinutes(1)));

            assertThat(JdbcClient.create(single)
                            .sql("SHOW lock_timeout")
                            .query(String.class)
                            .single())
                    .isEqualTo("0");
        }
    }
}
