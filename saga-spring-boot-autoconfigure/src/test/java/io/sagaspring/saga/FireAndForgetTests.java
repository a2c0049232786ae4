package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.shop.Courier;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests that a fire-and-forget step is durable and does not delay later steps. */
class FireAndForgetTests extends SagasOnPostgres {

    private static void awaitStep(SagaNode node, RunId id, String name, StepState state) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(step(node, id, name).state()).isEqualTo(state));
    }

    @Test
    void laterStepsDoNotWaitForAFireAndForgetStep() {
        CountDownLatch mailer = new CountDownLatch(1);
        SagaNode node = node(saga -> {
            saga.step("mail", context -> {
                        boolean unused = mailer.await(1, TimeUnit.MINUTES);
                        return effect(context.effectKey());
                    })
                    .fireAndForget();
            saga.step("ship", context -> effect("ship"));
        });

        RunId id = start(node);
        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("ship");
        awaitStep(node, id, "mail", StepState.RUNNING);

        mailer.countDown();
        awaitStep(node, id, "mail", StepState.COMPLETED);
        assertThat(effects).containsExactly("ship", id + ":mail");
    }

    @Test
    void aFireAndForgetStepIsRetriedWithTheSameEffectKey() {
        SagaNode node = node(saga -> {
            saga.step("mail", context -> {
                        effect(context.effectKey() + " " + context.attempt());
                        return Courier.ship();
                    })
                    .retry(retry().max(3).delay(Duration.ofMillis(20)))
                    .fireAndForget();
            saga.step("ship", context -> null);
        });

        RunId id = start(node);
        awaitState(node, id, RunState.COMPLETED);
        awaitStep(node, id, "mail", StepState.FAILED);

        assertThat(effects).containsExactly(id + ":mail 1", id + ":mail 2", id + ":mail 3");
        StepView mail = step(node, id, "mail");
        assertThat(mail.attempt()).isEqualTo(3);
        assertThat(mail.error()).isEqualTo(new StepError(IllegalStateException.class.getName(), "no courier"));
        assertThat(mail.trace()).anyMatch(line -> line.contains("Courier.ship("));
        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(seen.state()).isEqualTo(RunState.COMPLETED);
        assertThat(seen.error()).isNull();
    }

    @Test
    void aFailedFireAndForgetStepContinuesAfterARetryOfItsRun() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        SagaNode node = node(saga -> saga.step("mail", context -> isBroken.get() ? Courier.ship() : effect("mail"))
                .fireAndForget());
        RunId id = start(node);
        awaitStep(node, id, "mail", StepState.FAILED);
        RunId run = Objects.requireNonNull(step(node, id, "mail").run());

        isBroken.set(false);
        assertThat(node.runs.retry(run)).isTrue();

        awaitStep(node, id, "mail", StepState.COMPLETED);
        assertThat(effects).containsExactly("mail");
        assertThat(step(node, id, "mail").attempt()).isEqualTo(2);
    }

    @Test
    void aFireAndForgetStepRespectsItsConditionAndSeesTheContextOfItsStart() {
        CountDownLatch shipped = new CountDownLatch(1);
        SagaNode node = node(saga -> {
            saga.step("never", context -> effect("never"))
                    .runIf(context -> false)
                    .fireAndForget();
            saga.step("charge", context -> Map.of("payment", "p-1"));
            saga.step("mail", context -> {
                        boolean unused = shipped.await(1, TimeUnit.MINUTES);
                        return effect("%s %s %s"
                                .formatted(
                                        context.input().id(),
                                        context.get("payment", String.class),
                                        context.find("parcel", String.class)));
                    })
                    .fireAndForget();
            saga.step("ship", context -> Map.of("parcel", "p-9"));
        });

        RunId id = start(node);
        awaitState(node, id, RunState.COMPLETED);
        shipped.countDown();

        awaitStep(node, id, "mail", StepState.COMPLETED);
        assertThat(effects).containsExactly("o-1 p-1 Optional.empty");
        assertThat(node.sagas.find(id).orElseThrow().step("never")).isEmpty();
        assertThat(node.sagas.find(id).orElseThrow().context()).containsOnlyKeys("payment", "parcel");
    }

    @Test
    void onlyFireAndForgetStepsThatHaveStartedSurviveACancellation() {
        CountDownLatch mailer = new CountDownLatch(1);
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("mail", context -> {
                        boolean unused = mailer.await(1, TimeUnit.MINUTES);
                        return effect("mail");
                    })
                    .fireAndForget();
            saga.waitForSignal("approval");
            saga.step("receipt", context -> effect("receipt")).fireAndForget();
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas.cancel(id, "changed my mind")).isTrue();
        awaitState(node, id, RunState.CANCELLED);
        mailer.countDown();

        awaitStep(node, id, "mail", StepState.COMPLETED);
        assertThat(effects).containsExactly("charge", "refund", "mail");
        assertThat(step(node, id, "receipt").state()).isEqualTo(StepState.CANCELLED);
    }

    @Test
    void aTooLargeInputOfAFireAndForgetStepFailsTheExecution() {
        SagaNode node = node(saga -> {
            for (String each : List.of("charge", "pack")) {
                saga.step(each, context -> Map.of(each, "x".repeat(60_000)))
                        .compensate(context -> effect("undo " + each));
            }
            saga.step("mail", context -> effect("mail")).fireAndForget();
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("undo pack", "undo charge");
        assertThat(node.sagas.find(id).orElseThrow().error()).asString().contains("100000 are allowed");
        assertThat(step(node, id, "mail").state()).isEqualTo(StepState.FAILED);
    }

    @Test
    void awaitWaitsForFireAndForgetSteps() throws Exception {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> null);
            saga.step("mail", context -> {
                        TimeUnit.MILLISECONDS.sleep(300);
                        return effect("mail");
                    })
                    .fireAndForget();
        });

        RunId id = start(node);
        SagaResult result = node.sagas.await(id, SOON);
        ExecutionView seen = node.sagas.find(id).orElseThrow();

        assertThat(result.state()).isEqualTo(RunState.COMPLETED);
        assertThat(seen.steps()).extracting(StepView::state).containsOnly(StepState.COMPLETED);
        assertThat(effects).containsExactly("mail");
    }
}
