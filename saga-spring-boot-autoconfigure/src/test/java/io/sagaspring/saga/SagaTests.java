package io.sagaspring.saga;

import static io.sagaspring.saga.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A saga comes to its end, or what it did is undone in reverse. */
class SagaTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = new SchemaInstaller(connections, null).migrate();
    private static final Duration SOON = Duration.ofSeconds(20);

    private final List<SagaNode> nodes = new ArrayList<>();
    private final List<String> effects = new CopyOnWriteArrayList<>();

    record Order(String id, long cents) {}

    @AfterAll
    static void drop() {
        database.close();
    }

    @AfterEach
    void close() {
        nodes.forEach(SagaNode::close);
    }

    static final class Told implements Saga<Order> {

        private final Consumer<SagaDefinition<Order>> definition;

        Told(Consumer<SagaDefinition<Order>> definition) {
            this.definition = definition;
        }

        @Override
        public void define(SagaDefinition<Order> saga) {
            definition.accept(saga);
        }
    }

    private SagaNode node(Consumer<SagaDefinition<Order>> definition) {
        SagaNode node = new SagaNode(schema, connections, "node-" + nodes.size(), new Told(definition));
        nodes.add(node);
        return node;
    }

    private static RunId start(SagaNode node) {
        return node.runs
                .startCode(Told.class, new Order("o-1", 4200), RunOptions.within(Duration.ofMinutes(5)))
                .id();
    }

    private static void awaitState(SagaNode node, RunId id, RunState state) {
        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(node.runs.find(id).orElseThrow().state()).isEqualTo(state));
    }

    private Object effect(String what) {
        effects.add(what);
        return what;
    }

    @Test
    void whatAStepReturnsIsThereForThoseBehindIt() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> Map.of("payment", context.input().id() + "/" + context.attempt()));
            saga.step("stock", context -> 7);
            saga.step("receipt", context -> "sent").storeResultAs("letter");
            saga.step(
                    "ship",
                    context -> effect("%s %d %s"
                            .formatted(
                                    context.get("payment", String.class),
                                    context.get("stock", Integer.class),
                                    context.get("letter", String.class))));
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("o-1/1 7 sent");
    }

    @Test
    void whatWasDoneIsUndoneInReverseWithItsResultUnderKeysOfItsOwn() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> Map.of("payment", "p-1"))
                    .compensate(context ->
                            effect("refund " + context.result(Map.class).orElseThrow()));
            saga.step("stock", context -> effect(context.effectKey()))
                    .compensate(context -> effect(context.effectKey()));
            saga.step("ship", context -> {
                        throw new IllegalStateException("no courier");
                    })
                    .compensate(context -> effect("never"));
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly(id + ":stock", id + ":stock:undo", "refund {payment=p-1}");
        assertThat(node.runs.find(id).orElseThrow().error()).contains("ship", "no courier");
    }

    @Test
    void aStepIsTriedAsOftenAsItsPolicySaysUnderOneKey() {
        SagaNode node = node(saga -> {
            saga.defaults(retry().max(3).delay(Duration.ofMillis(20)));
            saga.step("charge", context -> {
                effect(context.effectKey() + " " + context.attempt());
                throw new IllegalStateException("busy");
            });
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly(id + ":charge 1", id + ":charge 2", id + ":charge 3");
    }

    @Test
    void whatThePolicyDoesNotCoverIsTriedOnce() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("tried");
                    throw new IllegalArgumentException("no card");
                })
                .retry(retry().noRetryOn(IllegalArgumentException.class).delay(Duration.ZERO)));

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("tried");
    }

    @Test
    void anAttemptThatTakesTooLongIsInterruptedAndMayHaveTakenEffect() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("charged");
                    TimeUnit.MINUTES.sleep(1);
                    return null;
                })
                .timeout(Duration.ofMillis(50))
                .compensate(context ->
                        effect("refund, known: " + context.result(String.class).isPresent())));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charged", "refund, known: false");
    }

    @Test
    void whoIsCancelledWhileItWaitsUndoesWhatItDid() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.waitForSignal("approval");
            saga.step("ship", context -> effect("ship")).compensate(context -> effect("never"));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.runs.cancel(id, "changed my mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).containsExactly("charge", "refund");
    }

    @Test
    void anAsynchronousStepIsOverWhenSomebodySaysSo() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> Map.of("courier", "c-1")).async();
            saga.step(
                    "receipt",
                    context ->
                            effect(context.get("courier", String.class) + " " + context.get("parcel", String.class)));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        node.runs.signal(id, Ids.callback("ship", 1), Callback.completed(new Json().tree(Map.of("parcel", "p-9"))));

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("c-1 p-9");
    }

    @Test
    void aWaitThatIsNotAnsweredInTimeFails() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> effect("ship"))
                    .async()
                    .timeout(Duration.ofMillis(50))
                    .compensate(context ->
                            effect("recall " + context.result(String.class).orElseThrow()));
        });

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("charge", "ship", "recall ship", "refund");
    }

    @Test
    void anUndoThatKeepsFailingIsSeenAndGoesOnWhenItIsRetried() {
        boolean[] broken = {true};
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("stock", context -> effect("stock")).compensate(context -> {
                if (broken[0]) {
                    throw new IllegalStateException("closed");
                }
                effect("release");
            });
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);
        assertThat(effects).containsExactly("charge", "stock");
        broken[0] = false;

        assertThat(node.runs.retry(id)).isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("charge", "stock", "release", "refund");
    }

    @Test
    void whatIsFiredAndForgottenFailsNothing() {
        SagaNode node = node(saga -> {
            saga.step("mail", context -> {
                        throw new IllegalStateException("no mailer");
                    })
                    .fireAndForget();
            saga.step("ship", context -> effect("ship"));
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("ship");
    }
}
