package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that a saga completes, or that its completed steps are compensated in reverse order. */
class SagaTests extends SagasOnPostgres {

    @Test
    void laterStepsReadTheResultOfAStep() {
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
    void completedStepsAreCompensatedInReverseOrderWithTheirResultsAndOwnEffectKeys() {
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
    @ExpectsErrors("could not be compensated")
    void aSagaWithAFailedCompensationContinuesAfterARetry() {
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
    void aFailedFireAndForgetStepDoesNotFailTheSaga() {
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

    @Test
    void aStepWhoseConditionDoesNotHoldIsNotListed() {
        SagaNode node = node(saga -> {
            saga.step("small", context -> effect("small"))
                    .unless(context -> context.input().cents() > 1000);
            saga.step("large", context -> effect("large"))
                    .runIf(context -> context.input().cents() > 1000);
        });
        RunId id = start(node);

        awaitState(node, id, RunState.COMPLETED);

        assertThat(effects).containsExactly("large");
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::name)
                .containsExactly("large");
    }

    @Test
    void listenersAreNotifiedOfAttemptsWaitsSignalsAndTheEnd() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> {
                        if (context.attempt() == 1) {
                            throw new IllegalStateException("busy");
                        }
                        return null;
                    })
                    .retry(retry().max(2).delay(Duration.ofMillis(10)));
            saga.step("ship", context -> null).async();
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        assertThat(node.sagas.callback(id, "ship").complete(null).applied()).isTrue();
        assertThat(node.sagas.signal(id, "approval", "yes")).isEqualTo(SignalResult.ACCEPTED);
        awaitState(node, id, RunState.COMPLETED);

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(node.events)
                        .extracting(event -> event.kind().text() + " " + event.step() + " " + event.attempt())
                        .containsSubsequence(
                                "step.started charge 1",
                                "step.failed charge 1",
                                "retry.scheduled charge 2",
                                "step.started charge 2",
                                "step.completed charge 2",
                                "step.started ship 1",
                                "step.waiting ship 1",
                                "execution.completed null 0")
                        .contains(
                                "step.completed_async ship 1",
                                "step.waiting approval 1",
                                "signal.received approval 1"));
    }

    @Test
    void aKeyThatIsFreeAtTheEndStartsTheSagaAgain() {
        SagaNode node = node(saga -> {
            saga.idempotencyKey(Order::id).whileOpen();
            saga.waitForSignal("approval");
        });
        SagaHandle first = node.sagas.start(ScriptedOrder.class, new Order("o-1", 1));
        awaitState(node, first.id(), RunState.WAITING);
        assertThat(node.sagas.start(ScriptedOrder.class, new Order("o-1", 2)).id())
                .isEqualTo(first.id());

        assertThat(node.sagas.signal(first.id(), "approval", null)).isEqualTo(SignalResult.ACCEPTED);
        awaitState(node, first.id(), RunState.COMPLETED);

        SagaHandle second = node.sagas.start(ScriptedOrder.class, new Order("o-1", 3));
        assertThat(second.isNew()).isTrue();
        assertThat(second.id()).isNotEqualTo(first.id());
    }
}
