package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A run that is cancelled or misses its deadline stops at its current position. Its code may then clean up. */
class StoppedRunsTests extends RunsOnPostgres {

    @Test
    void aRunThatSleepsAfterItsDeadlineIsNotPickedUpRepeatedly() {
        RunNode node = node(tale((run, input) -> {
            try {
                run.awaitSignal("never", String.class);
            } catch (RunStoppedException stopped) {
                run.sleep("settle", Duration.ofMillis(500));
            }
            return "";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(100)));

        awaitState(node, handle.id(), RunState.FAILED);
        assertThat(count(node, RunEvent.PICKED_UP)).isLessThan(5);
    }

    @Test
    void aRunThatMissedItsDeadlineContinuesWhenItIsRetried() throws Exception {
        RunNode node = node(tale((run, input) -> run.awaitSignal("late", String.class)));
        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(100)));
        awaitState(node, handle.id(), RunState.FAILED);

        assertThat(node.runs.retry(handle.id())).isTrue();
        awaitState(node, handle.id(), RunState.WAITING);
        node.runs.signal(handle.id(), "late", "better late than never");

        assertThat(handle.await(SOON)).isEqualTo("better late than never");
    }

    @Test
    void aRunIsStoppedAtASignalNamedLikeAnEarlierSleep() {
        RunNode node = node(tale((run, input) -> {
            run.sleep("approval", Duration.ofMillis(1));
            try {
                run.awaitSignal("approval", String.class);
            } catch (RunStoppedException stopped) {
                run.sleep("settle", Duration.ofMillis(1));
                run.step("tidy", () -> effect("tidy"));
            }
            return "";
        }));
        node.engine.stop();
        RunId id = node.runs.start(Tale.class, "").id();
        assertThat(node.engine.sweep()).isOne();
        awaitState(node, id, RunState.WAITING);
        await().atMost(SOON)
                .until(() -> jdbc.sql("SELECT due_at < clock_timestamp() FROM saga_run")
                        .query(Boolean.class)
                        .single());
        assertThat(node.runs.cancel(id, "stop")).isTrue();

        node.engine.open();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).containsExactly("tidy");
    }

    @Test
    void aFailedRunReportsItsErrorDespiteACancellation() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> run.step("one", String.class, () -> {
            entered.countDown();
            cancelled.await();
            throw new IllegalStateException("no stock");
        })));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(node.runs.cancel(handle.id(), "changed my mind")).isTrue();
        cancelled.countDown();
        awaitState(node, handle.id(), RunState.FAILED);
        RunHandle<String> elsewhere = quietNode(tale((run, input) -> "")).runs.handle(handle.id(), Tale.class);

        assertThatThrownBy(() -> elsewhere.await(SOON)).hasMessageContaining("no stock");
    }

    @Test
    void aCancelledRunIsNotifiedOnceAndMayCleanUp() throws Exception {
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            try {
                run.awaitSignal("never", String.class);
            } catch (RunStoppedException stopped) {
                run.step("tidy", () -> effect(String.valueOf(stopped.getMessage())));
                run.sleep("settle", Duration.ofMillis(1));
                run.step("tidier", () -> effect("tidier"));
            }
            return "over";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);

        assertThat(node.runs.cancel(handle.id(), "changed my mind")).isTrue();

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("changed my mind");
        assertThat(stateOf(node, handle.id())).isEqualTo(RunState.CANCELLED);
        assertThat(effects).containsExactly("one", "The run was cancelled: changed my mind", "tidier");
        assertThat(node.runs.cancel(handle.id(), "again")).isFalse();
    }

    @Test
    void aRunThatMissesItsDeadlineFails() {
        RunNode node = node(tale((run, input) -> {
            run.awaitSignal("never", String.class);
            return "over";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(200)));

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("deadline");
        assertThat(stateOf(node, handle.id())).isEqualTo(RunState.FAILED);
    }
}
