package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how attempts are counted, and how runs are picked up by their id. */
abstract class AttemptContract extends PickUpContract {

    @Test
    void aRunPickedUpTooOftenIsParked() throws Exception {
        RunId id = started();
        for (int attempt = 1; attempt <= 3; attempt++) {
            List<PickedUpRun> pickedUp = store().take(known, 10, 3);
            assertThat(pickedUp).extracting(PickedUpRun::attempt).containsExactly(attempt);
            assertThat(pickedUp).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(row(id).attempt()).isEqualTo(attempt);
            pass(LEASE);
        }

        List<PickedUpRun> parked = store().take(known, 10, 3);

        assertThat(parked).extracting(PickedUpRun::parked).containsExactly(true);
        assertThat(parked).extracting(PickedUpRun::attempt).containsExactly(3);
        assertThat(state(id)).isEqualTo(RunState.PARKED);
        assertThat(row(id).node()).isNull();
        assertThat(row(id).dueAt()).isNull();
        requireFenced(parked.get(0).runLease());
        pass(LONG);
        assertThat(isPickedUp(id)).isFalse();
        assertThat(store().take(id, known, 3)).isEmpty();
    }

    @Test
    void aRunPickedUpTooOftenByItsIdIsParked() {
        RunId id = runLease().id();
        pass(LEASE);

        assertThat(another().take(id, known, 1)).map(PickedUpRun::parked).contains(true);
        assertThat(state(id)).isEqualTo(RunState.PARKED);
    }

    @Test
    void progressResetsTheAttempts() {
        RunLease first = runLease();
        RunLease second = takenOver(first.id()).runLease();
        ControlState unused = another().checkpoint(second, done(0, 1));

        PickedUpRun third = takenOver(first.id());
        assertThat(third.attempt()).isOne();
        assertThat(takenOver(first.id()).attempt()).isEqualTo(2);
        assertThat(texts(takenOver(first.id()).journal())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void aWaitResetsTheAttempts() {
        RunLease runLease = runLease();
        runLease = takenOver(runLease.id()).runLease();
        assertThat(suspended(runLease, Duration.ZERO)).isTrue();

        assertThat(row(runLease.id()).attempt()).isZero();
        assertThat(store().take(known, 1, MANY))
                .extracting(PickedUpRun::attempt)
                .containsExactly(1);
    }

    /**
     * A run whose step fails often is not parked, because each failed attempt is journaled, which counts as progress.
     */
    @Test
    void eachFailedAttemptOfAStepResetsTheAttemptsOfItsRun() {
        RunLease runLease = runLease();
        for (int failed = 1; failed <= 5; failed++) {
            List<JournalEntry> attempt = List.of(failedAttempt(failed - 1, "charge", LONG));
            assertThat(store().suspend(runLease, attempt, LONG, afterSignals(0)))
                    .isTrue();
            assertThat(isPickedUp(runLease.id())).isFalse();
            pass(LONG);

            PickedUpRun next = another().take(runLease.id(), known, 1).orElseThrow();

            assertThat(next.parked()).isFalse();
            assertThat(next.attempt()).isOne();
            assertThat(next.interrupted()).isFalse();
            assertThat(next.journal()).hasSize(failed).allMatch(entry -> entry.mark() == Mark.ATTEMPT_FAILED);
            assertThat(Objects.requireNonNull(next.journal().get(failed - 1).until()))
                    .isBeforeOrEqualTo(next.now());
            runLease = next.runLease();
        }
    }

    /** An interrupted run may have begun the step after its last journal entry. */
    @Test
    void aPickedUpRunReportsWhetherItWasInterrupted() {
        RunId id = started();
        PickedUpRun first = store().take(id, known, MANY).orElseThrow();
        assertThat(first.interrupted()).as("not begun").isFalse();

        PickedUpRun second = takenOver(id);
        assertThat(second.interrupted()).as("taken over from another owner").isTrue();
        assertThat(suspended(second.runLease(), LONG)).isTrue();
        PickedUpRun third = store().take(id, known, MANY).orElseThrow();
        assertThat(third.interrupted()).as("suspended").isFalse();
        assertThat(suspended(third.runLease(), null)).isTrue();
        assertThat(another().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        List<PickedUpRun> woken = store().take(known, 1, MANY);
        assertThat(woken).extracting(PickedUpRun::interrupted).containsExactly(false);

        assertThat(store().release(woken.get(0).runLease(), Duration.ZERO)).isTrue();
        PickedUpRun fifth = store().take(id, known, MANY).orElseThrow();
        assertThat(fifth.interrupted()).as("released").isTrue();
        store().end(fifth.runLease(), List.of(), new Ending(RunState.FAILED, null, "an error", null));
        assertThat(store().retry(id)).isTrue();
        PickedUpRun sixth = store().take(id, known, MANY).orElseThrow();
        assertThat(sixth.interrupted()).as("failed and retried").isFalse();
        store().end(sixth.runLease(), List.of(), new Ending(RunState.PENDING, null, "an error", Duration.ZERO));
        assertThat(store().take(id, known, MANY))
                .as("failed, and due again immediately")
                .map(PickedUpRun::interrupted)
                .contains(true);
        RunLease here = runLease();
        assertThat(takenOver(here.id()).interrupted())
                .as("executed by the node that started the run")
                .isTrue();
    }

    /**
     * The node that blocks or parks the run has executed none of its steps. A run that was interrupted before therefore
     * still counts as interrupted.
     */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"BLOCKED", "PARKED"})
    void anInterruptedRunIsStillReportedAsInterruptedAfterARetry(RunState state) {
        RunId id = runLease().id();
        pass(LEASE);
        PickedUpRun found =
                another().take(id, known, state == RunState.PARKED ? 1 : MANY).orElseThrow();
        assertThat(found.interrupted()).isTrue();
        if (state == RunState.BLOCKED) {
            another().end(found.runLease(), List.of(), ending(state));
        }
        assertThat(state(id)).isEqualTo(state);

        assertThat(store().retry(id)).isTrue();

        assertThat(store().take(id, known, MANY)).map(PickedUpRun::interrupted).contains(true);
    }

    @Test
    void anAttemptThatIsReleasedDoesNotCount() {
        RunId id = started();
        for (int round = 0; round < 5; round++) {
            List<PickedUpRun> pickedUp = store().take(known, 1, 1);
            assertThat(pickedUp).extracting(PickedUpRun::attempt).containsExactly(1);
            assertThat(pickedUp).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(store().release(pickedUp.get(0).runLease(), LEASE)).isTrue();
            assertThat(state(id)).isEqualTo(RunState.PENDING);
            assertThat(row(id).node()).isNull();
            assertThat(row(id).attempt()).isZero();
            assertThat(isPickedUp(id)).isFalse();
            pass(LEASE);
        }
        pass(LEASE);
        RunLease runLease = takenOver(id).runLease();
        RunLease next = takenOver(id).runLease();
        assertThat(store().release(runLease, Duration.ZERO)).isFalse();
        assertThat(row(id).attempt()).isEqualTo(2);
        assertThat(another().release(next, Duration.ZERO)).isTrue();
        assertThat(row(id).attempt()).isOne();
    }

    @Test
    void aRunWithoutAnOwnerIsPickedUpByItsId() {
        RunId id = started();
        assertThat(store().take(RunId.next(), known, MANY)).isEmpty();
        assertThat(store().take(id, Set.of("other"), MANY)).isEmpty();
        PickedUpRun pickedUp = store().take(id, known, MANY).orElseThrow();
        assertThat(pickedUp.runLease().id()).isEqualTo(id);
        assertThat(another().take(id, known, MANY)).isEmpty();
        pass(LEASE);
        assertThat(another().take(id, known, MANY)).map(PickedUpRun::attempt).contains(2);
    }

    /** A person may want a node to check a run immediately. */
    @Test
    void aSleepingRunIsPickedUpByItsIdBeforeItIsDue() {
        RunLease sleeping = runLease();
        assertThat(store().suspend(sleeping, done(0, 1), LONG, afterSignals(0))).isTrue();

        PickedUpRun pickedUp = another().take(sleeping.id(), known, MANY).orElseThrow();

        assertThat(pickedUp.runLease().token()).isGreaterThan(sleeping.token());
        assertThat(texts(pickedUp.journal())).isEqualTo(texts(done(0, 1)));
        assertThat(pickedUp.attempt()).isOne();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {
                "COMPLETED",
                "FAILED",
                "CANCELLED",
                "IN_DOUBT",
                "BLOCKED",
                "PARKED",
                "COMPENSATION_FAILED",
                "WAITING"
            })
    void anEndedOrWaitingRunIsNotPickedUp(RunState state) {
        RunId id;
        if (state == RunState.WAITING) {
            RunLease runLease = runLease();
            id = runLease.id();
            assertThat(suspended(runLease, null)).isTrue();
        } else {
            id = left(state);
        }
        pass(LONG);

        assertThat(store().take(id, known, MANY)).isEmpty();
        assertThat(isPickedUp(id)).isFalse();
        assertThat(state(id)).isEqualTo(state);
    }
}
