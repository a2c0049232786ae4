package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RetryLater;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Tests that a step is attempted as often as its policy allows, and as often again each time a person retries its saga.
 */
class SagaAttemptsTests extends SagasOnPostgres {

    @Test
    void aStepIsRetriedWithTheSameEffectKeyAsItsPolicyAllows() {
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
    void aStepIsNotRetriedAfterAFailureThatItsPolicyExcludes() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("tried");
                    throw new IllegalArgumentException("no card");
                })
                .retry(retry().noRetryOn(IllegalArgumentException.class).delay(Duration.ZERO)));

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("tried");
    }

    private static final class Closed extends RuntimeException implements RetryLater {

        private static final long serialVersionUID = 1L;

        @Override
        public Duration retryAfter() {
            return Duration.ofMillis(1);
        }
    }

    /** With the policy's pause of one minute, this test would exceed its time limit. */
    @Test
    void anExceptionCanSetThePauseBeforeTheNextAttempt() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("attempt " + context.attempt());
                    throw new Closed();
                })
                .retry(retry().max(2).delay(Duration.ofMinutes(1))));

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("attempt 1", "attempt 2");
    }

    /** Fails if the journaled text is truncated, because then the next node cannot read whether to retry the step. */
    @Test
    void aFailureWithALongMessageCanBeReadFromTheJournal() {
        List<String> messages = List.of("\n".repeat(9_000), "x".repeat(9_000));
        for (String message : messages) {
            SagaNode node = node(saga -> {
                saga.step("charge", context -> "c-1").compensate(context -> effect("refund"));
                saga.step("stock", context -> {
                            throw new IllegalArgumentException("Sold out." + message);
                        })
                        .retry(retry().noRetryOn(IllegalArgumentException.class));
            });

            RunId id = start(node);
            awaitState(node, id, RunState.FAILED);

            StepError error = Objects.requireNonNull(node.sagas
                    .find(id)
                    .orElseThrow()
                    .step("stock")
                    .orElseThrow()
                    .error());
            assertThat(error.type()).isEqualTo(IllegalArgumentException.class.getName());
            assertThat(error.message()).startsWith("Sold out.");
        }
        assertThat(effects).containsExactly("refund", "refund");
    }

    /** Fails if the journal differs from the decision that was taken, because then the execution is blocked. */
    @Test
    @ExpectsErrors("could not be compensated")
    void aNonRetryableFailureIsFinalWhenItsSagaIsPickedUpAgain() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        SagaNode node = node(saga -> {
            saga.step("charge", context -> "c-1").compensate(context -> {
                effect("refund");
                if (isBroken.get()) {
                    throw new IllegalStateException("No refunds today.");
                }
            });
            saga.step("stock", context -> {
                        effect("stock");
                        throw new IllegalArgumentException("x".repeat(9_000));
                    })
                    .retry(retry().noRetryOn(IllegalArgumentException.class));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        isBroken.set(false);
        assertThat(node.sagas.retry(id)).isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("stock", "refund", "refund");
    }

    @Test
    void aTimedOutAttemptIsInterruptedAndCompensatedWithoutAResult() {
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
    void aRetriedSagaWithoutCompensationsContinuesAtItsFailedStepWithNewAttempts() {
        boolean[] broken = {true};
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge"));
            saga.step("ship", context -> {
                        effect("ship " + context.attempt());
                        if (broken[0]) {
                            throw new IllegalStateException("no courier");
                        }
                        return null;
                    })
                    .retry(retry().max(2).delay(Duration.ZERO));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);
        ExecutionView failed = node.sagas.find(id).orElseThrow();
        assertThat(failed.error()).isEqualTo(new StepError(IllegalStateException.class.getName(), "no courier"));
        assertThat(failed.step("ship").orElseThrow().state()).isEqualTo(StepState.FAILED);

        assertThat(node.sagas.retry(id)).isTrue();
        await().atMost(SOON).untilAsserted(() -> assertThat(effects).hasSize(5));
        awaitState(node, id, RunState.FAILED);
        broken[0] = false;
        assertThat(node.sagas.retry(id)).isTrue();

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("charge", "ship 1", "ship 2", "ship 3", "ship 4", "ship 5");
    }

    @Test
    void aCompensatedSagaCannotBeRetried() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });
        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(node.sagas.retry(id)).isFalse();

        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(seen.error()).hasToString(IllegalStateException.class.getName() + ": no courier");
        assertThat(seen.steps()).extracting(StepView::state).containsExactly(StepState.COMPENSATED, StepState.FAILED);
        assertThat(seen.step("charge").orElseThrow().emptyRollback()).isFalse();
    }

    @Test
    void aStepThatThrowsAgainAfterARetryIsNotCompensated() {
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    effect("ship " + context.attempt());
                    throw new IllegalStateException("no courier");
                })
                .compensate(context -> effect("never")));
        RunId id = start(node);
        for (int retries = 1; retries <= 3; retries++) {
            int attempts = retries;
            await().atMost(SOON).untilAsserted(() -> assertThat(effects).hasSize(attempts));
            awaitState(node, id, RunState.FAILED);
            assertThat(node.sagas.retry(id)).isTrue();
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(effects).hasSize(4));

        assertThat(effects).containsExactly("ship 1", "ship 2", "ship 3", "ship 4");
    }
}
