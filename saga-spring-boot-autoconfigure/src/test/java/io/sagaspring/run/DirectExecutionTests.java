package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A caller executes a run like a method. */
@Timeout(60)
class DirectExecutionTests extends RunsOnPostgres {

    private static final Duration NO_TIME = Duration.ZERO;

    /** A result that loses a part when it is stored. */
    record Receipt(String number) {

        @Override
        public String number() {
            return number.strip();
        }
    }

    private static final class Checkout implements DurableRun<String, Receipt> {

        private final AtomicReference<Receipt> returned = new AtomicReference<>();

        @Override
        public Receipt run(RunContext run, String input) {
            Receipt receipt = new Receipt(input);
            returned.set(receipt);
            return receipt;
        }
    }

    private RunNode withSlots(int slots, Tale... tales) {
        return added(RunNode.on(schema, connections, "node-" + nodes.size())
                        .slots(slots)
                        .tales(tales))
                .opened();
    }

    private static String threadName() {
        return Thread.currentThread().getName();
    }

    @Test
    void theCallingThreadExecutesTheCode() throws Exception {
        List<String> threads = new ArrayList<>();
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> threads.add(threadName()));
            run.transactionalStep("two", () -> threads.add(threadName()));
            return input + "!";
        }));

        assertThat(node.runs.execute(Tale.class, "hello")).isEqualTo("hello!");

        assertThat(threads).containsExactly(threadName(), threadName());
        awaitEvents(node, RunEvent.STARTED, RunEvent.COMPLETED);
        awaitFreeSlots(node, 4);
        assertThat(node.keeper.holds()).isEmpty();
    }

    @Test
    void withoutAFreeSlotTheCallerWaits() throws Exception {
        List<String> threads = new ArrayList<>();
        Tale tale = tale((run, input) -> {
            run.step("one", () -> threads.add(threadName()));
            return input;
        });
        RunNode web = withSlots(0, tale);
        RunNode worker = withSlots(1, tale);

        assertThat(web.runs.execute(Tale.class, "elsewhere")).isEqualTo("elsewhere");

        assertThat(threads).hasSize(1).doesNotContain(threadName());
        await().atMost(SOON).untilAsserted(() -> assertThat(worker.events).contains(RunEvent.COMPLETED));
    }

    @Test
    void theCallerWaitsWhileTheRunIsSuspendedAndFreesItsSlot() throws Exception {
        List<Integer> free = new ArrayList<>();
        AtomicReference<RunNode> node = new AtomicReference<>();
        node.set(withSlots(1, tale((run, input) -> {
            run.sleep("nap", Duration.ofMillis(100));
            run.step("after", () -> free.add(node.get().engine.freeSlots()));
            return threadName();
        })));

        assertThat(node.get().runs.execute(Tale.class, "")).isNotEqualTo(threadName());

        assertThat(free).containsExactly(0);
        awaitEvents(node.get(), RunEvent.STARTED, RunEvent.SUSPENDED, RunEvent.PICKED_UP, RunEvent.COMPLETED);
        awaitFreeSlots(node.get(), 1);
    }

    @Test
    void afterTheTimeOutTheRunContinues() throws Exception {
        RunNode node = node(tale((run, input) -> run.awaitSignal("word", String.class)));

        RunNotCompletedException late = null;
        try {
            node.runs.execute(Tale.class, "", RunOptions.withKey("o-1"), Duration.ofMillis(50));
        } catch (RunNotCompletedException thrown) {
            late = thrown;
        }

        assertThat(late)
                .isNotNull()
                .hasMessageContaining("has not ended after 50 ms")
                .hasMessageContaining("waiting");
        assertThat(late.state()).isEqualTo(RunState.WAITING);
        node.runs.signal(late.runId(), "word", "go");
        assertThat(node.runs.execute(Tale.class, "", RunOptions.withKey("o-1"), SOON))
                .isEqualTo("go");
    }

    /** The time-out limits the wait. Code on the calling thread is not interrupted, because that would fail its step. */
    @Test
    void aTimeOutDoesNotInterruptTheCode() throws Exception {
        RunNode node = node(tale((run, input) -> run.step("one", String.class, () -> "done")));

        assertThat(node.runs.execute(Tale.class, "", RunOptions.none(), NO_TIME))
                .isEqualTo("done");
        assertThatThrownBy(() -> node.runs.execute(Tale.class, "", RunOptions.none(), Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTimeOutMayBeLongerThanTheClockCanMeasure() throws Exception {
        RunNode node = node(tale((run, input) -> {
            run.sleep("nap", Duration.ofMillis(1));
            return "done";
        }));

        assertThat(node.runs.execute(Tale.class, "", RunOptions.none(), Duration.ofSeconds(Long.MAX_VALUE)))
                .isEqualTo("done");
    }

    @Test
    void aKeyLeadsToTheExistingRun() throws Exception {
        RunNode node = node(tale((run, input) -> input));
        assertThat(node.runs.execute(Tale.class, "first", RunOptions.withKey("one"), SOON))
                .isEqualTo("first");

        assertThat(node.runs.execute(Tale.class, "second", RunOptions.withKey("one"), SOON))
                .isEqualTo("first");

        awaitFreeSlots(node, 4);
    }

    @Test
    void aRunThatBeginsLaterIsAwaited() throws Exception {
        RunNode node = node(tale((run, input) -> threadName()));

        assertThat(node.runs.execute(Tale.class, "", RunOptions.after(Duration.ofMillis(50)), SOON))
                .isNotEqualTo(threadName());
    }

    @Test
    void aFailureIsThrownWithTheRunsIdAndState() {
        RunNode node = node(tale((run, input) -> {
            throw new IllegalStateException("no stock");
        }));

        assertThatThrownBy(() -> node.runs.execute(Tale.class, ""))
                .isInstanceOfSatisfying(RunNotCompletedException.class, failed -> {
                    assertThat(failed.state()).isEqualTo(RunState.FAILED);
                    assertThat(node.runs.find(failed.runId()).orElseThrow().state())
                            .isEqualTo(RunState.FAILED);
                })
                .hasMessageContaining("no stock");
        awaitFreeSlots(node, 4);
    }

    /** A result that does not survive storage shows at once, and not only when another node has executed the run. */
    @Test
    void theResultIsTheStoredValue() throws Exception {
        Checkout checkout = new Checkout();
        RunNode node = added(RunNode.on(schema, connections, "node").beans(List.of(checkout)))
                .opened();

        Receipt receipt = node.runs.execute(Checkout.class, " 7 ");

        assertThat(receipt).isNotSameAs(checkout.returned.get());
        assertThat(receipt).isEqualTo(new Receipt("7"));
    }

    @Test
    void aRunCannotExecuteAnotherRun() throws Exception {
        AtomicReference<RunNode> node = new AtomicReference<>();
        node.set(withSlots(1, tale((run, input) -> {
            if (input.equals("child")) {
                return "child";
            }
            return node.get().runs.execute(Tale.class, "child", RunOptions.none(), Duration.ofSeconds(2));
        })));

        assertThatThrownBy(() -> node.get().runs.execute(Tale.class, "parent"))
                .isInstanceOf(RunNotCompletedException.class)
                .hasMessageContaining("it would need a second slot (saga.runs.concurrency)")
                .hasMessageContaining("RunContext.startFireAndForget");
    }

    @Test
    void aRunCannotBeExecutedInATransaction() {
        RunNode node = node(tale((run, input) -> input));

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    try {
                        node.runs.execute(Tale.class, "");
                    } catch (InterruptedException never) {
                        throw new IllegalStateException(never);
                    }
                }))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("Executing a run inside a transaction is not allowed");
    }

    /** A transaction of the run would otherwise use the session of open-in-view, and write what the caller has changed there. */
    @Test
    void theCodeDoesNotUseTheResourcesOfTheCallersThread() throws Exception {
        RunNode node = node(tale((run, input) -> {
            Object inStep = run.transactionalStep(
                    "look",
                    String.class,
                    () -> String.valueOf(TransactionSynchronizationManager.getResource("session")));
            if (input.equals("fail")) {
                throw new AssertionError(inStep);
            }
            return String.valueOf(inStep);
        }));
        TransactionSynchronizationManager.bindResource("session", "the caller's");
        try {
            assertThat(node.runs.execute(Tale.class, "")).isEqualTo("null");
            assertThat(TransactionSynchronizationManager.getResource("session")).isEqualTo("the caller's");

            assertThatThrownBy(() -> node.runs.execute(Tale.class, "fail"))
                    .isInstanceOf(RunNotCompletedException.class);
            assertThat(TransactionSynchronizationManager.getResource("session")).isEqualTo("the caller's");
        } finally {
            TransactionSynchronizationManager.unbindResource("session");
        }
    }

    /** Spring manages the resources of such a thread itself, and could not suspend them during a transactional step. */
    @Test
    void aThreadWhoseResourcesAreManagedLeavesTheCodeToThePool() throws Exception {
        RunNode node = node(tale((run, input) -> run.transactionalStep("one", String.class, () -> threadName())));
        TransactionSynchronizationManager.initSynchronization();
        try {
            assertThat(node.runs.execute(Tale.class, "")).isNotEqualTo(threadName());
        } finally {
            TransactionSynchronizationManager.clearSynchronization();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSlotIsFreedWhateverFails(Fault fault) throws Exception {
        RunStore real = RunNode.on(schema, connections, "node").store();
        RunStore store = (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    if (fault == Fault.START && method.getName().equals("start")) {
                        throw new AssertionError("expected");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
        RunNode node = added(RunNode.over(
                                store,
                                new NoStepTransactions(),
                                new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE))
                        .slots(1)
                        .listener((run, id, event) -> {
                            if (fault == Fault.LISTENER) {
                                throw new AssertionError("expected");
                            }
                        })
                        .tales(tale((run, input) -> {
                            if (fault == Fault.CODE) {
                                throw new AssertionError("expected");
                            }
                            return "done";
                        })))
                .opened();

        try {
            assertThat(node.runs.execute(Tale.class, "")).isEqualTo("done");
            assertThat(fault).isEqualTo(Fault.LISTENER);
        } catch (RunNotCompletedException | AssertionError expected) {
            assertThat(expected).hasMessageContaining("expected");
        }

        awaitFreeSlots(node, 1);
        assertThat(node.keeper.holds()).isEmpty();
    }

    private enum Fault {
        START,
        CODE,
        LISTENER
    }

    @Test
    void aFencedCallerReturnsTheResultOfTheOtherNode() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        RunNode zombie = node(tale((run, input) -> run.step("one", String.class, () -> {
            entered.countDown();
            go.await();
            return "the zombie's";
        })));
        CompletableFuture<String> caller = supply(() -> zombie.runs.execute(Tale.class, ""));
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        zombie.engine.stop();
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp()").update();
        CountDownLatch end = new CountDownLatch(1);
        RunNode successor = node(tale((run, input) -> run.step("one", String.class, () -> {
            end.await();
            return "the successor's";
        })));
        awaitEvent(successor, RunEvent.PICKED_UP);
        go.countDown();
        awaitFreeSlots(zombie, 4);
        assertThat(caller).isNotDone();
        end.countDown();

        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo("the successor's");
    }

    interface Work {
        String get() throws Exception;
    }

    static CompletableFuture<String> supply(Work work) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return work.get();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
    }
}
