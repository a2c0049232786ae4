package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.carrier.Carriers;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** The thread of a caller that executes a run is interrupted, or the code does not end normally. The caller's thread stays usable. */
@Timeout(120)
class InterruptedCallersTests extends RunsOnPostgres {

    private static final int ROUNDS = 2_000;

    /** The result of a call on a thread of its own. */
    private static final class Caller {

        private final AtomicReference<@Nullable Object> outcome = new AtomicReference<>();
        private final AtomicBoolean flag = new AtomicBoolean();
        private final Thread thread;

        Caller(RunNode node) {
            this.thread = new Thread(() -> {
                try {
                    outcome.set(node.runs.execute(Tale.class, ""));
                } catch (Throwable thrown) {
                    outcome.set(thrown);
                }
                flag.set(Thread.currentThread().isInterrupted());
            });
            thread.start();
        }

        @Nullable
        Object outcome() throws InterruptedException {
            thread.join(SOON.toMillis());
            assertThat(thread.isAlive()).isFalse();
            return outcome.get();
        }
    }

    private enum Reaction {
        THROW,
        WRAP,
        WRAP_AND_RESTORE,
        CLOSE_CHANNEL;

        Exception to(InterruptedException interrupt) {
            if (this == WRAP_AND_RESTORE) {
                Thread.currentThread().interrupt();
                return new IllegalStateException("restored");
            }
            return switch (this) {
                case WRAP -> new IllegalStateException(new RuntimeException(interrupt));
                case CLOSE_CHANNEL -> new ClosedByInterruptException();
                default -> interrupt;
            };
        }
    }

    private static RunId theRun() {
        return new RunId(jdbc.sql("SELECT id FROM saga_run").query(UUID.class).single());
    }

    /** A web server that shuts down interrupts its threads. That is no failure of the run. */
    @ParameterizedTest
    @EnumSource
    void anInterruptByOthersReleasesTheRunAndAnyThreadContinues(Reaction reaction) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> {
                if (calls.incrementAndGet() == 1) {
                    entered.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException interrupted) {
                        throw reaction.to(interrupted);
                    }
                }
            });
            return "done";
        }));
        Caller caller = new Caller(node);
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        caller.thread.interrupt();

        assertThat(caller.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(caller.flag).isFalse();
        assertThat(node.runs.handle(theRun(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one");
        assertThat(node.events).doesNotContain(RunEvent.FAILED);
    }

    private enum TimeOut {
        OF_A_CLIENT,
        OF_ANOTHER_THREAD;

        Exception failure() {
            return this == OF_A_CLIENT
                    ? new IllegalStateException(new InterruptedIOException("timeout"))
                    : new ExecutionException(new InterruptedException("of another thread"));
        }
    }

    /** HTTP clients throw an InterruptedIOException for a time-out. Nobody has interrupted the caller. */
    @ParameterizedTest
    @EnumSource
    void aTimeOutIsAFailureOfTheStepAndNoInterrupt(TimeOut timeOut) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> {
                calls.incrementAndGet();
                throw timeOut.failure();
            });
            return "done";
        }));
        Caller caller = new Caller(node);

        assertThat(caller.outcome()).isInstanceOf(RunNotCompletedException.class);
        assertThat(caller.flag).isFalse();
        assertThat(calls).hasValue(1);
    }

    @Test
    void anInterruptBetweenTwoStepsLeavesTheNextStepToAnotherThread() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Thread> second = new AtomicReference<>();
        RunNode node = node(tale((run, input) -> {
            run.step("deaf", () -> {
                entered.countDown();
                while (go.getCount() > 0) {
                    Thread.onSpinWait();
                }
                effect("deaf");
            });
            run.step("second", () -> second.set(Thread.currentThread()));
            return "done";
        }));
        Caller caller = new Caller(node);
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        caller.thread.interrupt();
        go.countDown();

        assertThat(caller.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(node.runs.handle(theRun(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(second.get()).isNotSameAs(caller.thread);
        assertThat(effects).containsExactly("deaf");
    }

    @Test
    void anInterruptOfCodeBetweenStepsReleasesTheRun() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            if (calls.incrementAndGet() == 1) {
                entered.countDown();
                new CountDownLatch(1).await();
            }
            return "done";
        }));
        Caller caller = new Caller(node);
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        caller.thread.interrupt();

        assertThat(caller.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(node.runs.handle(theRun(), Tale.class).await(SOON)).isEqualTo("done");
    }

    /** The code has done its work, so the caller gets the result and the interrupt. */
    @Test
    void anInterruptThatTheCodeDoesNotNoticeIsLeftToTheCaller() throws Exception {
        RunNode node = node(tale((run, input) -> {
            Thread.currentThread().interrupt();
            return "done";
        }));

        Caller caller = new Caller(node);

        assertThat(caller.outcome()).isEqualTo("done");
        assertThat(caller.flag).isTrue();
    }

    /** While the library writes the end, a pool of connections would refuse an interrupted thread. */
    @Test
    void theEndIsWrittenAndReportedWithoutTheInterrupt() throws Exception {
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .listener((run, id, event) -> {
                            if (event == RunEvent.COMPLETED) {
                                interrupted.set(Thread.currentThread().isInterrupted());
                            }
                        })
                        .tales(tale((run, input) -> {
                            Thread.currentThread().interrupt();
                            return "done";
                        })))
                .opened();

        assertThat(new Caller(node).outcome()).isEqualTo("done");

        assertThat(interrupted).hasValue(false);
    }

    @Test
    void anInterruptedThreadStartsNothing() {
        RunNode node = node(tale((run, input) -> input));
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> node.runs.execute(Tale.class, ""))
                .isInstanceOf(InterruptedException.class)
                .hasMessageContaining("no run of 'tale' was started");

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(jdbc.sql("SELECT count(*) FROM saga_run")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    /** On a thread of the pool, only the library interrupts, so an InterruptedException is a failure of the step. */
    @Test
    void onAThreadOfThePoolAnInterruptedExceptionFailsTheStep() {
        RunNode node = node(tale((run, input) -> {
            throw new InterruptedException("of the code");
        }));

        assertThatThrownBy(() -> node.runs.start(Tale.class, "").await(SOON))
                .isInstanceOf(RunNotCompletedException.class)
                .hasMessageContaining("of the code");
    }

    @Test
    void aClosingNodeHandsTheRunOverAndTellsTheCaller() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            if (entered.getCount() > 0) {
                entered.countDown();
                new CountDownLatch(1).await();
            }
            return "done";
        };
        RunNode closing = node(tale(code));
        Caller caller = new Caller(closing);
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        closing.engine.close();

        assertThat(caller.outcome())
                .isInstanceOfSatisfying(
                        RunNotCompletedException.class,
                        thrown -> assertThat(thrown.runId()).isEqualTo(theRun()))
                .asString()
                .contains("This node is shutting down");
        assertThat(caller.flag).isFalse();
        RunNode next = node(tale(code));
        assertThat(next.runs.handle(theRun(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one");
    }

    @Test
    void aCallerThatOnlyWaitsIsToldThatItsNodeCloses() throws Exception {
        RunNode closing = node(tale((run, input) -> run.awaitSignal("word", String.class)));
        Caller caller = new Caller(closing);
        awaitEvent(closing, RunEvent.SUSPENDED);

        closing.engine.close();

        assertThat(caller.outcome()).isInstanceOf(RunNotCompletedException.class);
    }

    /** The keeper interrupts the code at any moment. The interrupt must not reach what the caller does afterwards. */
    @Test
    void anInterruptOfTheLibraryNeverOutlivesTheCall() throws Exception {
        RunNode node = node(tale((run, input) -> run.step("one", String.class, () -> "done")));
        AtomicBoolean over = new AtomicBoolean();
        Thread keeper = new Thread(() -> {
            while (!over.get()) {
                node.keeper.interrupt(hold -> hold.stop() == null);
            }
        });
        keeper.start();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                try {
                    node.runs.execute(Tale.class, "", RunOptions.none(), Duration.ZERO);
                } catch (RunNotCompletedException continues) {
                    assertThat(continues.state().isEnd()).isFalse();
                }
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
        } finally {
            over.set(true);
            keeper.join();
        }
        awaitFreeSlots(node, 4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"result", "exception", "error"})
    void theCallersLogContextIsAsBefore(String end) throws Exception {
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .carriers(List.of(Carriers.logContext()))
                        .tales(tale((run, input) -> {
                            assertThat(MDC.get("saga.run"))
                                    .isEqualTo(run.runId().toString());
                            MDC.put("left", "behind");
                            return switch (end) {
                                case "exception" -> throw new IllegalStateException("expected");
                                case "error" -> throw new AssertionError("expected");
                                default -> "done";
                            };
                        })))
                .opened();
        MDC.put("request", "r-1");
        MDC.put("saga.run", "of the caller");
        Map<String, String> before = MDC.getCopyOfContextMap();
        try {
            try {
                assertThat(node.runs.execute(Tale.class, "")).isEqualTo("done");
            } catch (RunNotCompletedException expected) {
                assertThat(expected).hasMessageContaining("expected");
            }
            assertThat(MDC.getCopyOfContextMap()).isEqualTo(before);
        } finally {
            MDC.clear();
        }
    }
}
