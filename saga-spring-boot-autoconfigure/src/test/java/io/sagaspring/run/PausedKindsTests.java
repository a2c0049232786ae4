package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No node picks up runs of a kind that is paused. A quiet node searches for runs only when a test tells it to. */
class PausedKindsTests extends RunsOnPostgres {

    private final Pauses pauses = new Pauses(schema, new OwnTransactions(connections), ElapsedClock.OF_THIS_MACHINE);
    private final Tale told = tale((run, input) -> effect(input));
    private final Tale other = new Tale("other", (run, input) -> effect(input));

    @BeforeEach
    @AfterEach
    void resumeAll() {
        jdbc.sql("TRUNCATE saga_pause").update();
    }

    private RunNode.Builder builder(Tale tale) {
        return RunNode.on(schema, connections, "node-" + nodes.size())
                .tales(tale)
                .queues(RunQueue.named("psp").atOnce(4))
                .pausing(() -> pauses.names(Pause.Kind.RUN, Duration.ZERO));
    }

    private RunNode quiet(Tale tale) {
        return added(builder(tale));
    }

    private void pause() {
        assertThat(pauses.pause(Pause.Kind.RUN, "tale", "'ada'", "a bug")).isTrue();
    }

    @Test
    void aPausedKindIsNotExecutedOnAnyNodeUntilItIsResumed() {
        RunNode one = quiet(told);
        RunNode two = quiet(told);
        pause();

        RunId id = one.runs.start(Tale.class, "a").id();

        assertThat(one.engine.sweep() + two.engine.sweep()).isZero();
        assertThat(two.engine.resume(id)).isEqualTo(RunState.PENDING);
        assertThat(stateOf(one, id)).isEqualTo(RunState.PENDING);
        assertThat(effects).isEmpty();
        assertThat(pauses.resume(Pause.Kind.RUN, "tale")).isTrue();
        assertThat(two.engine.sweep()).isOne();
        awaitState(one, id, RunState.COMPLETED);
    }

    @Test
    void runsOfAQueueAreNotExecutedEither() {
        RunNode node = quiet(told).opened();
        node.engine.stop(); // It has declared the queue, and now searches only in this test.
        pause();

        RunId id = node.runs.start(Tale.class, "a", RunOptions.none().in("psp")).id();

        assertThat(node.engine.sweep()).isZero();
        assertThat(stateOf(node, id)).isEqualTo(RunState.PENDING);
        assertThat(pauses.resume(Pause.Kind.RUN, "tale")).isTrue();
        assertThat(node.engine.sweep()).isOne();
        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void theNodeThatStartsARunDoesNotExecuteItEither() {
        pause();
        RunNode node = quiet(told).opened();

        RunId id = node.runs.start(Tale.class, "a").id();

        assertThat(jdbc.sql("SELECT token IS NULL FROM saga_run")
                        .query(Boolean.class)
                        .single())
                .as("no node has executed it")
                .isTrue();
        assertThat(pauses.resume(Pause.Kind.RUN, "tale")).isTrue();
        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void otherKindsContinue() {
        RunNode node = quiet(other).opened();
        pause();

        RunId id = node.runs.start(Tale.class, "b").id();

        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void aRunThatIsExecutingContinues() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        RunNode node = quiet(tale((run, input) -> run.step("wait", String.class, () -> {
            begun.countDown();
            gate.await();
            return effect(input);
        })));
        RunId id = node.runs.start(Tale.class, "a").id();
        assertThat(node.engine.sweep()).isOne();
        await().atMost(SOON).until(() -> begun.getCount() == 0);

        pause();
        assertThat(node.engine.sweep()).isZero();
        gate.countDown();

        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void aRunThatWaitsStaysWhereItIs() {
        RunNode node = quiet(tale((run, input) -> effect(run.awaitSignal("go", String.class))));
        RunId id = node.runs.start(Tale.class, "a").id();
        assertThat(node.engine.sweep()).isOne();
        awaitState(node, id, RunState.WAITING);
        pause();

        assertThat(node.runs.signal(id, "go", "now")).isEqualTo(SignalResult.ACCEPTED);

        assertThat(node.engine.sweep()).isZero();
        assertThat(effects).isEmpty();
        assertThat(pauses.resume(Pause.Kind.RUN, "tale")).isTrue();
        assertThat(node.engine.sweep()).isOne();
        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void aPauseIsReadAgainOnlyWhenItIsTooOld() {
        Pauses elsewhere = new Pauses(schema, new OwnTransactions(connections), ElapsedClock.OF_THIS_MACHINE);
        assertThat(pauses.names(Pause.Kind.RUN, Duration.ofDays(1))).isEmpty();
        assertThat(elsewhere.pause(Pause.Kind.RUN, "tale", "'ada'", "why")).isTrue();
        assertThat(elsewhere.pause(Pause.Kind.RUN, "tale", "'bob'", "again")).isFalse();

        assertThat(pauses.names(Pause.Kind.RUN, Duration.ofDays(1))).isEmpty();
        assertThat(pauses.names(Pause.Kind.RUN, Duration.ZERO)).containsExactly("tale");
        assertThat(pauses.names(Pause.Kind.JANITOR, Duration.ZERO)).isEmpty();
        assertThat(pauses.all()).singleElement().satisfies(pause -> {
            assertThat(pause.by()).isEqualTo("'ada'");
            assertThat(pause.why()).isEqualTo("why");
        });
    }
}
