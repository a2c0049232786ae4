package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.run.RunNotCompletedException;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests scenarios of runs for each store. */
abstract class RunScenarioContract {

    /** The pause of {@link Purchase} after its first attempt. The second pause is twice as long. */
    private static final Duration PAUSE = Duration.ofSeconds(20);

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @Autowired
    RunScenario scenario;

    @Autowired
    Runs runs;

    private TestedRun failing(int times) {
        return scenario.given(Purchase.class, "o-1")
                .failing("charge", times, () -> new IllegalStateException("busy"))
                .whenStarted();
    }

    @Test
    void eachAttemptIsMadeWhenItsPauseHasPassed() {
        failing(2)
                .then()
                .isWaiting()
                .hasStep("charge")
                .retrying()
                .wasCalled(1)
                .and()
                .when()
                .timePasses(PAUSE)
                .then()
                .hasStep("charge")
                .retrying()
                .wasCalled(2)
                .afterFailedAttempts(2)
                .and()
                .when()
                .timePasses(PAUSE)
                .then()
                .hasStep("charge")
                .retrying()
                .and()
                .when()
                .timePasses(PAUSE)
                .then()
                .hasStep("charge")
                .completed()
                .wasCalled(3)
                .tookEffectOnce()
                .and()
                .isWaiting()
                .when()
                .signalled("approval", "yes")
                .then()
                .isCompletedWith(Purchase.class, "yes false true")
                .hasStep("book")
                .completed()
                .wasCalled(1);
    }

    @Test
    void aRunIsExecutedLikeAMethod() {
        assertThat(scenario.execute(Doubled.class, 21)).isEqualTo(42);
        assertThatExceptionOfType(RunNotCompletedException.class).isThrownBy(() -> scenario.execute(Doubled.class, -1));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> scenario.execute(Doubled.class, 0))
                .withMessageContainingAll("The run waits", "so the caller would wait for ever", "'doubled' is waiting");
    }

    @Test
    void theApplicationExecutesARunLikeAMethodOnTheThreadOfTheTest() throws Exception {
        assertThat(runs.execute(Doubled.class, 21)).isEqualTo(42);
        assertThat(runs.execute(Doubled.class, 21, RunOptions.none(), Duration.ZERO))
                .isEqualTo(42);
        assertThat(runs.start(Doubled.class, 4).await(MINUTE)).isEqualTo(8);
        assertThat(scenario.clock().moved()).isZero();
    }

    @Test
    void timePassesWhileTheApplicationWaitsForARun() throws Exception {
        assertThat(runs.execute(Doubled.class, 200)).isEqualTo(400);
        assertThat(scenario.clock().moved()).isBetween(HOUR.minus(MINUTE), HOUR);

        assertThat(runs.start(Doubled.class, 300).await(HOUR.multipliedBy(2))).isEqualTo(600);
        assertThat(scenario.clock().moved()).isBetween(HOUR.minus(MINUTE).multipliedBy(2), HOUR.multipliedBy(2));
    }

    @Test
    void theTimeOutOfACallPassesIfNothingElseEndsTheWait() {
        assertThatExceptionOfType(RunNotCompletedException.class)
                .isThrownBy(() -> runs.execute(Doubled.class, 0, RunOptions.none(), HOUR))
                .withMessageContaining("has not ended after 1 h: it is waiting")
                .satisfies(late -> scenario.run(late.runId())
                        .then()
                        .isWaiting()
                        .when()
                        .signalled("number", 7)
                        .then()
                        .isCompletedWith(Doubled.class, 7));
        assertThat(scenario.clock().moved()).isBetween(HOUR.minus(MINUTE), HOUR);
    }

    @Test
    void aCallWithAKeyContinuesTheRunOfADeadNode() {
        RunOptions options = RunOptions.withKey("o-1");
        TestedRun run = scenario.given(Purchase.class, "o-1")
                .with(options)
                .failing("charge", 2, () -> new IllegalStateException("busy"))
                .crashesAfterBodyOf("charge")
                .whenStarted();

        assertThatExceptionOfType(RunNotCompletedException.class)
                .isThrownBy(() -> runs.execute(Purchase.class, "o-1", options, HOUR));

        run.then().isWaiting().hasStep("charge").completed().wasCalled(4).tookEffectOnce();
    }

    @Test
    void aRunFailsAfterItsLastAttemptAndCanBeRetried() {
        failing(3)
                .timePasses(MINUTE)
                .then()
                .isFailedWith("busy")
                .hasStep("charge")
                .wasCalled(3)
                .afterFailedAttempts(2)
                .and()
                .when()
                .retried()
                .then()
                .isWaiting()
                .hasStep("charge")
                .completed()
                .wasCalled(4)
                .tookEffectOnce();
    }

    @Test
    void aRunCanBeCancelledDuringThePauseBetweenTwoAttempts() {
        failing(1).cancelled("enough").then().isCancelled().hasStep("charge").wasCalled(1);
    }

    @Test
    void anAttemptInWhichTheNodeDiesIsNotCounted() {
        scenario.given(Purchase.class, "o-1")
                .failing("charge", 2, () -> new IllegalStateException("busy"))
                .crashesAfterBodyOf("charge")
                .whenStarted()
                .then()
                .hasState(RunState.RUNNING)
                .when()
                .resumed()
                .timePasses(MINUTE)
                .then()
                .hasStep("charge")
                .completed()
                .afterFailedAttempts(2)
                .wasCalled(4)
                .tookEffectOnce();
    }

    @Test
    void aStepIsCalledOnceIfANodeDiesBeforeOrAfterTheStep() {
        scenario.given(Purchase.class, "o-1")
                .crashesBefore("charge")
                .crashesAfter("charge")
                .whenStarted()
                .resumed()
                .resumed()
                .signalled("approval", "yes")
                .then()
                .isCompletedWith(Purchase.class, "yes true true")
                .hasStep("charge")
                .wasCalled(1)
                .tookEffectOnce();
    }

    @Test
    void aScenarioCanSetTheKeyTheDeadlineAndTheTenantOfARun() {
        RunOptions options = RunOptions.withKey("o-1").andWithin(Duration.ofMinutes(1));
        TestedRun first = scenario.given(Purchase.class, "o-1")
                .with(options)
                .inTenant("a")
                .whenStarted();

        TestedRun second = scenario.given(Purchase.class, "o-1")
                .with(options)
                .inTenant("a")
                .whenStarted();

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(first.view().tenant()).isEqualTo("a");
        second.timePasses(Duration.ofMinutes(1)).then().isFailedWith("deadline");
    }

    @Test
    void aScenarioExecutesRunsThatTheApplicationStarted() {
        var started = runs.start(Purchase.class, "o-2");
        assertThat(runs.find(started.id()).orElseThrow().state()).isEqualTo(RunState.PENDING);

        scenario.run(started.id()).then().isWaiting().hasStep("charge").completed();
    }

    @Test
    void aFailedAssertionReportsTheJournal() {
        TestedRun run = failing(1);

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> run.then().isCompleted())
                .withMessageContainingAll(
                        "Expected the run to be completed, but it is waiting", "charge", "attempt_failed", "busy");
        for (Runnable wrong : List.<Runnable>of(
                () -> run.then().isCancelled(),
                () -> run.then().isFailedWith("busy"),
                () -> run.then().isCompletedWith(Purchase.class, "yes"),
                () -> run.then().hasStep("charge").completed(),
                () -> run.then().hasStep("charge").failed(),
                () -> run.then().hasStep("charge").wasCalled(2),
                () -> run.then().hasStep("charge").afterFailedAttempts(2),
                () -> run.then().hasStep("book").tookEffectOnce(),
                () -> run.then().hasStep("book").retrying(),
                () -> run.retried(),
                () -> run.crashesBefore("book").resumed(),
                () -> run.cancelled("enough").signalled("approval", "late"),
                () -> run.cancelled("too late"))) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(wrong::run);
        }
    }
}
