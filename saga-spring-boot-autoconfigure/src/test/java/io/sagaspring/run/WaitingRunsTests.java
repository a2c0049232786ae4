package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A waiting run is suspended. It continues when its time has passed or its signal has arrived. */
class WaitingRunsTests extends RunsOnPostgres {

    @Test
    void aRunMayWaitForAnUnlimitedTime() {
        RunNode node = node(tale((run, input) -> {
            Optional<String> received = run.awaitSignal("news", Duration.ofSeconds(Long.MAX_VALUE), String.class);
            run.sleep("for ever", Duration.ofSeconds(Long.MAX_VALUE));
            return received.orElse("nobody");
        }));
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        RunId id = node.runs.start(Tale.class, "", RunOptions.within(forEver)).id();
        awaitState(node, id, RunState.WAITING);
        node.runs.signal(id, "news", "none");
        await().atMost(SOON)
                .until(() -> node.runs.find(id).orElseThrow().steps().size() == 3);

        awaitState(node, id, RunState.WAITING);
    }

    @Test
    void aSleepThatBeganOnAnotherNodeEndsOnTimeDespiteRarePolls() throws Exception {
        Tale tale = tale((run, input) -> {
            run.sleep("nap", Duration.ofHours(1));
            return "slept";
        });
        RunNode first = node(tale);
        RunHandle<String> handle = first.runs.start(Tale.class, "");
        awaitState(first, handle.id(), RunState.WAITING);
        first.engine.close();
        jdbc.sql("UPDATE saga_step SET until = clock_timestamp() + INTERVAL '300 milliseconds'")
                .update();
        jdbc.sql("UPDATE saga_run SET due_at = (SELECT until FROM saga_step)").update();

        RunNode seldom = added(RunNode.on(schema, connections, "seldom")
                .poll(Duration.ofMinutes(1))
                .tales(tale));
        seldom.opened();

        assertThat(seldom.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("slept");
    }

    @Test
    void aShortSleepEndsOnTimeDespiteRarePolls() throws Exception {
        RunNode node = added(RunNode.on(schema, connections, "seldom")
                .poll(Duration.ofMinutes(1))
                .tales(tale((run, input) -> {
                    run.sleep("nap", Duration.ofMillis(100));
                    return "slept";
                })));
        node.opened();

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("slept");
    }

    @Test
    void aSleepingRunIsSuspendedAndContinues() throws Exception {
        RunNode node = node(tale((run, input) -> {
            Instant before = run.now();
            run.sleep("nap", Duration.ofMillis(300));
            return Duration.between(before, run.now()).toMillis() >= 300 ? "slept" : "woke too early";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo("slept");
        awaitEvents(node, RunEvent.STARTED, RunEvent.SUSPENDED, RunEvent.PICKED_UP, RunEvent.COMPLETED);
    }

    @Test
    void aSignalIsDeliveredOnceEvenIfItArrivesEarly() throws Exception {
        CountDownLatch signalled = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("wait", () -> signalled.await());
            return run.awaitSignal("approval", String.class) + run.awaitSignal("approval", String.class);
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(node.runs.signal(handle.id(), "approval", "first", "a")).isEqualTo(SignalResult.ACCEPTED);
        assertThat(node.runs.signal(handle.id(), "approval", "first", "a")).isEqualTo(SignalResult.REPEATED);
        signalled.countDown();
        awaitState(node, handle.id(), RunState.WAITING);
        assertThat(node.runs.signal(handle.id(), "approval", "second", "b")).isEqualTo(SignalResult.ACCEPTED);

        assertThat(handle.await(SOON)).isEqualTo("ab");
        assertThat(node.runs.signal(handle.id(), "approval", "third", "c")).isEqualTo(SignalResult.TOO_LATE);
        assertThatThrownBy(() -> node.runs.signal(RunId.next(), "approval", "x"))
                .isInstanceOf(NoSuchRunException.class);
    }

    @Test
    void aWaitForASignalEndsWithItsTimeout() throws Exception {
        RunNode node = node(tale((run, input) -> {
            Optional<String> received = run.awaitSignal("approval", Duration.ofMillis(200), String.class);
            run.step("after", () -> effect("after"));
            return received.orElse("nobody");
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("nobody");
        assertThat(effects).containsExactly("after");
    }
}
