package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors, interrupts and time-outs of attempts. An error of the node is not a failed attempt. */
class InterruptedAttemptsTests extends RunsOnPostgres {

    private static final Duration SHORT = Duration.ofMillis(100);

    private final AtomicInteger tries = new AtomicInteger();

    private static Step charge(Retry policy) {
        return Step.of("charge").retry(policy.delay(Duration.ZERO));
    }

    private static List<String> marks(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().steps().stream()
                .map(RunView.StepView::mark)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anErrorOfTheNodeIsNoFailedAttempt(boolean isLate) throws Exception {
        RunNode node = node(tale((run, input) -> run.step(charge(retry()).timeout(SHORT), String.class, () -> {
            if (tries.incrementAndGet() > 1) {
                return "done";
            }
            if (isLate) {
                awaitInterrupt();
            }
            throw new OutOfMemoryError("simulated");
        })));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        await().atMost(SOON).until(() -> count(node, RunEvent.LEFT) == 1);
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(marks(node, handle.id())).containsExactly("done");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                StackOverflowError.class,
                NoClassDefFoundError.class,
                AssertionError.class,
                InterruptedException.class
            })
    void anErrorOfTheCodeIsAFailedAttempt(Class<? extends Throwable> type) throws Exception {
        Throwable thrown = type.getConstructor().newInstance();
        RunNode node = node(tale((run, input) -> run.step(charge(retry()), String.class, () -> {
            if (tries.incrementAndGet() == 1) {
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (Exception) thrown;
            }
            return "done";
        })));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(marks(node, handle.id())).containsExactly("attempt_failed", "done");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void codeThatLeavesItsThreadInterruptedLosesNoAttempt(boolean transactional) throws Exception {
        AtomicBoolean isInterrupted = new AtomicBoolean();
        RunNode node = node(tale((run, input) -> {
            RunContext.Body work = () -> {
                isInterrupted.set(Thread.currentThread().isInterrupted());
                if (tries.incrementAndGet() < 3) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("busy");
                }
            };
            if (transactional) {
                run.transactionalStep(charge(retry()), String.class, work.returningNull());
            } else {
                run.step(charge(retry()), String.class, work.returningNull());
            }
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(3);
        assertThat(isInterrupted).isFalse();
        assertThat(marks(node, handle.id())).containsExactly("attempt_failed", "attempt_failed", "done");
    }

    /** The time-out does not stop the code. The next attempt begins when the code has returned, and never beside it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNextAttemptWaitsForCodeThatIgnoresTheInterrupt(boolean virtual) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch returning = new CountDownLatch(1);
        AtomicInteger inside = new AtomicInteger();
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .virtual(virtual)
                        .tales(tale((run, input) -> run.step(charge(retry()).timeout(SHORT), String.class, () -> {
                            assertThat(inside.incrementAndGet()).isOne();
                            try {
                                if (tries.incrementAndGet() == 1) {
                                    entered.countDown();
                                    awaitUninterruptibly(returning);
                                }
                                return "done";
                            } finally {
                                inside.decrementAndGet();
                            }
                        }))))
                .opened();
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        entered.await();
        assertThatThrownBy(() -> handle.await(Duration.ofMillis(400)));

        assertThat(stateOf(node, handle.id())).isEqualTo(RunState.RUNNING);
        assertThat(tries).hasValue(1);
        returning.countDown();

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(marks(node, handle.id())).containsExactly("attempt_failed", "done");
    }

    private static void awaitInterrupt() {
        while (!Thread.interrupted()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException ignored) {
                // The code ignores the interrupt.
            }
        }
    }

    @Test
    void theWritesOfALateTransactionalAttemptAreRolledBack() throws Exception {
        RunNode node = node(tale((run, input) ->
                run.transactionalStep(charge(retry().max(50)).timeout(SHORT), String.class, () -> {
                    int attempt = tries.incrementAndGet();
                    jdbc.sql("INSERT INTO effect VALUES (?)")
                            .param("try " + attempt)
                            .update();
                    if (attempt == 1) {
                        awaitInterrupt();
                    }
                    return "done";
                })));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        // On a slow machine, a later attempt may be late, too.
        assertThat(jdbc.sql("SELECT what FROM effect").query(String.class).list())
                .containsExactly("try " + tries);
    }

    /** A node that closes interrupts the code, too. This is not a time-out, and the next node makes the attempt again. */
    @Test
    void anInterruptByAClosingNodeAfterTheTimeoutIsNoFailedAttempt() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        Tale.Code code = (run, input) -> run.step(charge(retry()).timeout(SHORT), String.class, () -> {
            if (tries.incrementAndGet() == 1) {
                awaitInterrupt();
                late.countDown();
                awaitInterrupt();
            }
            return "done";
        });
        RunNode closing = node(tale(code));
        RunHandle<String> handle = closing.runs.start(Tale.class, "");
        late.await();

        closing.engine.close();
        RunNode next = node(tale(code));

        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(marks(next, handle.id())).containsExactly("done");
    }
}
