package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an accepted callback or signal ends the wait of its step once. */
class SagaCallbacksTests extends SagasOnPostgres {

    @Test
    void anAsynchronousStepCompletesWithItsCallback() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> Map.of("courier", "c-1")).async();
            saga.step(
                    "receipt",
                    context -> effect(context.get("courier", String.class) + " " + context.get("ship", Map.class)));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .complete(Map.of("parcel", "p-9"))
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("c-1 {parcel=p-9}");
    }

    @Test
    void aStepWhoseCallbackDoesNotArriveInTimeFails() {
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
    void aTokenIsValidOnlyForItsOwnAttempt() {
        List<String> tokens = new CopyOnWriteArrayList<>();
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    tokens.add(context.callbackToken());
                    return null;
                })
                .async()
                .retry(retry().max(2).delay(Duration.ZERO)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        RunId other = start(node);
        awaitState(node, other, RunState.WAITING);
        String first = tokens.get(0);

        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback(other.toString(), "ship", first));
        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback(id.toString(), "ship", null));
        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback("nobody", "ship", first));
        StepCallback callback = node.sagas.callback(id.toString(), "ship", first);
        assertThat(callback.heartbeat().applied()).isTrue();
        assertThat(node.sagas.find(id).orElseThrow().step("ship").orElseThrow().heartbeatAt())
                .isNotNull();
        assertThat(callback.fail(new StepError("lost", "van")).applied()).isTrue();
        await().atMost(SOON).untilAsserted(() -> assertThat(tokens).hasSize(3));
        awaitState(node, id, RunState.WAITING);

        assertThat(callback.complete("late"))
                .isEqualTo(new CallbackResult(false, "Attempt 1 of step 'ship' has ended. The latest attempt is 2."));
        assertThat(callback.heartbeat().applied()).isFalse();
        assertThat(node.sagas
                        .callback(id.toString(), "ship", tokens.get(2))
                        .complete("there")
                        .applied())
                .isTrue();
        awaitState(node, id, RunState.COMPLETED);
        assertThat(node.sagas.find(id).orElseThrow().context()).containsEntry("ship", "there");
    }

    @Test
    void aCallbackThatArrivesBeforeItsStepThrowsCompletesTheStep() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    StepCallback early = self[0].sagas.callback(context.executionId(), "ship", context.callbackToken());
                    assertThat(early.complete("there").applied()).isTrue();
                    throw new IllegalStateException("answer lost");
                })
                .async());
        self[0] = node;

        RunId id = start(node);

        awaitState(node, id, RunState.COMPLETED);
        assertThat(node.sagas.find(id).orElseThrow().context()).containsEntry("ship", "there");
    }

    @Test
    void aCallbackIsFoundByItsExternalId() {
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    context.correlate("parcel-" + context.executionId());
                    return null;
                })
                .async());
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThatExceptionOfType(NoSuchCallbackException.class).isThrownBy(() -> node.sagas.correlated("parcel-0"));
        assertThat(node.sagas.correlated("parcel-" + id).complete("k", "there").applied())
                .isTrue();
        assertThat(node.sagas.correlated("parcel-" + id).complete("k", "there"))
                .isEqualTo(new CallbackResult(false, "A callback with this key has already been accepted."));

        awaitState(node, id, RunState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "parcel\0", "\uD83D", "501"})
    void anInvalidExternalIdFailsItsStepAndTheLookUp(String given) {
        String externalId = given.equals("501") ? "n".repeat(501) : given;
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> {
                        context.correlate(externalId);
                        return null;
                    })
                    .async();
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "refund");
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .filteredOn(step -> step.name().equals("ship"))
                .singleElement()
                .satisfies(
                        step -> assertThat(Objects.requireNonNull(step.error()).type())
                                .isEqualTo(InvalidNameException.class.getName()));
        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> node.sagas.correlated(externalId));
    }

    @Test
    void anExtendedStepHasALaterDeadline() {
        SagaNode node = node(saga -> saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(1)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        Instant before = deadlineOf(node, id);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .extend(Duration.ofMinutes(10))
                        .applied())
                .isTrue();

        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(deadlineOf(node, id)).isBetween(before.plusSeconds(590), before.plusSeconds(610)));
        assertThat(node.sagas.callback(id, "ship").complete(null).applied()).isTrue();
        awaitState(node, id, RunState.COMPLETED);
    }

    private static Instant deadlineOf(SagaNode node, RunId id) {
        return Objects.requireNonNullElse(
                node.sagas.find(id).orElseThrow().step("ship").orElseThrow().deadline(), Instant.EPOCH);
    }

    @Test
    void anEarlySignalIsDeliveredToItsWaitOnce() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> null).async();
            saga.waitForSignal("approval").storeResultAs("decision");
            saga.step("receipt", context -> effect(context.get("decision", String.class)));
        });
        RunId id = start(node);

        assertThat(node.sagas.signal(id, "approval", "k", "yes")).isEqualTo(SignalResult.ACCEPTED);
        assertThat(node.sagas.signal(id, "approval", "k", "yes")).isEqualTo(SignalResult.REPEATED);
        assertThat(node.sagas.signal(id, "approval", "no")).isEqualTo(SignalResult.TOO_LATE);
        assertThat(node.sagas.callback(id, "ship").complete(null).applied()).isTrue();

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("yes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.sagas.signal(id, "aproval", "yes"))
                .withMessageContaining("'aproval'")
                .withMessageContaining("approval");
    }

    @Test
    void theCompensationReceivesAnEarlierAttemptsResultAfterALaterAttemptFailed() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    if (context.attempt() == 1) {
                        return "parcel-1";
                    }
                    StepCallback early = self[0].sagas.callback(context.executionId(), "ship", context.callbackToken());
                    assertThat(early.fail(new StepError("lost", "van")).applied())
                            .isTrue();
                    throw new IllegalStateException("answer lost");
                })
                .async()
                .retry(retry().max(2).delay(Duration.ZERO))
                .compensate(context -> effect("recall " + context.result(String.class) + context.tookEffect())));
        self[0] = node;
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .fail(new StepError("lost", "van"))
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("recall Optional[parcel-1]true");
        assertThat(node.sagas.find(id).orElseThrow().step("ship").orElseThrow().emptyRollback())
                .isFalse();
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void aFailedCompensationIsShownEvenIfOnlyACallbackProvesThatTheStepBegan() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("never"));
            saga.step("ship", context -> {
                        if (context.attempt() == 1) {
                            StepCallback early =
                                    self[0].sagas.callback(context.executionId(), "ship", context.callbackToken());
                            assertThat(early.fail(new StepError("lost", "van")).applied())
                                    .isTrue();
                        }
                        throw new IllegalStateException("answer lost");
                    })
                    .async()
                    .retry(retry().max(2).delay(Duration.ZERO))
                    .compensate(
                            context -> {
                                throw new IllegalStateException("closed");
                            },
                            retry().max(1));
        });
        self[0] = node;

        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPLETED, StepState.COMPENSATING);
    }
}
