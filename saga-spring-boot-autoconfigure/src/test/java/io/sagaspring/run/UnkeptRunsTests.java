package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node has started a run in the database, but cannot keep its lease, for example because it has no memory. The run is durable. */
@Timeout(60)
class UnkeptRunsTests extends RunsOnPostgres {

    private final AtomicBoolean isKept = new AtomicBoolean();
    private final AtomicBoolean canWrite = new AtomicBoolean(true);

    private RunNode.Builder builder() {
        Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE, () -> {
            if (!isKept.getAndSet(true)) {
                throw new IllegalStateException("expected");
            }
            return false;
        });
        return RunNode.over(store(), new NoStepTransactions(), keeper).tales(tale((run, input) -> effect(input)));
    }

    private RunStore store() {
        RunStore real = RunNode.on(schema, connections, "node").store();
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    if (!canWrite.get() && method.getName().equals("suspend")) {
                        throw new IllegalStateException("no connection");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }

    @Test
    void theCallerWaitsAndAnotherThreadExecutesTheRun() throws Exception {
        RunNode node = added(builder()).opened();

        assertThat(node.runs.execute(Tale.class, "done")).isEqualTo("done");

        assertThat(effects).containsExactly("done");
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events).contains(RunEvent.LEFT, RunEvent.COMPLETED));
        awaitFreeSlots(node, 4);
    }

    @Test
    void aStartReturnsTheRunAndAnotherThreadExecutesIt() throws Exception {
        RunNode node = added(builder()).opened();

        assertThat(node.runs.start(Tale.class, "done").await(SOON)).isEqualTo("done");

        assertThat(effects).containsExactly("done");
    }

    /** A caller that believed that its node executes the run would not ask the database. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ifTheReleaseFailsAnotherNodeContinuesAndTheCallerGetsTheResult(boolean onCallersThread) throws Exception {
        canWrite.set(false);
        RunNode node = added(builder()).opened();
        RunId id;
        if (onCallersThread) {
            RunNotCompletedException late = catchThrowableOfType(
                    RunNotCompletedException.class,
                    () -> node.runs.execute(Tale.class, "done", RunOptions.none(), Duration.ZERO));
            assertThat(late).hasMessageContaining("has not ended after 0 s");
            id = late.runId();
        } else {
            id = node.runs.start(Tale.class, "done").id();
        }
        node.engine.stop();
        RunNode other = node(tale((run, input) -> effect(input)));
        endLease(id);
        assertThat(other.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");

        assertThat(node.runs.handle(id, Tale.class).await(Duration.ZERO)).isEqualTo("done");

        assertThat(effects).containsExactly("done");
        awaitFreeSlots(node, 4);
    }
}
