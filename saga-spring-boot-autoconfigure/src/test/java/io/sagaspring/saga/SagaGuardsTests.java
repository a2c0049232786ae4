package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.Retry;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.IllegalTransactionStateException;

/** Tests details of sagas that could break unnoticed. Each test fails if the line of code that it guards is removed. */
class SagaGuardsTests extends SagasOnPostgres {

    @Test
    void aStepRunsOnlyIfAllItsConditionsHold() {
        SagaNode node = node(saga -> {
            saga.step("never", context -> effect("never"))
                    .unless(context -> true)
                    .runIf(context -> true);
            saga.waitForSignal("approval").unless(context -> true).runIf(context -> true);
            saga.step("always", context -> effect("always"))
                    .runIf(context -> true)
                    .unless(context -> false);
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("always");
    }

    @Test
    void aChangedRetryPolicyDoesNotAffectEarlierAttempts() {
        SagaNode before = node(failingCharge(retry().max(2).delay(Duration.ZERO)));
        RunId id = start(before);
        awaitState(before, id, RunState.WAITING);
        // The saga does not wait for its fire-and-forget step. Both attempts must have ended before the policy changes.
        await().atMost(20, SECONDS).until(() -> List.copyOf(effects).equals(List.of("charge", "charge")));
        before.close();

        SagaNode after = node(failingCharge(retry().max(1)));
        assertThat(after.sagas.callback(id, "ship").complete(null).applied()).isTrue();

        awaitState(after, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("charge", "charge");
    }

    private Consumer<SagaDefinition<Order>> failingCharge(Retry policy) {
        return saga -> {
            saga.step("charge", context -> {
                        effect("charge");
                        throw new IllegalStateException("busy");
                    })
                    .retry(policy)
                    .fireAndForget();
            saga.step("ship", context -> null).async();
        };
    }

    @Test
    void anInvalidKeyOfACallbackOrSignalIsRefused() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(1));
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepCallback courier = node.sagas.callback(id, "ship");
        String long501 = "k".repeat(501);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> courier.complete(long501, null))
                .withMessage(
                        "The key of a callback or signal has 501 characters. Use 1 to 500 characters that are not all blank, without NUL and without unpaired surrogates.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> courier.fail("\0", new StepError("busy", "no van")))
                .withMessageStartingWith("The key of a callback or signal contains NUL or an unpaired surrogate. ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.sagas.signal(id, "approval", " ", null))
                .withMessageStartingWith("The key of a callback or signal is empty or blank. ");
        assertThatIllegalArgumentException().isThrownBy(() -> node.runs.signal(id, "approval", long501, null));
        assertThat(courier.complete("k".repeat(500), null).applied()).isTrue();
        assertThat(node.sagas.signal(id, "approval", "k".repeat(500), null)).isEqualTo(SignalResult.ACCEPTED);

        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void anExtensionOfMoreThanAYearIsRefused() {
        SagaNode node = node(saga -> saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(1)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepCallback courier = node.sagas.callback(id, "ship");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> courier.extend(Duration.ofDays(36_500)))
                .withMessage(
                        "A timeout cannot be extended by 876000 h at once. Extend it by at most 365 days now, and again later.");
        assertThatIllegalArgumentException().isThrownBy(() -> courier.extend(Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(courier.extend(Duration.ofDays(365)).applied()).isTrue();
        assertThat(courier.extend(Duration.ofDays(365)).applied()).isTrue();
        assertThat(courier.complete(null).applied()).isTrue();

        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    @SuppressWarnings("NullAway") // Passes null, as code without null checks might do.
    void anInputWithoutAnIdempotencyKeyIsRefused() {
        SagaNode node = node(saga -> {
            saga.idempotencyKey(order -> null);
            saga.step("charge", context -> effect("never"));
        });

        assertThatNullPointerException()
                .isThrownBy(() -> node.sagas.start(ScriptedOrder.class, new Order("o-1", 1)))
                .withMessageContaining("idempotency key of saga 'scriptedOrder' is null");
        assertThat(node.sagas.list(SagaQuery.of(ScriptedOrder.class))).isEmpty();
    }

    @Test
    void aTransactionalStepFailsIfItRecordsAnExternalId() {
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    context.correlate("parcel-1");
                    return null;
                })
                .async()
                .dedupe());

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(step(node, id, "ship").error())
                .extracting(StepError::type)
                .isEqualTo(IllegalTransactionStateException.class.getName());
    }

    @Test
    void aPermanentFailureIsNotRetried() {
        SagaNode node = node(saga -> saga.step("ship", context -> effect("ship"))
                .async()
                .retry(retry().max(3).delay(Duration.ZERO)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .failForGood(new StepError("address", "No such street."))
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("ship");
        assertThat(step(node, id, "ship").error()).isEqualTo(new StepError("address", "No such street."));
    }

    @Test
    void aCallbackOrSignalForASkippedStepIsNotAccepted() {
        SagaNode node = node(saga -> {
            saga.step("courier", context -> null).async().runIf(context -> false);
            saga.waitForSignal("discount").runIf(context -> false);
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        CallbackResult answer = node.sagas.callback(id, "courier").complete("done");

        assertThat(answer.applied()).isFalse();
        assertThat(answer.because()).contains("its condition did not hold");
        assertThat(node.sagas.signal(id, "discount", "5 %")).isEqualTo(SignalResult.TOO_LATE);
    }
}
