package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.shop.Courier;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Tests that the cause of a failure stays known, with the application's own stack frames, however the compensations
 * end.
 */
class FirstCauseTests extends SagasOnPostgres {

    private static void assertCourier(FailureCause cause) {
        assertThat(cause.step()).isEqualTo("ship");
        assertThat(cause.error()).isEqualTo(new StepError(IllegalStateException.class.getName(), "no courier"));
        assertThat(cause.trace())
                .anyMatch(line -> line.startsWith("io.sagaspring.shop.Courier.ship(Courier.java:"))
                .contains("Caused by: " + ConnectException.class.getName() + ": courier:443 refused")
                .anyMatch(line -> line.startsWith("io.sagaspring.shop.Courier.call(Courier.java:"))
                .noneMatch(line -> line.contains("Bodies"));
        assertThat(cause.at()).isNotNull();
    }

    private static String errorOfTheRun(SagaNode node, RunId id) {
        return Objects.requireNonNull(node.runs.find(id).orElseThrow().error());
    }

    private static FailureCause cause(SagaNode node, RunId id) {
        return Objects.requireNonNull(node.sagas.find(id).orElseThrow().cause());
    }

    @Test
    void theCauseOfAFailureIsStillKnownAfterTheCompensation() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> Courier.ship());
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertCourier(cause(node, id));
        assertThat(step(node, id, "ship").trace()).isEqualTo(cause(node, id).trace());
        assertThat(step(node, id, "charge").trace()).isEmpty();
        assertThat(errorOfTheRun(node, id))
                .startsWith(SagaFailedException.class.getName() + ": Step 'ship' failed")
                .contains("at io.sagaspring.shop.Courier.ship(Courier.java:")
                .contains("Caused by: " + ConnectException.class.getName() + ": courier:443 refused")
                .contains("at io.sagaspring.shop.Courier.call(Courier.java:")
                .doesNotContain("io.sagaspring.run.", "java.base");
    }

    /** Fails if only the node on which the step failed knows the cause, and not the node that compensates. */
    @Test
    @ExpectsErrors("could not be compensated")
    void theCauseSurvivesAFailedCompensationAndItsRetry() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge"))
                    .compensate(
                            context -> {
                                Object unused = isBroken.get() ? Courier.recall() : effect("refund");
                            },
                            retry().max(2).delay(Duration.ofMillis(20)));
            saga.step("ship", context -> Courier.ship());
        });
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        assertCourier(cause(node, id));
        assertThat(step(node, id, "charge").trace())
                .anyMatch(line -> line.startsWith("io.sagaspring.shop.Courier.recall(Courier.java:"));
        assertThat(errorOfTheRun(node, id))
                .contains("Step 'charge' could not be compensated")
                .contains("Courier.recall(")
                .contains("Step 'ship' failed", "Courier.ship(", "courier:443 refused");

        isBroken.set(false);
        assertThat(node.sagas.retry(id)).isTrue();
        awaitState(node, id, RunState.FAILED);

        assertCourier(cause(node, id));
        assertThat(errorOfTheRun(node, id)).contains("Courier.ship(", "courier:443 refused");
    }

    @Test
    void aFailedExecutionWithNothingToCompensateHasACause() {
        SagaNode node = node(saga -> saga.step("ship", context -> Courier.ship()));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertCourier(cause(node, id));
    }

    @Test
    void aCancelledExecutionHasAReasonAndNoCause() {
        SagaNode node = node(saga -> saga.waitForSignal("approval"));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas.cancel(id, "changed my mind")).isTrue();
        awaitState(node, id, RunState.CANCELLED);

        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(seen.cause()).isNull();
        assertThat(seen.cancelReason()).isEqualTo("changed my mind");
    }

    /** Fails if the journaled cause is truncated in the middle. */
    @Test
    void aLongMessageAndADeepStackDoNotHideTheRootCause() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> {
                RuntimeException root = new IllegalArgumentException("the root");
                for (int depth = 0; depth < 200; depth++) {
                    root = new IllegalStateException("\u0001".repeat(3_000), root);
                }
                throw root;
            });
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(cause(node, id).trace())
                .contains("Caused by: " + IllegalArgumentException.class.getName() + ": the root");
        assertThat(errorOfTheRun(node, id)).contains("the root");
        assertThat(cause(node, id).error().type()).isEqualTo(IllegalStateException.class.getName());
    }
}
