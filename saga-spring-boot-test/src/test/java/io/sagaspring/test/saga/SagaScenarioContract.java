package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.SagaEvent;
import io.sagaspring.saga.StepError;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests scenarios for each store. The tests with crashes are inherited, so that all tests share one context. */
abstract class SagaScenarioContract extends CrashedNodesContract {

    @Test
    void aSagaWaitsForACallbackAndCompletes() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .then()
                .isWaiting()
                .hasStep("arrange_fulfillment")
                .waiting()
                .and()
                .hasStep("send_receipt")
                .pending()
                .and()
                .when()
                .completed("arrange_fulfillment", Map.of("carrier", "by sea"))
                .then()
                .isCompleted()
                .hasStep("charge_card")
                .completed()
                .afterAttempts(1)
                .and()
                .skipped("approval")
                .hasContext("payment", "p-o-1")
                .hasContext("charged", true)
                .hasContext("arrange_fulfillment", Map.of("carrier", "by sea"))
                .compensatedNothing()
                .effects()
                .are("charge_card", "reserve_stock", "arrange_fulfillment", "send_receipt")
                .eachOnce();
    }

    @Test
    void eachRetryIsExecutedAtItsScheduledTime() {
        moods.fails("charge_card", 2);
        Instant begun = clock.instant();

        SagaExecution execution = scenario.given(CheckoutSaga.class, ORDER).whenStarted();

        execution.then().isWaiting().hasStep("charge_card").pending();
        execution
                .timePasses(Duration.ofSeconds(8))
                .then()
                .effects()
                .never("charge_card")
                .and()
                .when()
                .timePasses(Duration.ofMinutes(10))
                .then()
                .hasStep("charge_card")
                .completed()
                .afterAttempts(3)
                .and()
                .hasStep("arrange_fulfillment")
                .waiting();
        // The second attempt begins after 10 s and the third attempt 20 s later, and not both at the end of the ten
        // minutes.
        assertThat(execution.view().step("arrange_fulfillment").orElseThrow().deadline())
                .isBetween(begun.minusSeconds(608), begun.plusSeconds(15 * 60 + 35));
        assertThat(Duration.between(begun, clock.instant())).isGreaterThanOrEqualTo(Duration.ofSeconds(608));
        assertThat(events.stream(SagaEvent.class).map(SagaEvent::kind))
                .contains(SagaEvent.Kind.RETRY_SCHEDULED, SagaEvent.Kind.STEP_COMPLETED);
    }

    /** The application of this test has no tenants, so the test names tenants. */
    @Test
    void anExecutionIsStartedAndContinuedInTheTenantThatTheTestNames() {
        List<String> seen = new ArrayList<>();
        moods.does("charge_card", () -> seen.add(tenants.current()));
        moods.does("send_receipt", () -> seen.add(tenants.current()));
        SagaExecution ofA = scenario.given(CheckoutSaga.class, ORDER)
                .inTenant("a")
                .crashesAfter("charge_card")
                .whenStarted();
        SagaExecution ofB =
                scenario.given(CheckoutSaga.class, ORDER).inTenant("b").whenStarted();

        ofA.resumed().completed("arrange_fulfillment", Map.of()).then().isCompleted();
        ofB.completed("arrange_fulfillment", Map.of()).then().isCompleted();

        assertThat(ofA.view().tenant()).isEqualTo("a");
        assertThat(ofB.view().tenant()).isEqualTo("b");
        assertThat(ofA.view().id()).isNotEqualTo(ofB.view().id());
        assertThat(seen).containsExactlyInAnyOrder("a", "a", "b", "b");
    }

    @Test
    void aCallbackTimeoutCompensatesStepsInReverseOrder() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .timePasses(Duration.ofMinutes(14))
                .then()
                .isWaiting()
                .when()
                .timePasses(Duration.ofMinutes(1))
                .then()
                .isFailedWith("timeout")
                .compensatedInOrder("reserve_stock", "charge_card")
                .hasStep("charge_card")
                .compensated()
                .and()
                .hasStep("arrange_fulfillment")
                .timedOut()
                .withError("timeout")
                .and()
                .effects()
                .are("charge_card", "reserve_stock", "arrange_fulfillment", "reserve_stock:undo", "charge_card:undo");
    }

    @Test
    void anExtensionIsAddedToTheCurrentDeadline() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .timePasses(Duration.ofMinutes(14))
                .called((sagas, id) -> assertThat(sagas.callback(id, "arrange_fulfillment")
                                .extend(Duration.ofMinutes(10))
                                .applied())
                        .isTrue())
                .timePasses(Duration.ofMinutes(10))
                .then()
                .isWaiting()
                .when()
                .timePasses(Duration.ofMinutes(1))
                .then()
                .isFailedWith("timeout");
    }

    @Test
    void aStepThatFailsWithoutRetriesFailsTheSaga() {
        moods.fails("reserve_stock", 1);

        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .then()
                .isFailedWith(IllegalStateException.class)
                .compensatedInOrder("charge_card")
                .hasStep("reserve_stock")
                .failed();
    }

    @Test
    void aSagaReceivesFailedCallbacksSignalsAndCancellations() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .failed("arrange_fulfillment", new StepError("sold_out", "Nothing is left."))
                .then()
                .isFailedWith("sold_out");
        scenario.given(CheckoutSaga.class, LARGE)
                .whenStarted()
                .completed("arrange_fulfillment")
                .then()
                .hasStep("approval")
                .waiting()
                .and()
                .when()
                .signalled("approval", "granted")
                .then()
                .isCompleted()
                .hasContext("approval", "granted");
        scenario.given(CheckoutSaga.class, new Checkout("o-3", 1))
                .whenStarted()
                .cancelled("changed my mind")
                .then()
                .isCancelled()
                .compensatedInOrder("reserve_stock", "charge_card");
    }

    @Test
    void aRetryContinuesAFailedCompensation() {
        SagaExecution execution = scenario.given(CheckoutSaga.class, ORDER).whenStarted();
        moods.fails("charge_card", 3);

        execution
                .cancelled("changed my mind")
                .timePasses(Duration.ofMinutes(1))
                .then()
                .hasState(RunState.COMPENSATION_FAILED)
                .when()
                .retried()
                .then()
                .isCancelled()
                .compensatedInOrder("reserve_stock", "charge_card");
    }

    @Test
    void aScenarioRunsSagasThatTheApplicationStarted() {
        var started = sagas.start(CheckoutSaga.class, ORDER);
        assertThat(sagas.find(started.id()).orElseThrow().state()).isEqualTo(RunState.PENDING);

        scenario.execution(started.id()).then().isWaiting();

        assertThat(sagas.start(CheckoutSaga.class, ORDER).isNew()).isFalse();
        assertThat(sagas.correlated("shipment-o-1").complete(null).applied()).isTrue();
        scenario.runWhatIsDue();
        scenario.execution(started.id()).then().isCompleted();
    }

    @Test
    void settingTheClockExecutesNothing() {
        SagaExecution execution = scenario.given(CheckoutSaga.class, ORDER).whenStarted();

        clock.set(clock.instant().plus(Duration.ofMinutes(16)));

        execution.then().isWaiting().when().runWhatIsDue().then().isFailed();
    }

    @Test
    void aFailedAssertionReportsTheStatesOfTheSteps() {
        moods.fails("reserve_stock", 1);
        SagaExecution execution = scenario.given(CheckoutSaga.class, ORDER).whenStarted();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> execution.then().isCompleted())
                .withMessageContainingAll(
                        "Expected the execution to be completed, but it is failed",
                        "charge_card",
                        "compensated",
                        "bad mood");
        for (Runnable wrong : List.<Runnable>of(
                () -> execution.then().hasStep("charge"),
                () -> execution.then().hasStep("charge_card").completed(),
                () -> execution.then().hasStep("charge_card").afterAttempts(2),
                () -> execution.then().hasStep("charge_card").withError("timeout"),
                () -> execution.then().hasStep("charge_card").withEmptyRollback(),
                () -> execution.then().skipped("charge_card"),
                () -> execution.then().isFailedWith("timeout"),
                () -> execution.then().compensatedInOrder("charge_card", "reserve_stock"),
                () -> execution.then().compensatedNothing(),
                () -> execution.then().hasContext("payment", "another"),
                () -> execution.then().effects().are("charge_card"),
                () -> execution.then().effects().never("charge_card"),
                () -> execution.then().effects().tookEffectOnce("send_receipt"),
                () -> execution.cancelled("too late"),
                () -> execution.retried(),
                () -> execution.completed("arrange_fulfillment"),
                () -> execution.signalled("approval", true),
                () -> execution.crashesBefore("send_receipt").resumed())) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(wrong::run);
        }
    }

    @Test
    void timePassesWhileTheApplicationAwaitsASaga() throws Exception {
        moods.fails("charge_card", 2);
        RunId started = sagas.start(CheckoutSaga.class, ORDER).id();

        assertThat(sagas.await(started, Duration.ofMinutes(2)).state()).isEqualTo(RunState.WAITING);
        scenario.execution(started).then().hasStep("charge_card").completed().afterAttempts(3);
        assertThat(sagas.await(started, Duration.ofHours(2)).state()).isEqualTo(RunState.FAILED);
    }
}
