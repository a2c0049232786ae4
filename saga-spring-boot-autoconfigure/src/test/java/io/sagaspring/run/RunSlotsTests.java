package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.shop.LockWaits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run occupies a slot only while it executes. A start that waits for a key leaves its slot to other runs. */
class RunSlotsTests extends RunsOnPostgres {

    private static final int SLOTS = 4;

    private RunNode node(int slots, Tale... tales) {
        RunNode node = RunNode.on(schema, connections, "node")
                .slots(slots)
                .tales(tales)
                .build()
                .opened();
        nodes.add(node);
        return node;
    }

    /** Otherwise waiting parents could occupy all slots, and none would be left for their children. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunThatAwaitsAnotherRunFailsAndTheMessageNamesTheRemedy(boolean inAStep) {
        AtomicReference<RunHandle<String>> child = new AtomicReference<>();
        AtomicReference<RunNode> node = new AtomicReference<>();
        node.set(node(1, new Tale("tale", (run, input) -> {
            if (input.equals("child")) {
                return "child";
            }
            child.set(node.get().runs.start(Tale.class, "child"));
            if (inAStep) {
                return run.step("await", String.class, () -> child.get().await(SOON));
            }
            return child.get().await(SOON);
        })));

        RunHandle<String> parent = node.get().runs.start(Tale.class, "parent");

        assertThatThrownBy(() -> parent.await(SOON))
                .isInstanceOf(RunNotCompletedException.class)
                .hasMessageContaining("the wait would occupy a slot (saga.runs.concurrency)")
                .hasMessageContaining("RunContext.awaitSignal");
        assertThat(node.get().runs.find(child.get().id())).isPresent();
    }

    @Test
    void aRunMayCheckWithoutWaitingWhetherAnotherRunHasEnded() throws Exception {
        AtomicReference<RunNode> node = new AtomicReference<>();
        Tale tale = new Tale("tale", (run, input) -> {
            if (input.equals("child")) {
                return run.awaitSignal("said", String.class);
            }
            return run.step("look", String.class, () -> {
                RunId child = node.get().runs.start(Tale.class, "child").id();
                return String.valueOf(node.get().runs.awaitEnd(child, Duration.ZERO));
            });
        });
        node.set(node(1, tale));

        assertThat(node.get().runs.start(Tale.class, "parent").await(SOON)).isEqualTo("false");
    }

    /** A web tier may leave the work to other nodes. */
    @Test
    void aNodeWithoutSlotsStartsSignalsAndAwaitsRunsOfOtherNodes() throws Exception {
        Tale tale = new Tale("tale", (run, input) -> run.awaitSignal("said", String.class));
        RunNode web = node(0, tale);
        RunHandle<String> run = web.runs.start(Tale.class, "");
        assertThat(web.engine.resume(run.id())).isEqualTo(RunState.PENDING);
        assertThat(web.engine.sweep()).isZero();

        RunNode worker = node(1, tale);
        assertThat(web.runs.signal(run.id(), "said", "hello")).isEqualTo(SignalResult.ACCEPTED);

        assertThat(run.await(SOON)).isEqualTo("hello");
        assertThat(web.runs.find(run.id()).orElseThrow().state()).isEqualTo(RunState.COMPLETED);
        assertThat(web.events).doesNotContain(RunEvent.PICKED_UP);
        assertThat(worker.events).contains(RunEvent.PICKED_UP);
    }

    @Test
    void aRunThatAwaitsASignalFromItsChildOccupiesNoSlot() throws Exception {
        AtomicReference<RunNode> node = new AtomicReference<>();
        node.set(node(1, new Tale("tale", (run, input) -> {
            if (!input.equals("parent")) {
                run.step("tell", () -> node.get().runs.signal(RunId.of(input), "ended", input, "child"));
                return "child";
            }
            run.step("start", () -> {
                RunHandle<String> unused = node.get()
                        .runs
                        .start(
                                Tale.class,
                                run.runId().toString(),
                                RunOptions.withKey(run.runId().toString()));
            });
            return run.awaitSignal("ended", String.class);
        })));

        assertThat(node.get().runs.start(Tale.class, "parent").await(SOON)).isEqualTo("child");
    }

    private static void insertWithoutCommit(Connection holder) throws SQLException {
        holder.setAutoCommit(false);
        try (PreparedStatement insert = holder.prepareStatement(
                "INSERT INTO saga_run (id, run, start_key, state, format, input, started_at) VALUES (?, 'tale', 'one', 'failed', 'json', '', now())")) {
            insert.setObject(1, RunId.next().value());
            assertThat(insert.executeUpdate()).isOne();
        }
    }

    private static void awaitWaiting(int callers) {
        await().atMost(SOON).until(() -> LockWaits.in(jdbc) == callers);
    }

    /** Each caller has reserved a slot, and then waits for the transaction that has inserted the key. */
    @Test
    void startsThatWaitForAKeyLeaveTheSlotsToOtherRuns() throws Exception {
        RunNode node = node(SLOTS, new Tale("tale", (run, input) -> input));
        ExecutorService callers = Executors.newFixedThreadPool(SLOTS);
        try (Connection holder = connections.getConnection()) {
            insertWithoutCommit(holder);
            List<Future<RunHandle<String>>> starts = new ArrayList<>();
            for (int caller = 0; caller < SLOTS; caller++) {
                starts.add(callers.submit(() -> node.runs.start(Tale.class, "with a key", RunOptions.withKey("one"))));
            }
            awaitWaiting(SLOTS);

            assertThat(node.runs.start(Tale.class, "another").await(Duration.ofSeconds(10)))
                    .isEqualTo("another");

            holder.rollback();
            for (Future<RunHandle<String>> start : starts) {
                assertThat(start.get(15, TimeUnit.SECONDS).await(SOON)).isEqualTo("with a key");
            }
        } finally {
            callers.shutdownNow();
        }
        assertThat(jdbc.sql("SELECT count(*) FROM saga_run")
                        .query(Integer.class)
                        .single())
                .isEqualTo(2);
    }

    /**
     * Another run takes the slot of the waiting start. The started run begins when a slot becomes free, as if no node
     * had picked it up yet.
     */
    @Test
    void aStartedRunBeginsLaterIfAnotherRunTookItsSlot() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        RunNode node = node(1, new Tale("tale", (run, input) -> {
            if (input.equals("another")) {
                entered.countDown();
                assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
            }
            return input + " " + run.mayHaveBegun();
        }));
        ExecutorService callers = Executors.newFixedThreadPool(1);
        try (Connection holder = connections.getConnection()) {
            insertWithoutCommit(holder);
            Future<RunHandle<String>> late =
                    callers.submit(() -> node.runs.start(Tale.class, "late", RunOptions.withKey("one")));
            awaitWaiting(1);
            RunHandle<String> another = node.runs.start(Tale.class, "another");
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

            holder.rollback();
            RunHandle<String> started = late.get(15, TimeUnit.SECONDS);
            await().atMost(SOON)
                    .until(() -> node.runs.find(started.id()).orElseThrow().state() == RunState.WAITING);
            end.countDown();

            assertThat(started.await(SOON)).isEqualTo("late false");
            assertThat(another.await(SOON)).isEqualTo("another false");
        } finally {
            callers.shutdownNow();
        }
    }
}
