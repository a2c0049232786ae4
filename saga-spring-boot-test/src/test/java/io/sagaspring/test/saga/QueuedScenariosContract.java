package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.NoSuchQueueException;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Tests scenarios with queues for each store. The queue 'psp' has one permit. The queue 'kept' executes one run of each
 * key at a time, and its runs keep their permits while they wait.
 */
abstract class QueuedScenariosContract {

    /** The properties that declare the queues. */
    static final String PSP = "saga.runs.queues.psp.at-once=1";

    static final String KEPT = "saga.runs.queues.kept.at-once-for-each=1";
    static final String KEEPS = "saga.runs.queues.kept.keeps-permits=true";

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final RunOptions IN_PSP = RunOptions.none().in("psp");

    @Autowired
    RunScenario runScenario;

    @Autowired
    SagaScenario sagaScenario;

    @Autowired
    Runs runs;

    /** Waits for a signal and pays. */
    static class Payment implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String order) {
            run.awaitSignal("go", String.class);
            return run.step("pay", String.class, () -> order);
        }
    }

    /** Pays without waiting for a signal. */
    static class QuickPayment implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String order) {
            return run.step("pay", String.class, () -> order);
        }
    }

    /** Has one step. */
    static class RefundSaga implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.idempotencyKey(order -> "refund:" + order);
            saga.step("refund", context -> null);
        }
    }

    @Test
    void aRunWaitsInAFullQueue() {
        TestedRun payment = runScenario
                .fillQueue("psp")
                .given(QuickPayment.class, "o-1")
                .with(IN_PSP)
                .whenStarted();
        payment.timePasses(HOUR).then().hasState(RunState.PENDING);
        assertThat(runs.queue("psp").depth())
                .satisfies(depth -> assertThat(depth.inUse()).isEqualTo(1))
                .satisfies(depth -> assertThat(depth.waiting()).isEqualTo(1));

        runScenario.freeQueue("psp");

        payment.then().isCompletedWith(QuickPayment.class, "o-1");
        assertThat(runs.queue("psp").depth().inUse()).isZero();
    }

    @Test
    void anExecutionOfASagaWaitsInAFullQueue() {
        SagaExecution refund = sagaScenario
                .fillQueue("psp")
                .given(RefundSaga.class, "o-1")
                .with(IN_PSP)
                .whenStarted();
        refund.then().hasState(RunState.PENDING);

        sagaScenario.freeQueue("psp");

        refund.then().isCompleted();
    }

    @Test
    void inAQueueAnExecutionAlsoHasTheIdempotencyKeyOfItsSaga() {
        SagaExecution first =
                sagaScenario.given(RefundSaga.class, "o-1").with(IN_PSP).whenStarted();

        assertThat(sagaScenario.given(RefundSaga.class, "o-1").whenStarted().id())
                .isEqualTo(first.id());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sagaScenario
                        .given(RefundSaga.class, "o-2")
                        .with(IN_PSP.andKey("other"))
                        .whenStarted())
                .withMessage(
                        "The options have the key 'other', but saga 'refundSaga' computes its idempotency key from the input. Remove one of the two.");
    }

    @Test
    void anExecutionOfASagaJoinsItsQueueAfterTheDelay() {
        SagaExecution refund = sagaScenario
                .given(RefundSaga.class, "o-1")
                .with(IN_PSP.andAfter(HOUR))
                .whenStarted();

        refund.timePasses(HOUR.minus(MINUTE)).then().hasState(RunState.PENDING);
        refund.timePasses(MINUTE).then().isCompleted();
    }

    @Test
    void aRunBeginsWhileTheRunBeforeItWaits() {
        TestedRun first = runScenario.given(Payment.class, "o-1").with(IN_PSP).whenStarted();
        first.then().isWaiting();

        TestedRun second =
                runScenario.given(QuickPayment.class, "o-2").with(IN_PSP).whenStarted();

        second.then().isCompleted();
    }

    @Test
    void theNextRunOfAKeyWaitsForARunThatKeepsItsPermit() {
        RunOptions kept = RunOptions.none().in("kept").of("t1");
        TestedRun first = runScenario.given(Payment.class, "o-1").with(kept).whenStarted();
        TestedRun second =
                runScenario.given(QuickPayment.class, "o-2").with(kept).whenStarted();
        second.timePasses(HOUR).then().hasState(RunState.PENDING);

        first.signalled("go", "go").then().isCompleted();

        second.runWhatIsDue().then().isCompleted();
    }

    @Test
    void aRunKeepsItsPermitWhenItsNodeDies() {
        TestedRun first = runScenario
                .given(QuickPayment.class, "o-1")
                .with(IN_PSP)
                .crashesAfterBodyOf("pay")
                .whenStarted();
        TestedRun second =
                runScenario.given(QuickPayment.class, "o-2").with(IN_PSP).whenStarted();
        first.then().hasState(RunState.RUNNING);
        second.then().hasState(RunState.PENDING);

        first.resumed().then().isCompleted();

        second.runWhatIsDue().then().isCompleted();
    }

    @Test
    void anUnknownQueueIsRefused() {
        assertThatExceptionOfType(NoSuchQueueException.class).isThrownBy(() -> runScenario.fillQueue("pspp"));
        assertThatExceptionOfType(NoSuchQueueException.class)
                .isThrownBy(() -> sagaScenario
                        .given(RefundSaga.class, "o-1")
                        .with(RunOptions.none().in("pspp"))
                        .whenStarted())
                .withMessage(
                        "There is no queue 'pspp'. This application declares the queues [kept, psp]. Declare a RunQueue bean or saga.runs.queues.pspp.");
    }

    /** Waits for a signal, and has no key of its own. */
    static class NoticeSaga implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.waitForSignal("read");
        }
    }

    @Test
    void eachStartPostponesARunAndReplacesItsInput() {
        RunOptions quiet =
                RunOptions.withKey("mail").quietFor(HOUR, HOUR.multipliedBy(2)).in("kept");
        TestedRun first =
                runScenario.given(QuickPayment.class, "one").with(quiet).whenStarted();
        first.timePasses(HOUR.minus(MINUTE)).then().hasState(RunState.PENDING);

        TestedRun second =
                runScenario.given(QuickPayment.class, "two").with(quiet).whenStarted();
        second.timePasses(HOUR.minus(MINUTE)).then().hasState(RunState.PENDING);
        TestedRun third =
                runScenario.given(QuickPayment.class, "three").with(quiet).whenStarted();
        first.timePasses(MINUTE.multipliedBy(2)).then().isCompletedWith(QuickPayment.class, "three");

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(third.id()).isEqualTo(first.id());
    }

    @Test
    void anExecutionOfASagaIsReplacedAndTheNextOneFollows() {
        RunOptions replaceable = RunOptions.withKey("notice").orReplace().in("kept");
        SagaExecution first =
                sagaScenario.given(NoticeSaga.class, "one").with(replaceable).whenStarted();
        first.then().hasState(RunState.WAITING);
        SagaExecution second =
                sagaScenario.given(NoticeSaga.class, "two").with(replaceable).whenStarted();
        assertThat(sagaScenario
                        .given(NoticeSaga.class, "three")
                        .with(replaceable)
                        .whenStarted()
                        .id())
                .isEqualTo(second.id())
                .isNotEqualTo(first.id());
        second.then().hasState(RunState.PENDING);

        first.signalled("read", null).then().isCompleted();

        second.then().hasState(RunState.WAITING);
    }

    @Test
    void aKeyThatIsFreeAtTheEndStartsTheSagaAgain() {
        RunOptions open = RunOptions.withKey("notice").whileOpen();
        SagaExecution first =
                sagaScenario.given(NoticeSaga.class, "one").with(open).whenStarted();
        assertThat(sagaScenario
                        .given(NoticeSaga.class, "two")
                        .with(open)
                        .whenStarted()
                        .id())
                .isEqualTo(first.id());
        first.signalled("read", null).then().isCompleted();

        assertThat(sagaScenario
                        .given(NoticeSaga.class, "two")
                        .with(open)
                        .whenStarted()
                        .id())
                .isNotEqualTo(first.id());
    }
}
