package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the journal and the suspension of runs. */
abstract class JournalContract extends AttemptContract {

    @Test
    void aPositionIsWrittenOnce() {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(runLease, done(0, 2));
        List<JournalEntry> other = List.of(entry(1, "another", Call.NOW, Mark.DONE, null), done(2), done(3));

        ControlState unusedToo = store().checkpoint(runLease, done(0, 2));
        ControlState unusedThree = store().checkpoint(runLease, other);
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 4)));

        store().end(runLease, done(2, 5), ending(RunState.COMPLETED));
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 5)));
    }

    /** Simulates a failover to a lagging replica: the node knows of entries that the store does not have. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void nothingIsWrittenAfterAGapInTheJournal(int there) {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(runLease, done(0, there));
        String before = seen(another(), runLease.id());
        RunLease knowing = new RunLease(runLease.id(), runLease.token(), there + 1);
        Ending completed = ending(RunState.COMPLETED);

        for (List<JournalEntry> entries :
                List.of(List.<JournalEntry>of(), done(there + 1, there + 2), done(there + 1, there + 4))) {
            assertThatThrownBy(() -> store().checkpoint(knowing, entries))
                    .as("%s", entries)
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("lost entries of its journal");
            assertThatThrownBy(() -> store().compensate(knowing, entries)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().suspend(knowing, entries, LONG, afterSignals(0)))
                    .isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().end(knowing, entries, completed)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().endUnlessChanged(knowing, entries, completed, afterSignals(0)))
                    .isInstanceOf(FencedException.class);
            if (!entries.isEmpty()) {
                assertThatThrownBy(() -> store().conclude(knowing, entries, afterSignals(0)))
                        .isInstanceOf(FencedException.class);
            }
        }
        assertThat(seen(another(), runLease.id())).isEqualTo(before);

        ControlState unusedToo =
                store().checkpoint(new RunLease(runLease.id(), runLease.token(), there), done(there, there + 1));
        store().end(knowing, List.of(), completed);
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, there + 1)));
    }

    @Test
    void aCheckpointReportsSignalsCancellationAndDeadline() {
        RunLease runLease = runLease(LONG);
        assertThat(store().checkpoint(runLease, done(0, 1))).isEqualTo(new ControlState(0, null, false));

        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().signal(runLease.id(), "sent", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(new ControlState(2, null, false));

        assertThat(another().cancel(runLease.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        ControlState cancelled = store().checkpoint(runLease, done(1, 2));
        assertThat(cancelled.signals()).isGreaterThan(2);
        assertThat(cancelled.cancelReason()).isEqualTo("enough");
        assertThat(cancelled.late()).isFalse();

        pass(LONG.minusSeconds(10));
        assertThat(store().checkpoint(runLease, done(2, 3)).late()).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(store().checkpoint(runLease, done(3, 4)).late()).isTrue();
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 4)));
        ControlState takenOver = takenOver(runLease.id()).controlState();
        assertThat(takenOver).isEqualTo(new ControlState(cancelled.signals(), "enough", true));
    }

    @Test
    void aFailedAttemptIsStoredWithTheEndOfItsPause() {
        RunLease runLease = runLease();
        Duration pause = Duration.ofMinutes(5);
        assertThat(store().suspend(runLease, List.of(failedAttempt(0, "charge", pause)), pause, afterSignals(0)))
                .isTrue();

        JournalEntry read = store().find(runLease.id()).orElseThrow().journal().get(0);

        assertThat(read.mark()).isEqualTo(Mark.ATTEMPT_FAILED);
        assertThat(read.reason()).isEqualTo("busy");
        assertThat(Duration.between(Objects.requireNonNull(read.at()), read.until()))
                .isBetween(
                        Duration.ofMinutes(5).minusSeconds(1),
                        Duration.ofMinutes(5).plusSeconds(1));
    }

    /** The lease has expired, but its owner continues until another node picks up the run. */
    @Test
    void aLateOwnerStillWritesIfNoOtherNodePickedUpItsRun() {
        RunLease runLease = runLease();
        pass(LONG);

        ControlState unused = store().checkpoint(runLease, done(0, 1));
        store().end(runLease, done(1, 2), ending(RunState.COMPLETED));

        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 2)));
        assertThat(isPickedUp(runLease.id())).isFalse();
    }

    @Test
    void aFencedOffOwnerWritesNothing() throws Exception {
        RunLease first = runLease();
        RunLease second = takenOver(first.id()).runLease();
        requireFenced(first);
        assertThat(store().checkpoint(second, done(0, 1))).isEqualTo(new ControlState(0, null, false));
        requireFenced(first);
        assertThat(journal(first.id())).isEqualTo(texts(done(0, 1)));

        RunLease third = takenOver(first.id()).runLease();
        requireFenced(first);
        requireFenced(second);
        another().end(third, List.of(), ending(RunState.COMPLETED));
        requireFenced(second);
    }

    /** The state looks as if the previous owner had written it, and only the answer had been lost. */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "IN_DOUBT", "BLOCKED", "PENDING", "WAITING"})
    void aFencedOffOwnerIsRefusedAlthoughTheNextOwnerLeftTheSameState(RunState state) {
        RunLease first = runLease();
        RunLease second = takenOver(first.id()).runLease();
        Ending ending = new Ending(state, null, null, state == RunState.PENDING ? LONG : null);
        if (state == RunState.WAITING) {
            assertThat(another().suspend(second, List.of(), LONG, afterSignals(0)))
                    .isTrue();
        } else {
            another().end(second, List.of(), ending);
        }
        String before = seen(another(), first.id());

        if (state == RunState.WAITING) {
            assertThatThrownBy(() -> store().suspend(first, done(0, 1), LONG, afterSignals(0)))
                    .isInstanceOf(FencedException.class);
        } else {
            assertThatThrownBy(() -> store().end(first, done(0, 1), ending)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().endUnlessChanged(first, done(0, 1), ending, afterSignals(0)))
                    .isInstanceOf(FencedException.class);
        }
        assertThat(seen(another(), first.id())).isEqualTo(before);
    }

    @Test
    void anOwnerThatReleasedTheRunWritesNothing() throws Exception {
        RunLease waiting = runLease();
        assertThat(suspended(waiting, null)).isTrue();
        requireFenced(waiting);

        RunLease ended = runLease();
        store().end(ended, List.of(), ending(RunState.COMPLETED));
        requireFenced(ended);

        RunLease released = runLease();
        assertThat(store().release(released, LONG)).isTrue();
        requireFenced(released);

        requireFenced(new RunLease(RunId.next(), released.token()));
    }

    @Test
    void aRunWithAnUnreadSignalOrCancellationDoesNotWait() {
        RunLease runLease = runLease();
        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), runLease.id());

        assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(0))).isFalse();
        assertThat(seen(store(), runLease.id())).isEqualTo(before);

        assertThat(another().cancel(runLease.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(1))).isFalse();
        assertThat(journal(runLease.id())).isEmpty();

        int signals = store().checkpoint(runLease, List.of()).signals();
        assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(signals)))
                .isTrue();
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void aWaitingRunHasNoNodeAndIsDueAfterItsPause() {
        RunLease runLease = runLease();

        assertThat(store().suspend(runLease, done(0, 1), Duration.ofMinutes(5), afterSignals(0)))
                .isTrue();

        RunRow row = row(runLease.id());
        assertThat(row.state()).isEqualTo(RunState.WAITING);
        assertThat(row.node()).isNull();
        assertThat(row.attempt()).isZero();
        assertThat(row.dueAt()).isNotNull();
        assertThat(row.endedAt()).isNull();
        pass(Duration.ofMinutes(5).minusSeconds(20));
        assertThat(isPickedUp(runLease.id())).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(isPickedUp(runLease.id())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 60})
    void aWaitingRunIsDueByItsDeadlineAtTheLatest(long pauseMinutes) {
        RunLease runLease = runLease(Duration.ofMinutes(5));

        assertThat(suspended(runLease, pauseMinutes == 0 ? null : Duration.ofMinutes(pauseMinutes)))
                .isTrue();
        pass(Duration.ofMinutes(5).minusSeconds(20));
        assertThat(isPickedUp(runLease.id())).isFalse();
        pass(Duration.ofSeconds(20));

        assertThat(store().take(known, 10, MANY))
                .extracting(PickedUpRun::controlState)
                .containsExactly(new ControlState(0, null, true));
    }

    @Test
    void aWaitingRunIsDueAfterAPauseThatEndsBeforeItsDeadline() {
        RunLease runLease = runLease(LONG);
        assertThat(suspended(runLease, Duration.ofMinutes(5))).isTrue();
        pass(Duration.ofMinutes(5));

        assertThat(store().take(known, 10, MANY))
                .extracting(PickedUpRun::controlState)
                .containsExactly(new ControlState(0, null, false));
    }

    /**
     * The run has already been notified of its deadline. If the deadline woke the run again, the run could never wait.
     */
    @Test
    void aRunNotifiedOfItsDeadlineMayWaitBeyondIt() {
        RunLease runLease = runLease(Duration.ofMinutes(5));
        pass(Duration.ofMinutes(5));
        ControlState late = store().checkpoint(runLease, List.of());
        assertThat(late).isEqualTo(new ControlState(0, null, true));

        assertThat(store().suspend(runLease, List.of(), LONG, late)).isTrue();
        assertThat(isPickedUp(runLease.id())).isFalse();
        pass(LONG);
        PickedUpRun pickedUp = store().take(known, 1, MANY).get(0);
        assertThat(pickedUp.controlState()).isEqualTo(late);
        assertThat(store().suspend(pickedUp.runLease(), List.of(), null, late)).isTrue();
        assertThat(row(runLease.id()).dueAt()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSignalOrCancellationWakesAWaitingRun(boolean forEver) {
        for (boolean cancelled : List.of(true, false)) {
            RunLease runLease = runLease();
            assertThat(suspended(runLease, forEver ? null : LONG)).isTrue();

            assertThat(
                            cancelled
                                    ? another().cancel(runLease.id(), "enough")
                                    : another().signal(runLease.id(), "paid", "1", stored("1")))
                    .isEqualTo(Answer.ACCEPTED);

            assertThat(store().take(known, 10, MANY)).hasSize(1).allSatisfy(pickedUp -> {
                assertThat(pickedUp.runLease().id()).isEqualTo(runLease.id());
                assertThat(pickedUp.controlState().signals()).isOne();
                assertThat(pickedUp.controlState().cancelReason()).isEqualTo(cancelled ? "enough" : null);
            });
        }
    }

    /** Repeats the call, as a caller does that has received no answer. */
    @Test
    void aRepeatedSuspensionChangesNothing() {
        RunLease runLease = runLease();
        assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(0))).isTrue();
        String before = seen(store(), runLease.id());

        assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(0))).isTrue();
        assertThat(seen(store(), runLease.id())).isEqualTo(before);

        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(0))).isTrue();
        assertThat(isPickedUp(runLease.id())).isTrue();
        assertThatThrownBy(() -> store().suspend(runLease, done(0, 1), LONG, afterSignals(0)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().suspend(runLease, done(0, 1), LONG, afterSignals(1)))
                .isInstanceOf(FencedException.class);
    }
}
