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

/** Only the very transaction that has held a stuck entity for longer than the window is ended, and nobody who is innocent. */
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
    void theTransactionThatWasFoundIsEndedOnceItIsOlderThanTheWindow() throws SQLException {
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
    void aBackendThatServesAnotherTransactionByNowIsNotEnded() throws SQLException {
        try (Connection frozen = holding()) {
            Blocker found = blocker();
            frozen.rollback();
            hold(frozen);

            assertThat(blocker().pid()).isEqualTo(found.pid());
            assertThat(Blockers.end(table, found, Duration.ZERO)).isFalse();
            assertThat(isAlive(found)).isTrue();
        }
    }

    /** A process number is given to another one some day. */
    @Test
    void aBackendThatBeganAtAnotherTimeIsNotEnded() throws SQLException {
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
    void behindAQueueTheOneWhoHasTheRowIsFoundAndWhoOnlyWaitsIsNotToBlame() throws Exception {
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

            assertThat(Blockers.of(table, parcel)).extracting(Blocker::pid).containsExactly(holder);
            frozen.rollback();
            queue.get(20, SECONDS);
            waiting.rollback();
        }
    }

    /** A waiter that is left would get the row next, and the next sweep would pass the row over. */
    @Test
    void theProbeHasLeftTheQueueWhenItReturns() throws SQLException {
        try (Connection frozen = holding()) {
            assertThat(blocker()).isNotNull();

            assertThat(LockWaits.in(shop.database())).isZero();
            frozen.rollback();
        }
    }

    /** The wait for the row begins when both of its connections are there. */
    @Test
    void theHolderIsFoundAlthoughThePoolHadNoConnectionForLongerThanTheProbeWaits() throws Exception {
        HikariDataSource pool = shop.bean(DataSource.class).unwrap(HikariDataSource.class);
        List<Connection> taken = new ArrayList<>();
        try (Connection frozen = holding()) {
            int holder = frozen.unwrap(PGConnection.class).getBackendPID();
            while (taken.size() < pool.getMaximumPoolSize() - 1) {
                taken.add(pool.getConnection());
            }
            CompletableFuture<List<Blocker>> probe = OwnThread.call(() -> Blockers.of(table, parcel));
            // The waiting thread has the last connection, and the asking one waits for its own.
            await().atMost(20, SECONDS).until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
            LockSupport.parkNanos(MILLISECONDS.toNanos(700));
            taken.remove(0).close();

            assertThat(probe.get(20, SECONDS)).extracting(Blocker::pid).containsExactly(holder);
        } finally {
            for (Connection each : taken) {
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
        List<Blocker> blockers = Blockers.of(table, parcel);
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
