package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** A transaction is terminated only if it has locked a stuck entity for longer than the limit. */
class BlockersTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);
    private static final EntityTable table =
            shop.bean(DeclaredClaimStates.class).tables().findFirst().orElseThrow();

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @Test
    void aBlockingTransactionIsEndedOnlyIfItIsOlderThanTheLimit() throws SQLException {
        try (Connection frozen = holding()) {
            Blocker found = blocker();

            assertThat(Blockers.end(table, found, Duration.ofHours(1))).isFalse();
            assertThat(isAlive(found)).isTrue();

            assertThat(Blockers.end(table, found, Duration.ZERO)).isTrue();
            await().atMost(20, SECONDS).until(() -> !isAlive(found));
            assertThat(frozen.isValid(5)).isFalse();
        }
    }

    @Test
    void aBackendThatNowServesAnotherTransactionIsNotEnded() throws SQLException {
        try (Connection frozen = holding()) {
            Blocker found = blocker();
            frozen.rollback();
            hold(frozen);

            assertThat(blocker().pid()).isEqualTo(found.pid());
            assertThat(Blockers.end(table, found, Duration.ZERO)).isFalse();
            assertThat(isAlive(found)).isTrue();
        }
    }

    /** The operating system may give the id of an ended process to a new process. */
    @Test
    void aBackendThatStartedAtAnotherTimeIsNotEnded() throws SQLException {
        try (Connection frozen = holding()) {
            Blocker found = blocker();
            Blocker former = new Blocker(
                    found.pid(), found.description(), found.backendStart().minusHours(1), found.transactionStart());

            assertThat(Blockers.end(table, former, Duration.ZERO)).isFalse();
            assertThat(isAlive(found)).isTrue();
            assertThat(frozen.isValid(5)).isTrue();
        }
    }

    @Test
    void theHolderOfARowLockIsFoundButNoWaitingTransaction() throws Exception {
        try (Connection frozen = holding();
                Connection waiting = database.dataSource().getConnection();
                Statement statement = waiting.createStatement()) {
            waiting.setAutoCommit(false);
            int holder = frozen.unwrap(PGConnection.class).getBackendPID();
            CompletableFuture<Void> queue = OwnThread.run(() -> {
                try {
                    statement.execute("SELECT 1 FROM parcel WHERE id = %d FOR UPDATE".formatted(parcel));
                } catch (SQLException failed) {
                    throw new IllegalStateException(failed);
                }
            });
            await().atMost(20, SECONDS).until(() -> LockWaits.in(shop.database()) == 1);

            assertThat(Blockers.of(table, parcel, Tenants.none()))
                    .extracting(Blocker::pid)
                    .containsExactly(holder);
            frozen.rollback();
            queue.get(20, SECONDS);
            waiting.rollback();
        }
    }

    /**
     * The probe waits for the entity's lock, so that the database shows which transactions block it. If the probe
     * stayed in the lock queue, it would get the lock next, and the next sweep would skip the entity.
     */
    @Test
    void theProbeLeavesTheLockQueueBeforeItReturns() throws SQLException {
        try (Connection frozen = holding()) {
            assertThat(blocker()).isNotNull();

            assertThat(LockWaits.in(shop.database())).isZero();
            frozen.rollback();
        }
    }

    /** The probe starts to wait for the row only when it has both of its connections. */
    @Test
    void theHolderOfARowLockIsFoundAfterALongWaitForAConnection() throws Exception {
        HikariDataSource pool = shop.bean(DataSource.class).unwrap(HikariDataSource.class);
        List<Connection> borrowed = new ArrayList<>();
        try (Connection frozen = holding()) {
            int holder = frozen.unwrap(PGConnection.class).getBackendPID();
            while (borrowed.size() < pool.getMaximumPoolSize() - 1) {
                borrowed.add(pool.getConnection());
            }
            CompletableFuture<List<Blocker>> probe = OwnThread.call(() -> Blockers.of(table, parcel, Tenants.none()));
            // The waiting thread has the last connection, and the querying thread waits for its own.
            await().atMost(20, SECONDS).until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
            LockSupport.parkNanos(MILLISECONDS.toNanos(700));
            borrowed.remove(0).close();

            assertThat(probe.get(20, SECONDS)).extracting(Blocker::pid).containsExactly(holder);
        } finally {
            for (Connection each : borrowed) {
                each.close();
            }
        }
    }

    private Connection holding() throws SQLException {
        Connection connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        hold(connection);
        return connection;
    }

    private void hold(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1 FROM parcel WHERE id = %d FOR UPDATE".formatted(parcel));
        }
    }

    private Blocker blocker() {
        List<Blocker> blockers = Blockers.of(table, parcel, Tenants.none());
        assertThat(blockers).hasSize(1);
        return blockers.get(0);
    }

    private static boolean isAlive(Blocker blocker) {
        return shop.database()
                        .sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ?")
                        .param(blocker.pid())
                        .query(Integer.class)
                        .single()
                == 1;
    }
}
