package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests one search for runs of two queues, on the thread of the test. */
@ExtendWith(OutputCaptureExtension.class)
class QueuePickupTests extends RunsOnPostgres {

    private static final List<RunQueue> QUEUES = List.of(RunQueue.named("first"), RunQueue.named("second"));

    private final AtomicReference<String> broken = new AtomicReference<>("");
    private final List<QueueListener> listeners = new ArrayList<>();
    private RunNode node;

    @BeforeEach
    void prepare() {
        RunNode.Builder builder =
                RunNode.on(schema, connections, "node").inline().tales(tale((run, input) -> effect(input)));
        QueueStore queues = ((PostgresRunStore) builder.store()).queues();
        QUEUES.forEach(queues::declare);
        node = added(builder.queues(new RunQueues.Parts(
                breakable(queues), () -> new Queues(QUEUES, Map.of()), 4, () -> List.copyOf(listeners))));
    }

    /** Returns a store that begins no run of the broken queue. */
    private QueueStore breakable(QueueStore queues) {
        return (QueueStore) Proxy.newProxyInstance(
                QueueStore.class.getClassLoader(), new Class<?>[] {QueueStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("take") && arguments[0].equals(broken.get())) {
                        throw new IllegalStateException("The connection is broken.");
                    }
                    try {
                        return method.invoke(queues, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                });
    }

    private RunHandle<String> started(String queue) {
        return node.runs.start(Tale.class, queue, RunOptions.none().in(queue));
    }

    /**
     * Otherwise the runs of the first queue would hold their permits without being executed, until their leases end.
     */
    @Test
    void runsOfAQueueAreExecutedEvenIfTheSearchInTheNextQueueFails(CapturedOutput output) {
        RunHandle<String> first = started("first");
        RunHandle<String> second = started("second");
        broken.set("second");

        assertThat(node.engine.sweep()).isEqualTo(1);

        assertThat(stateOf(node, first.id())).isEqualTo(RunState.COMPLETED);
        assertThat(stateOf(node, second.id())).isEqualTo(RunState.PENDING);
        assertThat(output).contains("Could not begin runs of the queue 'second'.");
        broken.set("");
        assertThat(node.engine.sweep()).isEqualTo(1);
        assertThat(stateOf(node, second.id())).isEqualTo(RunState.COMPLETED);
    }

    /** Otherwise a queue whose statements always fail would keep the runs of all queues behind it from beginning. */
    @Test
    void afterAQueueHasFailedTheOthersTakeTheirTurnFirst() {
        RunHandle<String> first = started("first");
        RunHandle<String> second = started("second");
        broken.set("first");

        assertThatIllegalStateException().isThrownBy(() -> node.engine.sweep()).withMessageContaining("is broken");
        assertThat(node.engine.sweep()).isEqualTo(1);

        assertThat(stateOf(node, first.id())).isEqualTo(RunState.PENDING);
        assertThat(stateOf(node, second.id())).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void aListenerThatThrowsDoesNotPreventOtherNotifications(CapturedOutput output) {
        List<String> begun = new ArrayList<>();
        listeners.add((queue, runs) -> {
            throw new LinkageError("The listener is broken.");
        });
        listeners.add((queue, runs) -> begun.add("%s: %d".formatted(queue, runs)));
        RunHandle<String> first = started("first");

        assertThat(node.engine.sweep()).isEqualTo(1);

        assertThat(begun).containsExactly("first: 1");
        assertThat(output).contains("A QueueListener for the queue 'first' threw an exception");
        assertThat(stateOf(node, first.id())).isEqualTo(RunState.COMPLETED);
    }
}
