package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A journaled step is not executed again. A step that is not journaled is executed again, whichever node executes the
 * run.
 */
class RunsTests extends RunsOnPostgres {

    @Test
    void randomNumbersStayTheSameAfterAStepIsReplayed() throws Exception {
        RunNode node = node(tale((run, input) -> {
            int inside =
                    run.step(Step.of("draw"), Integer.class, () -> run.random().nextInt());
            effect(inside + " " + run.random().nextInt());
            run.sleep("nap", Duration.ofMillis(1));
            return "done";
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");

        assertThat(effects).hasSize(2);
        assertThat(effects.get(1)).isEqualTo(effects.get(0));
    }

    @Test
    void theContextOfACompletedRunRefusesFurtherSteps() {
        List<RunContext> contexts = new CopyOnWriteArrayList<>();
        RunNode node = node(tale((run, input) -> {
            contexts.add(run);
            if (contexts.size() > 1) {
                contexts.get(0).step(input, () -> effect(input));
            }
            return "done";
        }));
        RunId first = node.runs.start(Tale.class, "first").id();
        awaitEvent(node, RunEvent.COMPLETED);

        // One of these runs is executed on the thread that executed the first run.
        for (int later = 0; later < 10; later++) {
            awaitState(node, node.runs.start(Tale.class, "later " + later).id(), RunState.FAILED);
        }

        assertThat(stateOf(node, first)).isEqualTo(RunState.COMPLETED);
        assertThat(effects).isEmpty();
    }

    @Test
    void theContextOfARunThatLostItsLeaseRefusesFurtherSteps() {
        List<RunContext> contexts = new CopyOnWriteArrayList<>();
        RunNode node = added(RunNode.on(schema, connections, "node").inline().tales(tale((run, input) -> {
            contexts.add(run);
            run.step(
                    "one",
                    () -> jdbc.sql("UPDATE saga_run SET token = token + 1").update());
            run.step("two", () -> effect("two"));
            return "done";
        })));
        node.runs.start(Tale.class, "");
        node.engine.sweep();

        assertThatThrownBy(() -> contexts.get(0).step("three", () -> effect("three")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Do not store it");
        assertThat(effects).isEmpty();
    }

    @Test
    void aRunReturnsWhatItsCodeReturns() throws Exception {
        RunNode node = node(tale((run, input) -> {
            String one = run.step("one", String.class, () -> effect(input + " one"));
            String two = run.transactionalStep("two", String.class, () -> effect(one + " two"));
            run.step("three", () -> effect(two + " three"));
            return two;
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "zero");

        assertThat(handle.await(SOON)).isEqualTo("zero one two");
        assertThat(effects).containsExactly("zero one", "zero one two", "zero one two three");
        assertThat(node.runs.find(handle.id()).orElseThrow().steps())
                .extracting(RunView.StepView::step)
                .containsExactly("one", "two", "three");
        awaitEvents(node, RunEvent.STARTED, RunEvent.COMPLETED);
    }

    @Test
    void aJournaledStepIsNotExecutedAgain() throws Exception {
        AtomicInteger executions = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            run.transactionalStep("two", () -> effect("two"));
            run.step("three", () -> {
                if (executions.incrementAndGet() == 1) {
                    hangs.await();
                }
                effect("three");
            });
            return "done";
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> executions.get() == 1);
        RunNode alive = node(tale(code));

        endLease(id);

        assertThat(alive.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");
        hangs.countDown();
        await().atMost(SOON).until(() -> dead.events.contains(RunEvent.LEFT));
        assertThat(effects.stream().filter(each -> !each.equals("three"))).containsExactly("one", "two");
        assertThat(stateOf(alive, id)).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void aFailureThatTheCodeHasCaughtIsReplayed() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            String how;
            try {
                how = run.step("one", String.class, () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("declined");
                    }
                    return "paid";
                });
            } catch (StepFailedException failed) {
                how = failed.step() + " failed";
            }
            run.sleep("pause", Duration.ofMillis(1));
            return how;
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("one failed");
        assertThat(tries).hasValue(1);
    }

    @Test
    void aKeyIdentifiesOneRun() throws Exception {
        RunNode node = node(tale((run, input) -> input));

        RunHandle<String> first = node.runs.start(Tale.class, "first", RunOptions.withKey("k"));
        RunHandle<String> second = node.runs.start(Tale.class, "second", RunOptions.withKey("k"));

        assertThat(first.isNew()).isTrue();
        assertThat(second.isNew()).isFalse();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.await(SOON)).isEqualTo("first");
    }

    @Test
    void aRunDoesNotStartIfItsCallerRollsBack() throws Exception {
        RunNode node = node(tale((run, input) -> effect(input)));
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(connections));

        RunId rolledBack = transaction.execute(status -> {
            status.setRollbackOnly();
            return node.runs.start(Tale.class, "rolled back").id();
        });
        RunHandle<String> committed = transaction.execute(status -> node.runs.start(Tale.class, "committed"));

        assertThat(committed.await(SOON)).isEqualTo("committed");
        assertThat(node.runs.find(rolledBack)).isEmpty();
        assertThat(effects).containsExactly("committed");
    }

    @Test
    void theMessageAboutAStepNameThatIsUsedTwiceProposesAnotherName() {
        RunNode node = node(tale((run, input) -> {
            run.step("mail", () -> {});
            run.step("mail", () -> {});
            return "";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("Step.of(\"mail\", invoice.id())");
    }

    @Test
    void theIdempotencyKeyOfAStepExistsOnlyInsideTheStep() throws Exception {
        RunNode node = node(tale((run, input) -> {
            try {
                run.idempotencyKey();
            } catch (IllegalStateException outside) {
                effect("refused");
            }
            return run.step(Step.of("mail", 7), String.class, run::idempotencyKey);
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo(handle.id() + ":mail:7");
        assertThat(effects).containsExactly("refused");
    }

    @Test
    void aRunContinuesWhenItsCallerStopsWaiting() {
        CountDownLatch hangs = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("slow", () -> hangs.await());
            return "";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(Duration.ofMillis(50)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("has not ended after 50 ms. The run is not affected");
        hangs.countDown();

        awaitState(node, handle.id(), RunState.COMPLETED);
    }
}
