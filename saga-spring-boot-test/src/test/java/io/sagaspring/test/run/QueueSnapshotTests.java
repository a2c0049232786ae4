package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests pickups that have read the settings of a queue before they change, and take a permit afterwards. A view in place of the table of
 * permits holds such a pickup between the two: its condition waits for a lock of the test.
 */
class QueueSnapshotTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Set<String> KNOWN = Set.of("run");
    private static final StoredValue NOTHING = new StoredValue("none", new byte[0]);

    private static final RunDatabase database = new RunDatabase();
    private static final PostgresRunStore store = database.store(database.pool(), "one", Commits.SEPARATE);
    private static final HikariDataSource slow = database.newPool();

    private final String queue = "queue-" + RunId.next();

    @BeforeAll
    static void replaceTheTable() {
        for (String each : List.of(
                """
                CREATE FUNCTION held() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN
                    IF current_setting('test.slow', true) = 'yes' THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF;
                    RETURN true;
                END $$""",
                "ALTER TABLE saga_permit RENAME TO saga_permit_rows",
                "CREATE VIEW saga_permit AS SELECT * FROM saga_permit_rows WHERE held()")) {
            int unused = database.jdbc().sql(each).update();
        }
        slow.setConnectionInitSql("SET test.slow = 'yes'");
    }

    @AfterAll
    static void drop() {
        slow.close();
        database.close();
    }

    private RunId queued(String key) {
        return queued(key, 0);
    }

    private RunId queued(String key, int priority) {
        return store.start(new NewRun(
                        RunId.next(),
                        "run",
                        null,
                        null,
                        NOTHING,
                        null,
                        null,
                        null,
                        false,
                        new QueuePlace(queue, key, priority),
                        Map.of()))
                .id();
    }

    private interface Change {
        void make() throws SQLException;
    }

    /** Returns what a pickup begins that has read the settings before the change, and takes permits after it. */
    private List<PickedUpRun> pickedUpAround(Change change) throws Exception {
        QueueStore other = database.store(slow, "slow", Commits.SEPARATE).queues();
        try (Connection holder = database.connect();
                Statement lock = holder.createStatement()) {
            lock.execute("SELECT pg_advisory_lock(4711)");
            CompletableFuture<List<PickedUpRun>> begun =
                    CompletableFuture.supplyAsync(() -> other.take(queue, KNOWN, 4));
            awaitHeldPickup();
            change.make();
            lock.execute("SELECT pg_advisory_unlock(4711)");
            return begun.get();
        }
    }

    /** Each question takes 20 ms on the server. */
    private static void awaitHeldPickup() {
        long giveUp = System.nanoTime() + SOON.toNanos();
        while (database.jdbc().sql("""
                        SELECT count(*) = 0 FROM pg_locks JOIN pg_database AS d ON d.oid = database, pg_sleep(0.02)
                        WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted""").query(Boolean.class).single()) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
        }
    }

    private void end(PickedUpRun begun) {
        store.end(begun.runLease(), List.of(), new Ending(RunState.COMPLETED, null, null, null));
    }

    /** A run that executes during the pause frees a permit that the pickup has seen. */
    @Test
    void aPickupThatHasNotSeenThePauseBeginsNothing() throws Exception {
        assertThat(store.queues().declare(RunQueue.named(queue).atOnce(2))).isEmpty();
        RunId waiting = queued("");

        List<PickedUpRun> begun = pickedUpAround(() -> {
            RunId urgent = queued("", 100);
            List<PickedUpRun> before = store.queues().take(queue, KNOWN, 1);
            assertThat(before)
                    .singleElement()
                    .satisfies(each -> assertThat(each.runLease().id()).isEqualTo(urgent));
            assertThat(store.queues().pause(queue, "", "")).isTrue();
            end(before.get(0));
        });

        assertThat(begun).as("%s waits", waiting).isEmpty();
    }

    /** Two runs of the key begin, and one of them ends after the limit was lowered. The pickup has seen neither. */
    @Test
    void aPickupThatHasNotSeenALowerLimitOfKeysBeginsNothing() throws Exception {
        assertThat(store.queues().declare(RunQueue.named(queue).atOnce(4).atOnceForEach(2)))
                .isEmpty();
        RunId waiting = queued("k");

        List<PickedUpRun> begun = pickedUpAround(() -> {
            RunId one = queued("k", 100);
            RunId other = queued("k", 100);
            List<PickedUpRun> before = store.queues().take(queue, KNOWN, 2);
            assertThat(before).extracting(each -> each.runLease().id()).containsExactly(one, other);
            assertThat(store.queues().limits(queue, QueueLimits.atOnce(4).atOnceForEach(1), "", ""))
                    .isTrue();
            end(before.get(0));
        });

        assertThat(begun).as("%s waits", waiting).isEmpty();
    }

    /** Without the lock, the pickup would also use the permit of the run that has begun meanwhile. */
    @Test
    void aPickupThatHasSeenAFreePermitDoesNotTakeItIfItIsInUse() throws Exception {
        assertThat(store.queues().declare(RunQueue.named(queue).atOnce(1))).isEmpty();
        RunId waiting = queued("");

        List<PickedUpRun> begun = pickedUpAround(() -> {
            RunId urgent = queued("", 100);
            assertThat(store.queues().take(queue, KNOWN, 1))
                    .singleElement()
                    .satisfies(each -> assertThat(each.runLease().id()).isEqualTo(urgent));
        });

        assertThat(begun).as("%s waits", waiting).isEmpty();
    }

    /** An urgent run of the key is started and begins meanwhile. The pickup has seen neither, so it counts no run of the key. */
    @Test
    void aPickupDoesNotTakeThePermitOfAKeyThatIsInUse() throws Exception {
        assertThat(store.queues().declare(RunQueue.named(queue).atOnce(4).atOnceForEach(1)))
                .isEmpty();
        RunId waiting = queued("k");

        List<PickedUpRun> begun = pickedUpAround(() -> {
            RunId urgent = queued("k", 100);
            assertThat(store.queues().take(queue, KNOWN, 1))
                    .singleElement()
                    .satisfies(each -> assertThat(each.runLease().id()).isEqualTo(urgent));
        });

        assertThat(begun).as("%s waits", waiting).isEmpty();
    }

    /** An urgent run of the key is started and begins meanwhile. The pickup has not seen that the rate of the key is used. */
    @Test
    void aPickupDoesNotBeginARunOfAKeyWhoseRateIsUsed() throws Exception {
        assertThat(store.queues().declare(RunQueue.named(queue).atOnce(4).startsForEach(1, Duration.ofHours(1))))
                .isEmpty();
        RunId waiting = queued("k");

        List<PickedUpRun> begun = pickedUpAround(() -> {
            RunId urgent = queued("k", 100);
            assertThat(store.queues().take(queue, KNOWN, 1))
                    .singleElement()
                    .satisfies(each -> assertThat(each.runLease().id()).isEqualTo(urgent));
        });

        assertThat(begun).as("%s waits", waiting).isEmpty();
    }

    /** The other pickup has not committed yet, so this one has not seen its start. */
    @Test
    void aPickupWaitsForAnotherOneThatUsesTheRateOfTheQueue() throws Exception {
        assertThat(store.queues().declare(RunQueue.named(queue).atOnce(4).starts(1, Duration.ofHours(1))))
                .isEmpty();
        RunId waiting = queued("");
        try (Connection other = database.connect();
                Statement using = other.createStatement()) {
            other.setAutoCommit(false);
            int pid = pidOf(using);
            using.execute("UPDATE saga_rate SET used_until = used_until + INTERVAL '1 hour' WHERE queue = '%s'"
                    .formatted(queue));
            CompletableFuture<List<PickedUpRun>> begun =
                    CompletableFuture.supplyAsync(() -> store.queues().take(queue, KNOWN, 4));
            awaitWaitingFor(pid);
            other.commit();

            assertThat(begun.get()).as("%s waits", waiting).isEmpty();
        }
    }

    private static int pidOf(Statement statement) throws SQLException {
        try (ResultSet found = statement.executeQuery("SELECT pg_backend_pid()")) {
            assertThat(found.next()).isTrue();
            return found.getInt(1);
        }
    }

    /** Each question takes 20 ms on the server. */
    private static void awaitWaitingFor(int pid) {
        long giveUp = System.nanoTime() + SOON.toNanos();
        while (database.jdbc()
                .sql("SELECT count(*) = 0 FROM pg_stat_activity, pg_sleep(0.02) WHERE ? = ANY (pg_blocking_pids(pid))")
                .param(pid)
                .query(Boolean.class)
                .single()) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
        }
    }
}
