package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.queue.NoSuchQueueException;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests nodes that execute runs of queues. */
class QueuedRunsTests extends RunsOnPostgres {

    private static final RunOptions PSP = RunOptions.none().in("psp");

    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger inside = new AtomicInteger();

    private RunNode.Builder builder(RunQueue queue, Tale... tales) {
        return RunNode.on(schema, connections, "node-" + nodes.size())
                .queues(queue)
                .tales(tales);
    }

    private RunNode node(RunQueue queue, Tale... tales) {
        return added(builder(queue, tales)).opened();
    }

    private Tale gated() {
        return tale((run, input) -> run.step("wait", String.class, () -> {
            int unused = inside.incrementAndGet();
            gate.await();
            return effect(input);
        }));
    }

    @Test
    void theRunsOfAKeyInAQueueAreExecutedInTheOrderOfTheirStarts() throws Exception {
        RunNode node = node(RunQueue.named("psp").atOnce(4).atOnceForEach(1), tale((run, input) -> effect(input)));
        List<RunHandle<String>> started = new ArrayList<>();
        for (int each = 0; each < 20; each++) {
            started.add(node.runs.start(Tale.class, "run-%02d".formatted(each), PSP.of("tenant")));
        }
        for (RunHandle<String> each : started) {
            assertThat(each.await(SOON)).startsWith("run-");
        }

        assertThat(effects).isSorted().hasSize(20);
    }

    @Test
    void twoNodesTogetherExecuteNoMoreRunsThanTheLimit() throws Exception {
        RunQueue queue = RunQueue.named("psp").atOnce(3);
        RunNode one = node(queue, gated());
        RunNode other = node(queue, gated());
        List<RunHandle<String>> started = IntStream.range(0, 8)
                .mapToObj(each -> (each % 2 == 0 ? one : other).runs.start(Tale.class, "run-" + each, PSP))
                .toList();
        await().atMost(SOON).until(() -> inside.get() == 3);
        await().during(Duration.ofMillis(300)).atMost(SOON).until(() -> inside.get() == 3);
        assertThat(one.runs.queue("psp").depth())
                .satisfies(depth -> assertThat(depth.inUse()).isEqualTo(3))
                .satisfies(depth -> assertThat(depth.waiting()).isEqualTo(5));

        gate.countDown();

        for (RunHandle<String> each : started) {
            assertThat(each.await(SOON)).startsWith("run-");
        }
        await().atMost(SOON).until(() -> one.runs.queue("psp").depth().inUse() == 0);
    }

    @Test
    void aRunOfAQueueHasLabelsFromItsStartToItsEnd() throws Exception {
        RunQueue queue = RunQueue.named("psp").atOnce(1);
        RunNode node = node(queue, tale((run, input) -> {
            run.step("wait", () -> gate.await());
            run.label("phase", "over");
            return input;
        }));
        RunHandle<String> first = node.runs.start(Tale.class, "one", PSP.andLabel("customer", "1"));
        RunHandle<String> second = node.runs.start(Tale.class, "two", PSP.andLabel("customer", "1"));
        RunQuery query = node.runs.queryOf(Tale.class).withLabel("customer", "1");
        assertThat(node.runs.list(query)).extracting(RunView::id).containsExactlyInAnyOrder(first.id(), second.id());

        gate.countDown();

        assertThat(second.await(SOON)).isEqualTo("two");
        assertThat(first.await(SOON)).isEqualTo("one");
        assertThat(node.runs.count(query.withLabel("phase", "over"))).isEqualTo(new RunCount(2, false));
    }

    private static final class Quick implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            return input;
        }
    }

    /** All slots for runs of queues are in use, and the queue has a backlog. */
    @Test
    void aBacklogInAQueueDelaysNoRunWithoutAQueue() throws Exception {
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .queues(RunQueue.named("psp").atOnce(100))
                        .beans(List.of(gated(), new Quick())))
                .opened();
        for (int each = 0; each < 30; each++) {
            RunHandle<String> unused = node.runs.start(Tale.class, "run-" + each, PSP);
        }
        await().atMost(SOON).until(() -> inside.get() == 4);

        RunHandle<String> quick =
                Objects.requireNonNull(transaction.execute(status -> node.runs.start(Quick.class, "quick")));

        assertThat(quick.await(SOON)).isEqualTo("quick");
        gate.countDown();
    }

    @Test
    void aSuspendedRunLetsTheNextRunOfItsQueueBegin() throws Exception {
        RunNode node = node(RunQueue.named("psp").atOnce(1), tale((run, input) -> {
            String unused = run.step("first", String.class, () -> effect("first " + input));
            if (input.equals("a")) {
                String unusedSignal = run.awaitSignal("go", String.class);
            }
            return run.step("second", String.class, () -> effect("second " + input));
        }));
        RunHandle<String> a = node.runs.start(Tale.class, "a", PSP);
        RunHandle<String> b = node.runs.start(Tale.class, "b", PSP);

        assertThat(b.await(SOON)).isEqualTo("second b");
        assertThat(node.runs.signal(a.id(), "go", "go")).isEqualTo(SignalResult.ACCEPTED);
        assertThat(a.await(SOON)).isEqualTo("second a");
        assertThat(effects).containsExactly("first a", "first b", "second b", "second a");
    }

    @Test
    void aRunContinuesWithItsPermitAfterItsNodeHasDied() throws Exception {
        RunQueue queue = RunQueue.named("psp").atOnce(1);
        RunNode dying = node(queue, gated());
        RunHandle<String> first = dying.runs.start(Tale.class, "first", PSP);
        RunHandle<String> second = dying.runs.start(Tale.class, "second", PSP);
        await().atMost(SOON).until(() -> inside.get() == 1);
        dying.engine.stop();
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE node IS NOT NULL")
                .update();

        RunNode heir = node(queue, tale((run, input) -> effect("heir " + input)));

        assertThat(heir.runs.handle(first.id(), Tale.class).await(SOON)).isEqualTo("heir first");
        assertThat(heir.runs.handle(second.id(), Tale.class).await(SOON)).isEqualTo("heir second");
        gate.countDown();
    }

    @Test
    void aPausedQueueBeginsNoRunUntilTheQueueIsResumed() throws Exception {
        RunNode node = node(RunQueue.named("psp").atOnce(2), tale((run, input) -> effect(input)));
        QueueControl psp = node.runs.queue("psp");
        assertThat(psp.pause("maintenance", "ada")).isTrue();
        RunHandle<String> waiting = node.runs.start(Tale.class, "waiting", PSP);
        await().during(Duration.ofMillis(300))
                .atMost(SOON)
                .until(() -> stateOf(node, waiting.id()) == RunState.PENDING);

        assertThat(psp.resume("ada")).isTrue();

        assertThat(waiting.await(SOON)).isEqualTo("waiting");
    }

    @Test
    void aRunWhoseDeadlinePassesInItsQueueIsStoppedWhenItBegins() {
        RunNode node = node(RunQueue.named("psp").atOnce(1), tale((run, input) -> {
            run.step("never", () -> effect(input));
            return input;
        }));
        QueueControl psp = node.runs.queue("psp");
        assertThat(psp.pause("maintenance", "ada")).isTrue();
        RunHandle<String> late = node.runs.start(Tale.class, "late", PSP.andWithin(Duration.ofHours(1)));
        jdbc.sql("UPDATE saga_run SET deadline_at = clock_timestamp()").update();

        assertThat(psp.resume("ada")).isTrue();

        awaitState(node, late.id(), RunState.FAILED);
        assertThat(effects).isEmpty();
    }

    @Test
    void changedLimitsApplyImmediately() {
        RunNode node = node(RunQueue.named("psp").atOnce(1), gated());
        for (int each = 0; each < 4; each++) {
            RunHandle<String> unused = node.runs.start(Tale.class, "run-" + each, PSP);
        }
        await().atMost(SOON).until(() -> inside.get() == 1);

        node.runs.queue("psp").limits(QueueLimits.atOnce(3), "more", "ada");

        await().atMost(SOON).until(() -> inside.get() == 3);
        gate.countDown();
    }

    @Test
    void aRunThatIsCancelledBeforeItBeginsEndsAndIsReported() {
        RunNode node = node(RunQueue.named("psp").atOnce(1), gated());
        RunHandle<String> executing = node.runs.start(Tale.class, "executing", PSP);
        RunHandle<String> waiting = node.runs.start(Tale.class, "waiting", PSP);
        await().atMost(SOON).until(() -> inside.get() == 1);

        assertThat(node.runs.cancel(waiting.id(), "no longer needed")).isTrue();

        assertThatThrownBy(() -> waiting.await(SOON))
                .isInstanceOf(RunNotCompletedException.class)
                .hasMessageContaining("no longer needed");
        awaitEvent(node, RunEvent.CANCELLED);
        assertThat(stateOf(node, executing.id())).isEqualTo(RunState.RUNNING);
        gate.countDown();
    }

    @Test
    void aRunStartedInATransactionEntersTheQueueOnlyAfterTheCommit() throws Exception {
        RunNode node = node(RunQueue.named("psp").atOnce(1), tale((run, input) -> effect(input)));

        RunHandle<String> started = transaction.execute(status -> {
            RunHandle<String> inside = node.runs.start(Tale.class, "committed", PSP);
            assertThat(node.runs.queue("psp").depth().waiting()).isZero();
            return inside;
        });
        transaction.executeWithoutResult(status -> {
            RunHandle<String> unused = node.runs.start(Tale.class, "rolled back", PSP);
            status.setRollbackOnly();
        });

        assertThat(Objects.requireNonNull(started).await(SOON)).isEqualTo("committed");
        assertThat(effects).containsExactly("committed");
    }

    @Test
    void theExceptionAboutAnUnknownQueueNamesTheRemedy() {
        RunNode node = node(RunQueue.named("psp").atOnce(1), gated());

        assertThatThrownBy(() ->
                        node.runs.start(Tale.class, "input", RunOptions.none().in("pspp")))
                .isInstanceOf(NoSuchQueueException.class)
                .hasMessage(
                        "There is no queue 'pspp'. This application declares the queues [psp]. Declare a RunQueue bean or saga.runs.queues.pspp.");
        assertThatThrownBy(() -> node.runs.queue("pspp")).isInstanceOf(NoSuchQueueException.class);
        RunNode without = quietNode(gated());
        assertThatThrownBy(() -> without.runs.start(Tale.class, "input", PSP)).isInstanceOf(NoSuchQueueException.class);
        assertThat(jdbc.sql("SELECT count(*) FROM saga_run").query(Long.class).single())
                .isZero();
    }

    /** Otherwise a node could execute waiting runs of the queue without permits, as runs of this code. */
    @Test
    void theNameOfARunMustNotBeginWithThePrefixOfQueueLanes() {
        assertThatThrownBy(() -> new RunCatalog(List.of(new Tale("queue:psp", (run, input) -> input))))
                .isInstanceOf(InvalidRunsException.class)
                .hasMessageContaining(
                        "has the name 'queue:psp'. Names that begin with 'queue:' are reserved for queues.");
    }

    @Test
    void keysAndPrioritiesOfRunsInQueuesAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.none().of("tenant"))
                .withMessage("of(…) has no effect without a queue. Call in(\"…\") before it.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.none().urgent(1))
                .withMessageStartingWith("urgent(…) has no effect without a queue.");
        assertThatIllegalArgumentException().isThrownBy(() -> PSP.urgent(101)).withMessageContaining("-100 to 100");
        assertThatThrownBy(() -> PSP.of("k".repeat(501))).isInstanceOf(InvalidNameException.class);
        assertThatThrownBy(() -> PSP.of("a\0b")).isInstanceOf(InvalidNameException.class);
        assertThatThrownBy(() -> PSP.of(" ")).isInstanceOf(InvalidNameException.class);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aChangedDeclarationReplacesAnOperatorsLimitsAndIsLogged(CapturedOutput output) {
        RunNode before = node(RunQueue.named("psp").atOnce(50), gated());
        before.runs.queue("psp").limits(QueueLimits.atOnce(10), "slow", "ada");

        RunNode same = node(RunQueue.named("psp").atOnce(50), gated());
        assertThat(same.runs.queue("psp").depth().limits()).isEqualTo(QueueLimits.atOnce(10));
        RunNode after = node(RunQueue.named("psp").atOnce(60), gated());

        assertThat(after.runs.queue("psp").depth().limits()).isEqualTo(QueueLimits.atOnce(60));
        assertThat(output)
                .contains(
                        "Queue 'psp': the application now declares at-once=60. This replaces what an operator had set: at-once=10 by ada");
    }

    /** Without a queue, the node does not search for runs of queues. */
    @Test
    void aNodeWithoutAQueueHasNoThreadForQueues() throws Exception {
        RunNode node = node(tale((run, input) -> effect(input)));
        assertThat(node.runs.start(Tale.class, "input").await(SOON)).isEqualTo("input");

        assertThat(node.engine.queueDepths()).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                .doesNotContain("saga-queues");
    }
}
