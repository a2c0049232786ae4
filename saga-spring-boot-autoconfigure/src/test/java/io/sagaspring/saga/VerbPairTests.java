package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests two concurrent calls to an execution that waits for a callback. When the second call is made, the statement of
 * the first call is waiting for a lock.
 */
class VerbPairTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final HikariDataSource connections = Pool.of(database);
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final Duration SOON = Duration.ofSeconds(20);

    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final SagaNode node = new SagaNode(schema, connections, "node", new Delivery(effects));

    record Delivery(List<String> effects) implements Saga<String> {
        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("charge", context -> effects.add("charge")).compensate(context -> effects.add("refund"));
            saga.step("ship", context -> null)
                    .async()
                    .timeout(Duration.ofMinutes(10))
                    .compensate(context -> effects.add("recall"));
            saga.waitForSignal("approval");
        }
    }

    /** A call to the execution, with its result if there is no other call. */
    enum Verb {
        CANCEL("true") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.cancel(id, "operator");
            }
        },
        RETRY("false") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.retry(id);
            }
        },
        SIGNAL("ACCEPTED") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.signal(id, "approval", "yes");
            }
        },
        COMPLETE("true") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.callback(id, "ship").complete("there").applied();
            }
        },
        FAIL("true") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.callback(id, "ship")
                        .fail(new StepError("lost", "van"))
                        .applied();
            }
        },
        EXTEND("true") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.callback(id, "ship").extend(Duration.ofMinutes(1)).applied();
            }
        },
        HEARTBEAT("true") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return sagas.callback(id, "ship").heartbeat().applied();
            }
        },
        SWEEP("0") {
            @Override
            Object call(Sagas sagas, SagaNode node, RunId id) {
                return node.engine.sweep();
            }
        };

        private static final Set<Verb> ENDS_STEP = Set.of(COMPLETE, FAIL);

        private final String answerAlone;

        Verb(String answerAlone) {
            this.answerAlone = answerAlone;
        }

        abstract Object call(Sagas sagas, SagaNode node, RunId id);

        /**
         * Returns the result of this call if it is the second call. The first callback ends the step, and a signal is
         * accepted once.
         */
        String after(Verb first) {
            if (ENDS_STEP.contains(first) && (ENDS_STEP.contains(this) || this == EXTEND)) {
                return "false";
            }
            return this == SIGNAL && first == SIGNAL ? SignalResult.TOO_LATE.name() : answerAlone;
        }
    }

    @AfterEach
    void close() {
        node.close();
    }

    @AfterAll
    static void drop() {
        connections.close();
        database.close();
    }

    static Stream<Arguments> pairs() {
        return Stream.of(Verb.values())
                .flatMap(first -> Stream.of(Verb.values()).map(second -> Arguments.of(first, second)));
    }

    @ParameterizedTest(name = "{0} then {1}")
    @MethodSource("pairs")
    void twoConcurrentCallsGetTheExpectedResultsAndTheExecutionEnds(Verb first, Verb second) throws Exception {
        RunId id = node.sagas.start(Delivery.class, "o-1").id();
        await().atMost(SOON).until(() -> node.sagas.find(id).orElseThrow().state() == RunState.WAITING);
        // No node may pick up the run between the two calls.
        node.engine.stop();
        CompletableFuture<Object> one;
        CompletableFuture<Object> other;
        try (Connection holder = connections.getConnection()) {
            holder.setAutoCommit(false);
            lock(holder, id);
            one = callUntilLocked(first, id, 0);
            other = callUntilLocked(second, id, LockWaits.in(jdbc));
            holder.rollback();
        }

        assertThat(one.get()).hasToString(first.answerAlone);
        assertThat(other.get()).hasToString(second.after(first));

        node.engine.open();
        assertThat(end(id, first, second)).isEqualTo(expected(first, second));
        assertThat(effects).containsExactlyElementsOf(expectedEffects(first, second));
    }

    private static void lock(Connection holder, RunId id) throws Exception {
        try (PreparedStatement lock =
                holder.prepareStatement("SELECT FROM saga_run WHERE id = '%s' FOR UPDATE".formatted(id))) {
            lock.executeQuery();
        }
    }

    /** Returns when the call waits for the lock, or has returned without waiting. */
    private CompletableFuture<Object> callUntilLocked(Verb verb, RunId id, long before) {
        CompletableFuture<Object> pending = OwnThread.call(() -> verb.call(node.sagas, node, id));
        await().atMost(SOON).until(() -> pending.isDone() || LockWaits.in(jdbc) > before);
        return pending;
    }

    /** Makes the calls that are still missing, so that the execution ends. */
    private RunState end(RunId id, Verb first, Verb second) throws Exception {
        Set<Verb> made = Set.copyOf(List.of(first, second));
        if (!made.contains(Verb.CANCEL) && !made.contains(Verb.FAIL)) {
            boolean unused = node.sagas.callback(id, "ship").complete("there").applied();
            sendSignal(id);
        }
        if (first == Verb.COMPLETE && second == Verb.FAIL) {
            sendSignal(id);
        }
        return node.sagas.await(id, SOON).state();
    }

    private void sendSignal(RunId id) {
        SignalResult unused = node.sagas.signal(id, "approval", "yes");
    }

    private static RunState expected(Verb first, Verb second) {
        if (first == Verb.CANCEL || second == Verb.CANCEL) {
            return RunState.CANCELLED;
        }
        boolean failed = first == Verb.FAIL || (second == Verb.FAIL && first != Verb.COMPLETE);
        return failed ? RunState.FAILED : RunState.COMPLETED;
    }

    private static List<String> expectedEffects(Verb first, Verb second) {
        return expected(first, second) == RunState.COMPLETED
                ? List.of("charge")
                : List.of("charge", "recall", "refund");
    }
}
