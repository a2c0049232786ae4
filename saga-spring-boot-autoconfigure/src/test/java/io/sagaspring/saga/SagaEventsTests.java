package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.SagaEvent.Kind;
import io.sagaspring.shop.Courier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that events carry the time, the duration, the attempt, and the error or the reason. */
class SagaEventsTests extends SagasOnPostgres {

    private static final Duration CLOCKS_DIFFER_BY = Duration.ofSeconds(30);

    private static List<Kind> kinds(SagaNode node) {
        return node.events.stream().map(SagaEvent::kind).toList();
    }

    private static SagaEvent onlyEvent(SagaNode node, Kind kind) {
        List<SagaEvent> found =
                node.events.stream().filter(each -> each.kind() == kind).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static void awaitEvent(SagaNode node, Kind kind) {
        await().atMost(SOON).until(() -> kinds(node).contains(kind));
    }

    @Test
    void theEventsOfAFailedExecutionHaveItsErrorTimeAndDuration() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> Courier.ship()).retry(retry().max(2).delay(Duration.ZERO));
        });
        node.isListenerBroken = true;
        Instant before = Instant.now();

        RunId id = start(node);
        awaitEvent(node, Kind.EXECUTION_ENDED);

        StepError error = new StepError(IllegalStateException.class.getName(), "no courier");
        SagaEvent failed = onlyEvent(node, Kind.EXECUTION_FAILED);
        assertThat(failed.execution()).isEqualTo(id);
        assertThat(failed.error()).isEqualTo(error);
        assertThat(failed.reason()).isNull();
        assertThat(failed.at()).isBetween(before, Instant.now());
        assertThat(failed.took()).isBetween(Duration.ZERO, Duration.between(before, Instant.now()));
        assertThat(onlyEvent(node, Kind.EXECUTION_ENDED).error()).isEqualTo(error);
        assertThat(node.events)
                .filteredOn(each -> each.kind() == Kind.STEP_FAILED)
                .extracting(SagaEvent::attempt)
                .containsExactly(1, 2);
        assertThat(node.events)
                .filteredOn(each -> each.kind() == Kind.STEP_FAILED)
                .allSatisfy(each -> {
                    assertThat(each.error()).isEqualTo(error);
                    assertThat(each.took()).isNotNull();
                });
        assertThat(node.events).allSatisfy(each -> assertThat(each.at()).isBetween(before, Instant.now()));
        assertThat(effects).containsExactly("charge", "refund");
        assertThat(kinds(node).subList(kinds(node).size() - 3, kinds(node).size()))
                .containsExactly(Kind.STEP_COMPENSATED, Kind.EXECUTION_FAILED, Kind.EXECUTION_ENDED);
    }

    @Test
    void aCancellationIsPublishedOnceWithItsReasonBeforeTheCompensations() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge"))
                    .compensate(context -> effect("refund"), retry().max(3).delay(Duration.ofMillis(20)));
            saga.step("ship", context -> effect("ship"))
                    .compensate(
                            context -> {
                                if (effects.stream().filter("recall"::equals).count() < 2) {
                                    effect("recall");
                                    throw new IllegalStateException("busy");
                                }
                            },
                            retry().max(5).delay(Duration.ofMillis(20)));
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas.cancel(id, "changed my mind")).isTrue();
        awaitEvent(node, Kind.EXECUTION_ENDED);

        assertThat(onlyEvent(node, Kind.EXECUTION_CANCELLED).reason()).isEqualTo("changed my mind");
        SagaEvent ended = onlyEvent(node, Kind.EXECUTION_ENDED);
        assertThat(ended.reason()).isEqualTo("changed my mind");
        assertThat(ended.error()).isNull();
        List<Kind> kinds = kinds(node);
        assertThat(kinds.indexOf(Kind.EXECUTION_CANCELLED)).isLessThan(kinds.indexOf(Kind.STEP_COMPENSATED));
        assertThat(kinds.get(kinds.size() - 1)).isEqualTo(Kind.EXECUTION_ENDED);
        assertThat(kinds).doesNotContain(Kind.EXECUTION_COMPLETED, Kind.EXECUTION_FAILED);
    }

    @Test
    void aCompletedExecutionPublishesItsCompletionAndItsEnd() {
        SagaNode node = node(saga -> saga.step("charge", context -> effect("charge")));

        start(node);
        awaitEvent(node, Kind.EXECUTION_ENDED);

        assertThat(kinds(node))
                .containsExactly(
                        Kind.STEP_STARTED, Kind.STEP_COMPLETED, Kind.EXECUTION_COMPLETED, Kind.EXECUTION_ENDED);
        assertThat(onlyEvent(node, Kind.EXECUTION_COMPLETED).error()).isNull();
    }

    @Test
    void anExecutionThatExceedsItsTimeoutFailsWithATimeoutError() {
        SagaNode node = node(saga -> {
            saga.waitForSignal("approval");
        });

        node.engine.startCode(ScriptedOrder.class, new Order("o-1", 1), RunOptions.within(Duration.ofMillis(100)));
        awaitEvent(node, Kind.EXECUTION_FAILED);

        assertThat(Objects.requireNonNull(onlyEvent(node, Kind.EXECUTION_FAILED).error())
                        .type())
                .isEqualTo(StepError.TIMEOUT);
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void theEventOfAFailedCompensationHasItsError() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> effect("ship")).compensate(context -> Courier.recall());
            saga.step("receipt", context -> Courier.ship());
        });

        RunId id = start(node);
        awaitEvent(node, Kind.EXECUTION_COMPENSATION_FAILED);

        assertThat(onlyEvent(node, Kind.EXECUTION_COMPENSATION_FAILED).error())
                .isEqualTo(new StepError(IllegalStateException.class.getName(), "nothing is recalled"));
        assertThat(node.sagas.find(id).orElseThrow().state()).isEqualTo(RunState.COMPENSATION_FAILED);
    }

    @Test
    void timeoutEventsArePublishedForRunningAndWaitingSteps() {
        CountDownLatch never = new CountDownLatch(1);
        SagaNode node = node(saga -> {
            saga.step("charge", context -> never.await(1, TimeUnit.MINUTES))
                    .timeout(Duration.ofMillis(50))
                    .fireAndForget();
            saga.waitForSignal("approval").timeout(Duration.ofMillis(60));
        });

        start(node);
        // Nothing waits for the fire-and-forget step, so its timeout may occur after the end of its saga.
        awaitEvent(node, Kind.EXECUTION_ENDED);
        List<SagaEvent> late = await().atMost(SOON)
                .until(
                        () -> node.events.stream()
                                .filter(each -> each.kind() == Kind.STEP_TIMEOUT)
                                .toList(),
                        found -> found.size() == 2);

        assertThat(late).extracting(SagaEvent::step).containsExactlyInAnyOrder("charge", "approval");
        assertThat(late).allSatisfy(each -> {
            assertThat(Objects.requireNonNull(each.error()).isTimeout()).isTrue();
            assertThat(each.took()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
        });
        assertThat(kinds(node)).doesNotContain(Kind.STEP_FAILED);
    }

    @Test
    void theEventOfAFailedAsynchronousStepHasItsErrorAndDuration() {
        SagaNode node =
                node(saga -> saga.step("ship", context -> effect("ship")).async());
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        StepError soldOut = new StepError("sold_out", "Nothing is left.");
        assertThat(node.sagas.callback(id, "ship").fail(soldOut).applied()).isTrue();
        awaitEvent(node, Kind.EXECUTION_FAILED);

        SagaEvent failed = onlyEvent(node, Kind.STEP_FAILED_ASYNC);
        assertThat(failed.error()).isEqualTo(soldOut);
        assertThat(failed.step()).isEqualTo("ship");
        assertThat(failed.attempt()).isEqualTo(1);
        assertThat(failed.took()).isBetween(Duration.ZERO, CLOCKS_DIFFER_BY);
        assertThat(onlyEvent(node, Kind.EXECUTION_FAILED).error()).isEqualTo(soldOut);
    }
}
