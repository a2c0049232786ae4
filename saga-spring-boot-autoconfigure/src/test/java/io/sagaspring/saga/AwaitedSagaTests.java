package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Statements;
import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

/** Tests what a caller gets that waits for the end of an execution. */
class AwaitedSagaTests extends SagasOnPostgres {

    private final CountDownLatch gate = new CountDownLatch(1);

    private void order(SagaDefinition<Order> saga) {
        saga.step("charge", context -> {
            context.put("lines", List.of(Map.of("item", "cup")));
            return 4200;
        });
        saga.step("ship", context -> {
            gate.await();
            return "shipped";
        });
    }

    @Test
    void theValuesOfAnExecutionThatEndsHereAreNotReadFromTheDatabase() throws Exception {
        List<String> sent = new CopyOnWriteArrayList<>();
        Interference interference = new Interference();
        interference.with(new Around() {
            @Override
            public void before(String sql, Connection connection) {
                sent.add(sql);
            }
        });
        SagaNode node = added(new SagaNode(
                SagaSchema.migrate(connections, null),
                interference.watched(connections),
                "watched",
                new ScriptedOrder(this::order)));
        RunId id = start(node);
        sent.clear();

        Caller caller = new Caller(node, id);
        gate.countDown();
        SagaResult result = caller.result.get(60, TimeUnit.SECONDS);

        assertThat(result.state()).isEqualTo(RunState.COMPLETED);
        assertThat(result.id()).isEqualTo(id);
        assertThat(result.get("charge", Integer.class)).isEqualTo(4200);
        assertThat(result.get("ship", String.class)).isEqualTo("shipped");
        assertThat(result.find("lines", new ParameterizedTypeReference<List<Map<String, String>>>() {}))
                .contains(List.of(Map.of("item", "cup")));
        assertThat(result.error()).isEmpty();
        assertThat(sent).noneMatch(Statements.named("run.journals", "run.notes"));
    }

    @Test
    void aCallerOnAnotherNodeGetsTheSameValues() throws Exception {
        SagaNode executing = node(this::order);
        RunId id = start(executing);
        SagaNode other = added(new SagaNode(
                builder().slots(0),
                Tenants.none(),
                type -> Optional.empty(),
                event -> {},
                List.of(),
                new ScriptedOrder(this::order)));
        gate.countDown();

        SagaResult result = other.sagas.await(id, SOON);

        assertThat(result.state()).isEqualTo(RunState.COMPLETED);
        assertThat(result.get("charge", Integer.class)).isEqualTo(4200);
        assertThat(result.get("ship", String.class)).isEqualTo("shipped");
        assertThat(result.find("lines", new ParameterizedTypeReference<List<Map<String, String>>>() {}))
                .contains(List.of(Map.of("item", "cup")));
    }

    @Test
    void afterTheTimeOutTheResultHasTheValuesSoFar() throws Exception {
        SagaNode node = node(this::order);
        RunId id = start(node);
        awaitJournaled(node, id);

        SagaResult result = node.sagas.await(id, Duration.ofMillis(1));

        assertThat(result.state()).isEqualTo(RunState.RUNNING);
        assertThat(result.find("charge", Integer.class)).contains(4200);
        assertThatIllegalStateException()
                .isThrownBy(() -> result.get("ship", String.class))
                .withMessageContaining("is running, and no step has stored a value under 'ship'")
                .withMessageContaining("[lines, charge]");
        gate.countDown();
    }

    @Test
    void aFailedExecutionHasAnError() throws Exception {
        SagaNode node = node(saga -> saga.step("charge", context -> {
            throw new IllegalStateException("no stock");
        }));

        SagaResult result = node.sagas.await(start(node), SOON);

        assertThat(result.state()).isEqualTo(RunState.FAILED);
        assertThat(result.error()).map(StepError::message).contains("no stock");
    }

    private static void awaitJournaled(SagaNode node, RunId id) {
        await().atMost(SOON)
                .until(() -> node.runs.find(id).orElseThrow().steps().size() >= 2);
    }

    /** A caller that waits on a thread of its own. */
    private static final class Caller {

        private final CompletableFuture<SagaResult> result = new CompletableFuture<>();

        Caller(SagaNode node, RunId id) {
            Thread thread = new Thread(() -> call(node, id), "caller");
            thread.start();
            await().atMost(SOON).until(() -> waits(thread));
        }

        private void call(SagaNode node, RunId id) {
            try {
                result.complete(node.sagas.await(id, SOON));
            } catch (Throwable failed) {
                result.completeExceptionally(failed);
            }
        }

        /** Returns true if the thread waits for the end of a run, and not for a connection. */
        private static boolean waits(Thread thread) {
            return thread.getState() == Thread.State.TIMED_WAITING
                    && Stream.of(thread.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().endsWith(".run.Waiters"));
        }
    }
}
