package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A run whose journal does not fit its code is blocked until the journal fits. A run that kills its nodes is parked. */
class BlockedRunsTests extends RunsOnPostgres {

    @Test
    @ExpectsErrors("Blocked run")
    void aBlockedRunIsNotParkedHoweverOftenItIsPickedUp() throws Exception {
        Tale.Code code = (run, input) -> run.awaitSignal("go", String.class);
        Tale tale = tale(code);
        RunNode node = node(tale);
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);
        tale.becomes((run, input) -> run.step("renamed", String.class, () -> effect("renamed")));
        node.runs.signal(handle.id(), "go", "went");
        awaitState(node, handle.id(), RunState.BLOCKED);

        await().atMost(SOON).until(() -> {
            RunState unused = node.engine.resume(handle.id());
            return count(node, RunEvent.PICKED_UP) > 6 || stateOf(node, handle.id()) == RunState.PARKED;
        });
        tale.becomes(code);
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("went");
        assertThat(node.events).doesNotContain(RunEvent.PARKED);
    }

    /** During a deployment or a rollback, nodes of two versions run at the same time. */
    @Test
    @ExpectsErrors("Blocked run")
    void aJournalOfALaterVersionBlocksOnlyItsOwnRun() throws Exception {
        Tale tale = tale((run, input) -> run.awaitSignal("go", String.class));
        RunNode node = node(tale);
        RunHandle<String> call = node.runs.start(Tale.class, "");
        RunHandle<String> mark = node.runs.start(Tale.class, "");
        RunHandle<String> readable = node.runs.start(Tale.class, "");
        Stream.of(call, mark, readable).forEach(each -> awaitState(node, each.id(), RunState.WAITING));
        jdbc.sql("UPDATE saga_step SET call = 'FORK' WHERE run_id = ?")
                .param(call.id().value())
                .update();
        jdbc.sql("UPDATE saga_step SET mark = 'FORKED' WHERE run_id = ?")
                .param(mark.id().value())
                .update();

        Stream.of(call, mark, readable).forEach(each -> node.runs.signal(each.id(), "go", "went"));

        assertThat(readable.await(SOON)).isEqualTo("went");
        awaitState(node, call.id(), RunState.BLOCKED);
        awaitState(node, mark.id(), RunState.BLOCKED);
        assertThat(node.runs.find(call.id()).orElseThrow().error()).contains("a later version");
        jdbc.sql("UPDATE saga_step SET call = 'SIGNAL', mark = 'WAITING' WHERE position = 0")
                .update();
        await().atMost(SOON).until(() -> {
            node.engine.resume(call.id());
            return stateOf(node, call.id()) == RunState.COMPLETED;
        });
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunThatALaterVersionStoppedInAnUnknownWayIsBlocked() {
        RunNode node = node(tale((run, input) -> {
            run.awaitSignal("go", String.class);
            return run.step("two", String.class, () -> effect("two"));
        }));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);
        jdbc.sql("UPDATE saga_step SET call = 'STOP', mark = 'PAUSED' WHERE run_id = ?")
                .param(id.value())
                .update();

        node.runs.signal(id, "go", "went");

        awaitState(node, id, RunState.BLOCKED);
    }

    @Test
    @ExpectsErrors("Blocked run")
    void changedCodeBlocksTheRunUntilTheCodeFitsTheJournal() throws Exception {
        AtomicInteger executions = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> {
                if (executions.incrementAndGet() == 1) {
                    hangs.await();
                }
            });
            return "done";
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> executions.get() == 1);
        Tale changed = tale((run, input) -> {
            run.step("renamed", () -> effect("renamed"));
            return "done";
        });
        dead.engine.stop();
        RunNode next = node(changed);

        endLease(id);
        awaitState(next, id, RunState.BLOCKED);
        assertThat(next.runs.find(id).orElseThrow().error())
                .contains("'renamed'")
                .contains("'one'");
        assertThat(effects).containsExactly("one");
        changed.becomes(code);
        Passing.pauseOf(id, jdbc);

        assertThat(next.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");
        hangs.countDown();
    }

    @Test
    @ExpectsErrors("Parked run")
    void aRunThatKillsItsNodesIsParked() {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Tale.Code code = (run, input) -> {
            run.step("poison", () -> {
                begun.incrementAndGet();
                hangs.await();
            });
            return "survived";
        };
        RunNode node = node(tale(code));
        RunId id = node.runs.start(Tale.class, "").id();
        for (int death = 1; death <= 3; death++) {
            int deaths = death;
            await().atMost(SOON).until(() -> begun.get() == deaths);
            endLease(id);
        }

        awaitState(node, id, RunState.PARKED);
        await().atMost(SOON).until(() -> node.events.contains(RunEvent.PARKED));
        hangs.countDown();
        assertThat(begun).hasValue(3);
    }
}
