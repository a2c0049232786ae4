package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A saga that is cancelled or exceeds its time-out compensates its steps. */
class StoppedSagasTests extends SagasOnPostgres {

    @Test
    void aSagaThatIsCancelledWhileItWaitsCompensatesItsSteps() {
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
    void aSagaThatExceedsItsTimeoutIsCompensatedAndFails() {
        SagaNode node = node(saga -> {
            saga.timeout(Duration.ofHours(1));
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.waitForSignal("approval");
        });
        RunId id = node.sagas.start(ScriptedOrder.class, new Order("o-1", 1)).id();
        awaitState(node, id, RunState.WAITING);

        int due = JdbcClient.create(connections)
                .sql("UPDATE saga_run SET deadline_at = clock_timestamp(), due_at = clock_timestamp() WHERE id = ?")
                .param(id.value())
                .update();
        assertThat(due).isOne();

        awaitState(node, id, RunState.FAILED);

        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(effects).containsExactly("charge", "refund");
        assertThat(seen.error()).extracting(StepError::type).isEqualTo(StepError.TIMEOUT);
        assertThat(seen.steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPENSATED, StepState.TIMED_OUT);
    }

    @Test
    void aSagaThatIsCancelledInItsLastStepIsCompensated() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    assertThat(self[0].sagas.cancel(RunId.of(context.executionId()), "changed my mind"))
                            .isTrue();
                    return effect("charge");
                })
                .compensate(context -> effect("refund")));
        self[0] = node;

        RunId id = start(node);
        awaitState(node, id, RunState.CANCELLED);

        assertThat(effects).containsExactly("charge", "refund");
        assertThat(node.sagas.find(id).orElseThrow().cancelledAt()).isNotNull();
    }

    @Test
    void aCancellationDuringAStepCancelsTheConditionalStepThatFollows() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> {
            saga.step("charge", context -> {
                assertThat(self[0].sagas.cancel(RunId.of(context.executionId()), "changed my mind"))
                        .isTrue();
                return null;
            });
            saga.step("ship", context -> effect("never")).runIf(context -> true);
        });
        self[0] = node;

        RunId id = start(node);
        awaitState(node, id, RunState.CANCELLED);

        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPLETED, StepState.CANCELLED);
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void aFailedSagaThatIsCancelledDuringItsCompensationStillEndsAsFailed() {
        SagaNode[] self = new SagaNode[1];
        boolean[] broken = {true};
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> {
                assertThat(self[0].sagas.cancel(RunId.of(context.executionId()), "changed my mind"))
                        .isTrue();
                if (broken[0]) {
                    throw new IllegalStateException("closed");
                }
            });
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
            saga.step("receipt", context -> effect("never"));
        });
        self[0] = node;
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPENSATING, StepState.FAILED, StepState.CANCELLED);
        broken[0] = false;
        assertThat(node.sagas.retry(id)).isTrue();

        awaitState(node, id, RunState.FAILED);

        assertThat(node.sagas.find(id).orElseThrow().error())
                .isEqualTo(new StepError(IllegalStateException.class.getName(), "no courier"));
    }

    @Test
    void aSagaThatExceedsItsTimeoutBeforeItBeginsFailsWithATimeout() {
        SagaNode node = node(saga -> {
            saga.timeout(Duration.ofMillis(1));
            saga.step("charge", context -> effect("never"));
        });
        node.engine.stop();
        RunId id = node.sagas.start(ScriptedOrder.class, new Order("o-1", 1)).id();
        Instant late = node.sagas.find(id).orElseThrow().startedAt().plusMillis(50);
        await().atMost(SOON).until(() -> Instant.now().isAfter(late));
        node.engine.open();

        awaitState(node, id, RunState.FAILED);

        assertThat(effects).isEmpty();
        assertThat(node.sagas.find(id).orElseThrow().error())
                .extracting(StepError::type)
                .isEqualTo(StepError.TIMEOUT);
    }
}
