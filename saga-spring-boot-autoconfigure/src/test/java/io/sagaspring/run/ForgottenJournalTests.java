package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests runs after the database has lost committed entries during a step. A failover to a lagging replica can cause
 * this.
 */
class ForgottenJournalTests extends RunsOnPostgres {

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch forgotten = new CountDownLatch(1);
    private final AtomicInteger executions = new AtomicInteger();

    private RunNode node(Tale.Code code) {
        RunNode node = RunNode.on(schema, connections, "node-" + nodes.size())
                .tales(new Tale("tale", code))
                .build()
                .opened();
        nodes.add(node);
        return node;
    }

    private void pause() throws InterruptedException {
        entered.countDown();
        assertThat(forgotten.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private void forget(RunId id, int from) throws InterruptedException {
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        jdbc.sql("DELETE FROM saga_step WHERE run_id = ? AND position >= ?")
                .params(id.value(), from)
                .update();
        forgotten.countDown();
    }

    private static List<Integer> positions(RunId id) {
        return jdbc.sql("SELECT position FROM saga_step WHERE run_id = ? ORDER BY position")
                .param(id.value())
                .query(Integer.class)
                .list();
    }

    private static List<Integer> positionsTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @ExpectsErrors("the database has lost entries of its journal")
    void aRunContinuesFromTheEntriesThatTheDatabaseStillHas(int from) throws Exception {
        RunNode node = node((run, input) -> {
            boolean isFirst = executions.incrementAndGet() == 1;
            for (int step = 0; step < 3; step++) {
                int number = step;
                run.step("step-" + step, () -> effects.add("step-" + number));
            }
            run.step("long", () -> {
                if (isFirst) {
                    pause();
                }
                effects.add("long");
            });
            run.step("last", () -> effects.add("last"));
            return "done";
        });
        RunHandle<String> run = node.runs.start(Tale.class, "");

        forget(run.id(), from);
        Passing.pauseOf(run.id(), jdbc);

        assertThat(run.await(SOON)).isEqualTo("done");
        assertThat(positions(run.id())).isEqualTo(positionsTo(5));
        assertThat(executions).hasValue(2);
        assertThat(effects).startsWith("step-0", "step-1", "step-2", "long").endsWith("long", "last");
    }

    /** Entries that need not be durable immediately are written together with a later entry. */
    @Test
    @ExpectsErrors("the database has lost entries of its journal")
    void aWriteOfSeveralEntriesLeavesNoGapInTheJournal() throws Exception {
        RunNode node = node((run, input) -> {
            boolean isFirst = executions.incrementAndGet() == 1;
            run.step("one", () -> effects.add("one"));
            run.step("two", () -> effects.add("two"));
            run.step("long", () -> {
                if (isFirst) {
                    pause();
                }
            });
            assertThat(run.now()).isNotNull();
            assertThat(run.now()).isNotNull();
            run.sleep("pause", Duration.ofMillis(1));
            return "done";
        });
        RunHandle<String> run = node.runs.start(Tale.class, "");

        forget(run.id(), 1);
        Passing.pauseOf(run.id(), jdbc);

        assertThat(run.await(SOON)).isEqualTo("done");
        assertThat(positions(run.id())).isEqualTo(positionsTo(6));
    }

    /**
     * Only the end of the run remains to be written. If the run completed now, the lost writes would be missing
     * forever.
     */
    @Test
    @ExpectsErrors("the database has lost entries of its journal")
    void aRunRepeatsItsLastTransactionIfTheDatabaseLostIt() throws Exception {
        jdbc.sql("CREATE TABLE IF NOT EXISTS effect (what text PRIMARY KEY)").update();
        jdbc.sql("TRUNCATE effect").update();
        RunNode node = node((run, input) -> {
            run.transactionalStep(
                    "pay", () -> jdbc.sql("INSERT INTO effect VALUES ('paid')").update());
            if (executions.incrementAndGet() == 1) {
                pause();
            }
            return "done";
        });
        RunHandle<String> run = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        jdbc.sql("TRUNCATE effect").update();

        forget(run.id(), 0);
        Passing.pauseOf(run.id(), jdbc);

        assertThat(run.await(SOON)).isEqualTo("done");
        assertThat(jdbc.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE saga_run SET token = token - 1, node = 'another' WHERE id = ?",
                "DELETE FROM saga_run WHERE id = ?"
            })
    void aNodeAbandonsARunWhoseRowIsGoneOrHasAnOlderToken(String forgetting) throws Exception {
        RunNode node = node((run, input) -> {
            run.step("one", () -> effects.add("one"));
            run.step("long", this::pause);
            run.step("last", () -> effects.add("last"));
            return "done";
        });
        RunHandle<String> run = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        jdbc.sql(forgetting).param(run.id().value()).update();

        forget(run.id(), 0);

        await().atMost(SOON).until(() -> node.events.contains(RunEvent.LEFT));
        assertThat(positions(run.id())).isEmpty();
        assertThat(effects).containsExactly("one");
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aGapInTheJournalBlocksTheRunUntilTheLaterEntriesAreDeleted() throws Exception {
        RunNode node = node((run, input) -> {
            run.step("one", () -> effects.add("one"));
            run.step("two", () -> effects.add("two"));
            if (executions.incrementAndGet() == 1) {
                run.step("wait", this::pause);
            } else {
                run.step("wait", () -> {});
            }
            run.sleep("pause", Duration.ofMillis(1));
            return "done";
        });
        RunHandle<String> run = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        jdbc.sql(
                        "INSERT INTO saga_step SELECT run_id, 5, 'late', call, mark, format, payload, detail, until, token, at FROM saga_step WHERE run_id = ? AND position = 0")
                .param(run.id().value())
                .update();
        forget(run.id(), 6);

        await().atMost(SOON).until(() -> node.runs.find(run.id()).orElseThrow().state() == RunState.BLOCKED);
        assertThat(node.runs.find(run.id()).orElseThrow().error())
                .contains("The journal has a gap: position 4 is missing, and position 5 exists")
                .contains("In saga_step, delete this run's entries from position 4 on");

        jdbc.sql("DELETE FROM saga_step WHERE run_id = ? AND position >= 4")
                .param(run.id().value())
                .update();
        assertThat(node.runs.retry(run.id())).isTrue();
        assertThat(run.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one", "two");
    }
}
