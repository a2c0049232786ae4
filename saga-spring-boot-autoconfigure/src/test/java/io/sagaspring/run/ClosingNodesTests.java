package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that is shutting down completes its current steps and leaves its runs to other nodes. */
class ClosingNodesTests extends RunsOnPostgres {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClosingNodeEndsItsCurrentStepAndLeavesTheNextStepToAnotherNode(boolean transactional) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        RunNode closing = added(RunNode.on(schema, connections, "closing")
                .grace(Duration.ofMinutes(1))
                .tales(tale((run, input) -> {
                    run.step("one", () -> {
                        entered.countDown();
                        ends.await();
                        effect("one");
                    });
                    return next(run, transactional, "two, by the closing node");
                })));
        RunHandle<String> handle = closing.opened().runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        Thread closer = new Thread(closing.engine::close);
        closer.start();
        // The thread is in this state only while it waits for runs in progress.
        await().atMost(SOON).until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        assertThat(effects).isEmpty();
        ends.countDown();
        closer.join(SOON.toMillis());
        assertThat(closer.isAlive()).isFalse();
        assertThat(effects).containsExactly("one");
        // The event follows the release of the slot, and the close has waited only for that release.
        awaitEvent(closing, RunEvent.LEFT);

        RunNode next = node(tale((run, input) -> {
            run.step("one", () -> effect("one again"));
            return next(run, transactional, "two, by the next");
        }));
        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("two, by the next");
        assertThat(effects).containsExactly("one", "two, by the next");
        assertThat(next.runs.find(handle.id()).orElseThrow().attempt()).isOne();
    }

    @Test
    void aClosingNodeWithoutAFreeSlotWaitsForItsStepsToEnd() throws Exception {
        CountDownLatch entered = new CountDownLatch(4);
        CountDownLatch ends = new CountDownLatch(1);
        RunNode closing = added(RunNode.on(schema, connections, "full")
                .grace(Duration.ofMinutes(1))
                .tales(tale((run, input) -> {
                    run.step("slow", () -> {
                        entered.countDown();
                        ends.await();
                        effect("ended");
                    });
                    return "";
                })));
        closing.engine.stop();
        for (int each = 0; each < 5; each++) {
            closing.runs.start(Tale.class, "");
        }
        // The node picks up four runs, looks for more, and has no slot for the fifth.
        closing.opened();
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(closing.engine::close);
        assertThatThrownBy(() -> closed.get(1_500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(effects).isEmpty();
        ends.countDown();

        assertThat(closed).succeedsWithin(SOON);
        assertThat(effects).containsExactly("ended", "ended", "ended", "ended");
    }

    @Test
    void aClosedNodePicksUpNoRun() {
        RunNode closed = node(tale((run, input) -> run.step("one", String.class, () -> effect("one"))));
        closed.engine.close();
        RunId id = closed.runs.start(Tale.class, "").id();

        assertThat(closed.engine.sweep()).isZero();

        assertThat(stateOf(closed, id)).isEqualTo(RunState.PENDING);
    }

    private String next(RunContext run, boolean transactional, String what) {
        return transactional
                ? run.transactionalStep("two", String.class, () -> effect(what))
                : run.step("two", String.class, () -> effect(what));
    }

    @Test
    void aClosingNodeWritesItsResultsAndHandsOverItsRuns() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            if (entered.getCount() > 0) {
                entered.countDown();
                new CountDownLatch(1).await();
            }
            run.step("two", () -> effect("two"));
            return "done";
        };
        RunNode closing = node(tale(code));
        RunHandle<String> handle = closing.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        closing.engine.close();
        RunNode next = node(tale(code));

        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one", "two");
        assertThat(next.runs.find(handle.id()).orElseThrow().attempt()).isOne();
    }
}
