package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A node executes only runs that it holds, and picks up runs that another node has released. */
class RunPickupTests extends RunsOnPostgres {

    private static StoredValue stored(String json) {
        return new StoredValue("json", json.getBytes(StandardCharsets.UTF_8));
    }

    private static NewRun executedHere() {
        return new NewRun(RunId.next(), "tale", null, null, stored("\"\""), stored("{}"), null, true);
    }

    private static RunLease runLease(Started started) {
        return new RunLease(started.id(), Objects.requireNonNull(started.token()));
    }

    /**
     * The nodes have separate connections, because only the connections of the node {@code next} use the replaced clock
     * function.
     */
    @Test
    void aPickupSeesEntriesCommittedDuringItsSearch() throws Exception {
        DataSource own = database.dataSource();
        RunNode late = added(RunNode.on(schema, own, "late").tales(tale((run, input) -> "")));
        RunNode next = added(RunNode.on(schema, new Halting(own), "next").tales(tale((run, input) -> "")));
        RunLease runLease = runLease(late.store.start(executedHere()));
        endLease(runLease.id());

        CompletableFuture<List<PickedUpRun>> search;
        try (Connection halting = own.getConnection();
                Statement halt = halting.createStatement()) {
            halt.execute("SELECT pg_advisory_lock(7)");
            search = new TransactionTemplate(new JdbcTransactionManager(own)).execute(status -> {
                ControlState unused =
                        late.store.checkpoint(runLease, List.of(JournalEntry.done(0, "one", Call.STEP, null)));
                CompletableFuture<List<PickedUpRun>> pickup =
                        CompletableFuture.supplyAsync(() -> next.store.take(Set.of("tale"), 1, 3));
                await().atMost(SOON).until(RunPickupTests::hasBegunToSearch);
                return pickup;
            });
        }

        assertThat(search.get(20, TimeUnit.SECONDS))
                .singleElement()
                .satisfies(each -> assertThat(each.journal())
                        .extracting(JournalEntry::step)
                        .containsExactly("one"));
    }

    /**
     * Replaces the clock function. The search for runs calls this function after the statement has begun and before it
     * has found a row. The function waits until the test releases its lock.
     */
    private static final class Halting extends DelegatingDataSource {

        Halting(DataSource real) {
            super(real);
            jdbc.sql("CREATE SCHEMA IF NOT EXISTS halting").update();
            jdbc.sql("""
                    CREATE OR REPLACE FUNCTION halting.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
                    BEGIN
                        PERFORM pg_advisory_lock_shared(7), pg_advisory_unlock_shared(7);
                        RETURN pg_catalog.clock_timestamp();
                    END $$""").update();
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection open = super.getConnection();
            try (Statement first = open.createStatement()) {
                first.execute("SET search_path = halting, pg_catalog, public");
            }
            return open;
        }
    }

    private static boolean hasBegunToSearch() {
        return jdbc.sql("""
                        SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database
                        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()""").query(Long.class).single() == 1;
    }

    @Test
    void aRepeatedStartReturnsNoLeaseIfAnotherNodeHoldsTheRun() {
        RunNode first = quietNode(tale((run, input) -> ""));
        RunNode next = quietNode(tale((run, input) -> ""));
        NewRun newRun = executedHere();
        Started original = first.store.start(newRun);
        assertThat(first.store.start(newRun).token()).isEqualTo(original.token());
        endLease(newRun.id());
        assertThat(next.store.take(Set.of("tale"), 1, 3)).hasSize(1);

        Started again = first.store.start(newRun);

        assertThat(again.id()).isEqualTo(newRun.id());
        assertThat(again.token()).isNull();
    }

    @Test
    void aFailedPickupOccupiesNoSlot() throws Exception {
        RunNode node =
                added(RunNode.on(schema, connections, "small").slots(1).tales(tale((run, input) -> effect("driven"))));
        node.opened();
        jdbc.sql("ALTER TABLE saga_run RENAME TO saga_run_away").update();
        try {
            assertThatThrownBy(() -> node.engine.resume(RunId.next())).isNotInstanceOf(NoSuchRunException.class);
        } finally {
            jdbc.sql("ALTER TABLE saga_run_away RENAME TO saga_run").update();
        }

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("driven");
    }

    @Test
    void aNodeThatHasLostARunDoesNotSuspendTheRun() throws Exception {
        AtomicInteger executions = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> {
                if (executions.incrementAndGet() == 1) {
                    hangs.await();
                }
            });
            run.step("two", () -> effect("two"));
            return "done";
        };
        RunNode slow = node(tale(code));
        RunId id = slow.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> executions.get() == 1);
        RunNode other = node(tale(code));
        endLease(id);
        assertThat(other.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");

        hangs.countDown();

        await().atMost(SOON).until(() -> slow.events.contains(RunEvent.LEFT));
        assertThat(slow.events).doesNotContain(RunEvent.SUSPENDED);
        assertThat(effects).containsExactly("two");
    }

    @Test
    void aNodeWithoutTheCodeOfARunDoesNotPickUpTheRun() throws Exception {
        RunNode starting = node(new Tale("known", (run, input) -> ""));
        RunNode other = node(tale((run, input) -> "mine"));
        other.engine.stop();

        RunId id = other.runs.start(Tale.class, "").id();
        assertThat(starting.engine.sweep()).isZero();
        assertThat(stateOf(starting, id)).isEqualTo(RunState.PENDING);
    }
}
