package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A step that throws an exception fails its run, and a retry continues at that step. An error of the node does not fail
 * the run.
 */
class FailedStepsTests extends RunsOnPostgres {

    @Test
    void aStepIsRetriedAlthoughTheCodeHasCaughtItsFailure() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            try {
                run.step("one", () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("no stock");
                    }
                });
            } catch (StepFailedException failed) {
                throw new IllegalStateException("failed at " + run.now(), failed);
            }
            return run.step("two", String.class, () -> effect("two"));
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.FAILED);

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("two");
        assertThat(tries).hasValue(2);
    }

    @Test
    void aStepIsRetriedAlthoughTheRunFailedWithAnotherException() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            try {
                run.step("one", () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("no stock");
                    }
                });
            } catch (StepFailedException failed) {
                throw new IllegalStateException("sold out");
            }
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.FAILED);

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    @ParameterizedTest
    @ValueSource(classes = {StackOverflowError.class, AssertionError.class, NoClassDefFoundError.class})
    void theRunFailsImmediatelyIfAStepThrowsAnError(Class<? extends Error> error) {
        for (boolean transactional : List.of(true, false)) {
            AtomicInteger tries = new AtomicInteger();
            RunNode node = node(tale((run, input) -> {
                execute(run, transactional, () -> {
                    tries.incrementAndGet();
                    throw error.getDeclaredConstructor().newInstance();
                });
                return "done";
            }));

            RunHandle<String> failed = node.runs.start(Tale.class, "");

            assertThatThrownBy(() -> failed.await(SOON))
                    .isInstanceOf(RunNotCompletedException.class)
                    .hasMessageContaining("failed")
                    .hasMessageContaining(error.getName());
            assertThat(tries).hasValue(1);
            node.close();
        }
    }

    private interface Throwing {
        void run() throws Exception;
    }

    private static void execute(RunContext run, boolean transactional, Throwing code) {
        if (transactional) {
            run.transactionalStep("throwing", code::run);
        } else {
            run.step("throwing", code::run);
        }
    }

    @Test
    void theRunFailsIfItsCodeThrowsAnErrorBetweenSteps() {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            tries.incrementAndGet();
            throw new StackOverflowError();
        }));

        RunHandle<String> failed = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> failed.await(SOON)).hasMessageContaining("StackOverflowError");
        assertThat(tries).hasValue(1);
    }

    /** Another node may have the resources that this node lacks. */
    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, InternalError.class})
    @SuppressWarnings("EmptyCatch")
    void aStepIsRepeatedAfterAnErrorOfItsNode(Class<? extends Error> error) throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            try {
                run.step("one", () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw error.getDeclaredConstructor().newInstance();
                    }
                    effect("one");
                });
            } catch (Throwable caught) {
                effect("caught");
            }
            run.step("two", () -> effect("two"));
            return "done";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("caught", "one", "two");
    }

    @Test
    void aFailedRunIsRetriedFromTheStepThatThrew() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> {
                if (tries.incrementAndGet() == 1) {
                    throw new IllegalStateException("no stock");
                }
                effect("two");
            });
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON))
                .isInstanceOf(RunNotCompletedException.class)
                .hasMessageContaining("failed")
                .hasMessageContaining("no stock");
        assertThat(node.runs.retry(handle.id())).isTrue();

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one", "two");
        assertThat(node.runs.retry(handle.id())).isFalse();
    }
}
