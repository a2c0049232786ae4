package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.Driven;
import io.sagaspring.run.Entry;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.Entry.Mark;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Standing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a journal grows, and how a run waits. */
abstract class JournalContract extends AttemptContract {

    @Test
    void aPositionIsWrittenOnce() {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, 2));
        List<Entry> other = List.of(entry(1, "another", Call.NOW, Mark.DONE, null), done(2), done(3));

        Standing unusedToo = store().checkpoint(driven, done(0, 2));
        Standing unusedThree = store().checkpoint(driven, other);
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 4)));

        store().end(driven, done(2, 5), ending(RunState.COMPLETED));
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 5)));
    }

    /** As after a fail-over to a replica that lagged: the node knows of entries that the store has not. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void nothingIsWrittenBehindAHoleInTheJournal(int there) {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, there));
        String before = seen(another(), driven.id());
        Driven knowing = new Driven(driven.id(), driven.token(), there + 1);
        Ending completed = ending(RunState.COMPLETED);

        for (List<Entry> entries : List.of(List.<Entry>of(), done(there + 1, there + 2), done(there + 1, there + 4))) {
            assertThatThrownBy(() -> store().checkpoint(knowing, entries))
                    .as("%s", entries)
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("lost entries of its journal");
            assertThatThrownBy(() -> store().compensate(knowing, entries)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().suspend(knowing, entries, LONG, told(0)))
                    .isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().end(knowing, entries, completed)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().endUnlessTold(knowing, entries, completed, told(0)))
                    .isInstanceOf(FencedException.class);
            if (!entries.isEmpty()) {
                assertThatThrownBy(() -> store().conclude(knowing, entries, told(0)))
                        .isInstanceOf(FencedException.class);
            }
        }
        assertThat(seen(another(), driven.id())).isEqualTo(before);

        Standing unusedToo = store().checkpoint(new Driven(driven.id(), driven.token(), there), done(there, there + 1));
        store().end(knowing, List.of(), completed);
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, there + 1)));
    }

    @Test
    void aCheckpointSaysWhatTheRunWasTold() {
        Driven driven = driven(LONG);
        assertThat(store().checkpoint(driven, done(0, 1))).isEqualTo(new Standing(0, null, false));

        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().signal(driven.id(), "sent", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().checkpoint(driven, List.of())).isEqualTo(new Standing(2, null, false));

        assertThat(another().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        Standing cancelled = store().checkpoint(driven, done(1, 2));
        assertThat(cancelled.signals()).isGreaterThan(2);
        assertThat(cancelled.cancelReason()).isEqualTo("enough");
        assertThat(cancelled.late()).isFalse();

        pass(LONG.minusSeconds(10));
        assertThat(store().checkpoint(driven, done(2, 3)).late()).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(store().checkpoint(driven, done(3, 4)).late()).isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 4)));
        Standing takenOver = takenOver(driven.id()).standing();
        assertThat(takenOver).isEqualTo(new Standing(cancelled.signals(), "enough", true));
    }

    /** Its lease is over, and nobody has noticed: it goes on. */
    @Test
    void aLateOwnerWritesToARunThatNobodyElsePickedUp() {
        Driven driven = driven();
        pass(LONG);

        Standing unused = store().checkpoint(driven, done(0, 1));
        store().end(driven, done(1, 2), ending(RunState.COMPLETED));

        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 2)));
        assertThat(isTaken(driven.id())).isFalse();
    }

    @Test
    void aFencedOffOwnerWritesNothing() throws Exception {
        Driven first = driven();
        Driven second = takenOver(first.id()).driven();
        requireFenced(first);
        assertThat(store().checkpoint(second, done(0, 1))).isEqualTo(new Standing(0, null, false));
        requireFenced(first);
        assertThat(journal(first.id())).isEqualTo(texts(done(0, 1)));

        Driven third = takenOver(first.id()).driven();
        requireFenced(first);
        requireFenced(second);
        another().end(third, List.of(), ending(RunState.COMPLETED));
        requireFenced(second);
    }

    /** It looks as if it had left it so itself, and the answer was lost. */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "IN_DOUBT", "BLOCKED", "PENDING", "WAITING"})
    void aFencedOffOwnerIsRefusedAlthoughItsSuccessorLeftTheSameState(RunState state) {
        Driven first = driven();
        Driven second = takenOver(first.id()).driven();
        Ending ending = new Ending(state, null, null, state == RunState.PENDING ? LONG : null);
        if (state == RunState.WAITING) {
            assertThat(another().suspend(second, List.of(), LONG, told(0))).isTrue();
        } else {
            another().end(second, List.of(), ending);
        }
        String before = seen(another(), first.id());

        if (state == RunState.WAITING) {
            assertThatThrownBy(() -> store().suspend(first, done(0, 1), LONG, told(0)))
                    .isInstanceOf(FencedException.class);
        } else {
            assertThatThrownBy(() -> store().end(first, done(0, 1), ending)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().endUnlessTold(first, done(0, 1), ending, told(0)))
                    .isInstanceOf(FencedException.class);
        }
        assertThat(seen(another(), first.id())).isEqualTo(before);
    }

    @Test
    void anOwnerThatReleasedTheRunWritesNothing() throws Exception {
        Driven waiting = driven();
        assertThat(suspended(waiting, null)).isTrue();
        requireFenced(waiting);

        Driven ended = driven();
        store().end(ended, List.of(), ending(RunState.COMPLETED));
        requireFenced(ended);

        Driven given = driven();
        assertThat(store().giveBack(given, LONG)).isTrue();
        requireFenced(given);

        requireFenced(new Driven(RunId.next(), given.token()));
    }

    @Test
    void aRunSignalledOrCancelledMeanwhileDoesNotWait() {
        Driven driven = driven();
        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), driven.id());

        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isFalse();
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        assertThat(another().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, done(0, 1), LONG, told(1))).isFalse();
        assertThat(journal(driven.id())).isEmpty();

        int signals = store().checkpoint(driven, List.of()).signals();
        assertThat(store().suspend(driven, done(0, 1), LONG, told(signals))).isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void aWaitingRunHasNoNodeAndIsDueAfterItsPause() {
        Driven driven = driven();

        assertThat(store().suspend(driven, done(0, 1), Duration.ofMinutes(5), told(0)))
                .isTrue();

        RunRow row = row(driven.id());
        assertThat(row.state()).isEqualTo(RunState.WAITING);
        assertThat(row.node()).isNull();
        assertThat(row.attempt()).isZero();
        assertThat(row.dueAt()).isNotNull();
        assertThat(row.endedAt()).isNull();
        pass(Duration.ofMinutes(5).minusSeconds(20));
        assertThat(isTaken(driven.id())).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(isTaken(driven.id())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 60})
    void aWaitingRunIsDueByItsDeadlineAtTheLatest(long pauseMinutes) {
        Driven driven = driven(Duration.ofMinutes(5));

        assertThat(suspended(driven, pauseMinutes == 0 ? null : Duration.ofMinutes(pauseMinutes)))
                .isTrue();
        pass(Duration.ofMinutes(5).minusSeconds(20));
        assertThat(isTaken(driven.id())).isFalse();
        pass(Duration.ofSeconds(20));

        assertThat(store().take(known, 10, MANY))
                .extracting(PickedUpRun::standing)
                .containsExactly(new Standing(0, null, true));
    }

    @Test
    void aWaitingRunIsDueAfterAPauseThatEndsBeforeItsDeadline() {
        Driven driven = driven(LONG);
        assertThat(suspended(driven, Duration.ofMinutes(5))).isTrue();
        pass(Duration.ofMinutes(5));

        assertThat(store().take(known, 10, MANY))
                .extracting(PickedUpRun::standing)
                .containsExactly(new Standing(0, null, false));
    }

    /** It was told of its deadline: to be woken by it again would be to wait no more. */
    @Test
    void aRunNotifiedOfItsDeadlineMayWaitBeyondIt() {
        Driven driven = driven(Duration.ofMinutes(5));
        pass(Duration.ofMinutes(5));
        Standing late = store().checkpoint(driven, List.of());
        assertThat(late).isEqualTo(new Standing(0, null, true));

        assertThat(store().suspend(driven, List.of(), LONG, late)).isTrue();
        assertThat(isTaken(driven.id())).isFalse();
        pass(LONG);
        PickedUpRun taken = store().take(known, 1, MANY).get(0);
        assertThat(taken.standing()).isEqualTo(late);
        assertThat(store().suspend(taken.driven(), List.of(), null, late)).isTrue();
        assertThat(row(driven.id()).dueAt()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSignalOrCancellationWakesAWaitingRun(boolean forEver) {
        for (boolean cancelled : List.of(true, false)) {
            Driven driven = driven();
            assertThat(suspended(driven, forEver ? null : LONG)).isTrue();

            assertThat(
                            cancelled
                                    ? another().cancel(driven.id(), "enough")
                                    : another().signal(driven.id(), "paid", "1", stored("1")))
                    .isEqualTo(Answer.ACCEPTED);

            assertThat(store().take(known, 10, MANY)).hasSize(1).allSatisfy(taken -> {
                assertThat(taken.driven().id()).isEqualTo(driven.id());
                assertThat(taken.standing().signals()).isOne();
                assertThat(taken.standing().cancelReason()).isEqualTo(cancelled ? "enough" : null);
            });
        }
    }

    /** As after an answer that was lost. */
    @Test
    void aWaitThatIsSaidAgainIsOne() {
        Driven driven = driven();
        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
        String before = seen(store(), driven.id());

        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
        assertThat(isTaken(driven.id())).isTrue();
        assertThatThrownBy(() -> store().suspend(driven, done(0, 1), LONG, told(0)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().suspend(driven, done(0, 1), LONG, told(1)))
                .isInstanceOf(FencedException.class);
    }
}
