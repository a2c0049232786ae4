package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A step with a retry policy is attempted again. Its attempts and pauses are durable. */
class RetriedStepsTests extends RunsOnPostgres {

    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicInteger tries = new AtomicInteger();

    /** Records an attempt under the step's idempotency key, and fails as often as the test says. */
    private String attempt(RunContext run, int failures) throws IOException {
        effect(run.idempotencyKey());
        if (tries.incrementAndGet() <= failures) {
            throw new IOException("busy " + tries);
        }
        return "done";
    }

    private static Step charge(Retry policy) {
        return Step.of("charge").retry(policy);
    }

    private static List<String> journal(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().steps().stream()
                .map(entry -> "%s %s".formatted(entry.step(), entry.mark()))
                .toList();
    }

    private void awaitAttempts(RunNode node, RunId id, int count) {
        await().atMost(SOON).until(() -> tries.get() == count && stateOf(node, id) != RunState.RUNNING);
    }

    /** Ends the pause after the latest attempt, as if the time of the pause had passed. */
    private static void passPause(RunId id) {
        jdbc.sql("UPDATE saga_step SET until = clock_timestamp() WHERE run_id = ? AND mark = 'ATTEMPT_FAILED'")
                .param(id.value())
                .update();
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ? AND node IS NULL")
                .param(id.value())
                .update();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailedStepIsAttemptedAgainAfterItsPauseWithTheSameKey(boolean transactional) throws Exception {
        RunNode node = node(tale((run, input) -> {
            Step step = charge(retry().max(3).delay(HOUR));
            return transactional
                    ? run.transactionalStep(step, String.class, () -> attempt(run, 2))
                    : run.step(step, String.class, () -> attempt(run, 2));
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        for (int failed = 1; failed <= 2; failed++) {
            awaitState(node, handle.id(), RunState.WAITING);
            awaitAttempts(node, handle.id(), failed);
            passPause(handle.id());
        }

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).hasSize(3).containsOnly(handle.id() + ":charge");
        assertThat(journal(node, handle.id()))
                .containsExactly("charge attempt_failed", "charge attempt_failed", "charge done");
        assertThat(node.events.stream().filter(RunEvent.RETRYING::equals)).hasSize(2);
        assertThat(node.runs.find(handle.id()).orElseThrow().steps())
                .extracting(RunView.StepView::attempt)
                .containsExactly(1, 2, 3);
        assertThat(node.runs.find(handle.id()).orElseThrow().steps().get(1).detail())
                .isEqualTo("java.io.IOException: busy 2");
    }

    @Test
    void theNextAttemptWaitsForTheWholePause() throws Exception {
        AtomicInteger early = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.now();
            return run.step(charge(retry().delay(Duration.ofMillis(300))), String.class, () -> {
                if (tries.incrementAndGet() == 1) {
                    throw new IOException("busy");
                }
                boolean isLate = jdbc.sql(
                                "SELECT until <= clock_timestamp() FROM saga_step WHERE mark = 'ATTEMPT_FAILED'")
                        .query(Boolean.class)
                        .single();
                early.addAndGet(isLate ? 0 : 1);
                return "done";
            });
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(2);
        assertThat(early).hasValue(0);
    }

    @Test
    void anEffectOfATransactionalStepIsRolledBackWithItsFailedAttempt() throws Exception {
        RunNode node = node(tale((run, input) ->
                run.transactionalStep(charge(retry().max(2).delay(Duration.ZERO)), String.class, () -> {
                    jdbc.sql("INSERT INTO effect VALUES (?)")
                            .param("try " + tries.get())
                            .update();
                    return attempt(run, 1);
                })));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        assertThat(jdbc.sql("SELECT what FROM effect").query(String.class).list())
                .containsExactly("try 1");
    }

    @Test
    void aFailedAttemptWithoutAPauseIsJournaledBeforeTheNextAttemptBegins() throws Exception {
        AtomicInteger journaled = new AtomicInteger();
        RunNode node =
                node(tale((run, input) -> run.step(charge(retry().max(3).delay(Duration.ZERO)), String.class, () -> {
                    journaled.set(jdbc.sql("SELECT count(*) FROM saga_step WHERE mark = 'ATTEMPT_FAILED'")
                            .query(Integer.class)
                            .single());
                    assertThat(journaled).hasValue(tries.get());
                    return attempt(run, 2);
                })));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        assertThat(journaled).hasValue(2);
        assertThat(node.events).doesNotContain(RunEvent.SUSPENDED);
    }

    @Test
    void aRunThatFailedAfterItsLastAttemptHasAllAttemptsAgainAfterARetry() throws Exception {
        RunNode node = node(tale((run, input) ->
                run.step(charge(retry().max(3).delay(Duration.ZERO)), String.class, () -> attempt(run, 5))));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("busy 3");
        assertThat(journal(node, handle.id())).containsExactly("charge attempt_failed", "charge attempt_failed");

        assertThat(node.runs.retry(handle.id())).isTrue();

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(6);
    }

    @Test
    void aRetryByAPersonDoesNotWaitForAnEarlierPause() throws Exception {
        Tale tale =
                tale((run, input) -> run.step(charge(retry().max(2).delay(HOUR)), String.class, () -> attempt(run, 1)));
        RunNode node = node(tale);
        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(500)));
        awaitState(node, handle.id(), RunState.FAILED);
        assertThat(tries).hasValue(1);

        assertThat(node.runs.retry(handle.id())).isTrue();

        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    @Test
    void aCaughtFailureOfTheLastAttemptIsFinal() throws Exception {
        RunNode node = node(tale((run, input) -> {
            String result;
            try {
                result = run.step(charge(retry().max(2).delay(Duration.ZERO)), String.class, () -> attempt(run, 9));
            } catch (StepFailedException failed) {
                result = failed.why();
            }
            run.sleep("nap", Duration.ofMillis(1));
            return result;
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).contains("busy 2");
        assertThat(tries).hasValue(2);
    }

    @Test
    void aSignalDoesNotShortenThePause() throws Exception {
        RunNode node = node(tale(
                (run, input) -> run.step(charge(retry().max(2).delay(HOUR)), String.class, () -> attempt(run, 1))));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);

        node.runs.signal(handle.id(), "news", "none");
        await().atMost(SOON).until(() -> count(node, RunEvent.SUSPENDED) == 1);

        assertThat(stateOf(node, handle.id())).isEqualTo(RunState.WAITING);
        assertThat(tries).hasValue(1);
        assertThat(journal(node, handle.id())).containsExactly("charge attempt_failed");
        passPause(handle.id());
        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    @Test
    void aSignalDuringAnAttemptDoesNotLoseTheAttempt() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch signalled = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> run.step(charge(retry().max(2).delay(HOUR)), String.class, () -> {
            entered.countDown();
            signalled.await();
            return attempt(run, 1);
        })));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        node.runs.signal(handle.id(), "news", "none");
        signalled.countDown();
        awaitState(node, handle.id(), RunState.WAITING);

        assertThat(journal(node, handle.id())).containsExactly("charge attempt_failed");
        passPause(handle.id());
        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    @Test
    void aRunThatIsCancelledDuringAPauseIsNotInAnAttempt() {
        Tale tale = tale((run, input) -> {
            try {
                return run.step(charge(retry().max(5).delay(HOUR)), String.class, () -> attempt(run, 9));
            } catch (RunStoppedException stopped) {
                run.sleep("settle", Duration.ofMillis(1));
                run.step("tidy", () -> effect("tidy, begun: " + stopped.mayHaveBegun()));
                return "";
            }
        });
        RunNode node = node(tale);
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);

        assertThat(node.runs.cancel(id, "enough")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).containsExactly(id + ":charge", "tidy, begun: false");
    }

    @Test
    void aRunFailsIfItsDeadlinePassesDuringAPause() {
        RunNode node = node(tale(
                (run, input) -> run.step(charge(retry().max(5).delay(HOUR)), String.class, () -> attempt(run, 9))));

        RunId id = node.runs
                .start(Tale.class, "", RunOptions.within(Duration.ofMillis(300)))
                .id();

        awaitState(node, id, RunState.FAILED);
        assertThat(tries).hasValue(1);
        assertThat(node.runs.find(id).orElseThrow().error()).contains("deadline");
    }

    @Test
    void anAttemptThatAClosingNodeInterruptsIsNoFailedAttempt() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Tale.Code code = (run, input) -> run.step(charge(retry().max(2).delay(HOUR)), String.class, () -> {
            if (entered.getCount() > 0) {
                entered.countDown();
                new CountDownLatch(1).await();
            }
            return attempt(run, 0);
        });
        RunNode closing = node(tale(code));
        RunHandle<String> handle = closing.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        closing.engine.close();
        RunNode next = node(tale(code));

        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(journal(next, handle.id())).containsExactly("charge done");
    }

    @Test
    void aContinuedRunUsesThePolicyOfTheDeployedCode() throws Exception {
        Tale tale = tale(
                (run, input) -> run.step(charge(retry().max(10).delay(HOUR)), String.class, () -> attempt(run, 9)));
        RunNode node = node(tale);
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        for (int failed = 1; failed <= 3; failed++) {
            awaitState(node, handle.id(), RunState.WAITING);
            awaitAttempts(node, handle.id(), failed);
            if (failed == 3) {
                tale.becomes((run, input) ->
                        run.step(charge(retry().max(3).delay(HOUR)), String.class, () -> attempt(run, 9)));
            }
            passPause(handle.id());
        }

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("busy 4");
        assertThat(tries).hasValue(4);
    }

    @Test
    void aStepWhosePolicyWasRemovedContinuesAfterItsFailedAttempts() throws Exception {
        Tale tale = tale(
                (run, input) -> run.step(charge(retry().max(10).delay(HOUR)), String.class, () -> attempt(run, 1)));
        RunNode node = node(tale);
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);
        tale.becomes((run, input) -> run.step("charge", String.class, () -> attempt(run, 1)));

        passPause(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    /** The node parks a run after three pick-ups without progress. A failed attempt is progress. */
    @Test
    void aRunIsNotParkedHoweverOftenItsStepFails() throws Exception {
        RunNode node = node(tale((run, input) ->
                run.step(charge(retry().max(10).delay(Duration.ofMillis(1))), String.class, () -> attempt(run, 9))));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(10);
        assertThat(node.events).doesNotContain(RunEvent.PARKED);
    }

    @Test
    void aFailureThatThePolicyDoesNotCoverIsFinal() {
        RunNode node = node(tale((run, input) -> run.step(
                charge(retry().delay(Duration.ZERO).noRetryOn(FileNotFoundException.class)), String.class, () -> {
                    tries.incrementAndGet();
                    throw new FileNotFoundException("gone");
                })));

        assertThatThrownBy(() -> node.runs.start(Tale.class, "").await(SOON)).hasMessageContaining("gone");
        assertThat(tries).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepWhoseResultCannotBeStoredIsNotAttemptedAgain(boolean transactional) {
        RunNode node = node(tale((run, input) -> {
            Step step = charge(retry().delay(Duration.ZERO));
            return transactional
                    ? run.transactionalStep(step, String.class, () -> tooLarge())
                    : run.step(step, String.class, () -> tooLarge());
        }));

        assertThatThrownBy(() -> node.runs.start(Tale.class, "").await(SOON))
                .isInstanceOf(RunNotCompletedException.class);
        assertThat(tries).hasValue(1);
    }

    private String tooLarge() {
        tries.incrementAndGet();
        return "x".repeat(200_000);
    }

    private static final class Closed extends IOException implements RetryLater {

        private static final long serialVersionUID = 1L;

        @Override
        public Duration retryAfter() {
            return HOUR;
        }
    }

    @Test
    void aFailureCanSetThePauseBeforeTheNextAttempt() {
        RunNode node = node(tale((run, input) -> run.step(charge(retry().delay(Duration.ZERO)), String.class, () -> {
            throw new Closed();
        })));

        RunId id = node.runs.start(Tale.class, "").id();

        awaitState(node, id, RunState.WAITING);
        assertThat(jdbc.sql("SELECT until > clock_timestamp() + INTERVAL '50 minutes' FROM saga_step")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }
}
