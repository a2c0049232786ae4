package io.sagaspring.test.saga;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.StepState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests scenarios in which a node crashes and another node resumes the execution, for each store. */
abstract class CrashedNodesContract extends CheckoutScenarios {

    @Test
    void aStepThatIsNotJournaledIsExecutedAgainWithTheSameKey() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfterBodyOf("charge_card")
                .whenStarted()
                .then()
                .hasState(RunState.RUNNING)
                .effects()
                .are("charge_card")
                .and()
                .when()
                .timePasses(Duration.ofSeconds(20))
                .then()
                .hasState(RunState.RUNNING)
                .when()
                .resumed()
                .then()
                .isWaiting()
                .hasStep("charge_card")
                .completed()
                .afterAttempts(1)
                .and()
                .hasContext("charged", false)
                .effects()
                .calledTimes("charge_card", 2)
                .tookEffectOnce("charge_card")
                .calledTimes("reserve_stock", 1);
    }

    @Test
    void aStepThatHasNotBegunIsExecutedOnce() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesBefore("reserve_stock")
                .whenStarted()
                .then()
                .effects()
                .are("charge_card")
                .and()
                .when()
                .resumed()
                .then()
                .isWaiting()
                .effects()
                .are("charge_card", "reserve_stock", "arrange_fulfillment")
                .eachOnce();
    }

    @Test
    void aStepThatIsJournaledDoesNotRunAgain() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfter("charge_card")
                .whenStarted()
                .then()
                .hasState(RunState.RUNNING)
                .hasStep("charge_card")
                .completed()
                .and()
                .effects()
                .are("charge_card")
                .and()
                .when()
                .resumed()
                .then()
                .isWaiting()
                .effects()
                .are("charge_card", "reserve_stock", "arrange_fulfillment")
                .eachOnce();
    }

    @Test
    void aSagaSurvivesCrashesInStepsAndCompensations() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesBefore("charge_card")
                .crashesAfterBodyOf("arrange_fulfillment")
                .crashesAfterBodyOf("reserve_stock:undo")
                .crashesAfter("reserve_stock:undo")
                .whenStarted()
                .resumed()
                .resumed()
                .cancelled("changed my mind")
                .then()
                .hasState(RunState.COMPENSATING)
                .when()
                .resumed()
                .then()
                .hasState(RunState.COMPENSATING)
                .when()
                .resumed()
                .then()
                .isCancelled()
                .compensatedInOrder("reserve_stock", "charge_card")
                .effects()
                .calledTimes("charge_card", 1)
                .calledTimes("arrange_fulfillment", 2)
                .tookEffectOnce("arrange_fulfillment")
                .calledTimes("reserve_stock:undo", 2)
                .tookEffectOnce("reserve_stock:undo")
                .calledTimes("charge_card:undo", 1);
    }

    @Test
    void aSagaCancelledAfterACrashCompensatesTheInterruptedStep() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfterBodyOf("reserve_stock")
                .whenStarted()
                .cancelled("changed my mind")
                .resumed()
                .then()
                .isCancelled()
                .compensatedInOrder("reserve_stock", "charge_card")
                .hasStep("reserve_stock")
                .compensated()
                .withEmptyRollback();
    }

    @Test
    void aFireAndForgetStepIsRepeatedAfterACrash() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfterBodyOf("send_receipt")
                .whenStarted()
                .completed("arrange_fulfillment")
                .then()
                .isCompleted()
                .hasStep("send_receipt")
                .hasState(StepState.RUNNING)
                .and()
                .when()
                .resumed()
                .then()
                .hasStep("send_receipt")
                .completed()
                .and()
                .effects()
                .tookEffectOnce("send_receipt");
    }

    @Test
    void aCrashAfterTheLastStepLeavesTheExecutionCompleted() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfter("send_receipt")
                .whenStarted()
                .completed("arrange_fulfillment")
                .then()
                .isCompleted()
                .when()
                .resumed()
                .then()
                .effects()
                .eachOnce();
    }
}
