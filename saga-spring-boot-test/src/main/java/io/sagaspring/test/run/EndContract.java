package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the end of a run, with and without compensation, and conclusions. A conclusion, such as the end of a wait,
 * consists of entries that are journaled only if no signal has arrived in the meantime.
 */
abstract class EndContract extends JournalContract {

    @Test
    void aConclusionIsAddedIfNoSignalHasArrivedSince() {
        RunLease runLease = runLease();
        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), runLease.id());

        assertThat(store().conclude(runLease, List.of(timedOut(0, "paid")), afterSignals(0)))
                .isFalse();
        assertThat(seen(another(), runLease.id())).isEqualTo(before);

        assertThat(store().conclude(runLease, List.of(done(0), timedOut(1, "paid")), afterSignals(1)))
                .isTrue();
        assertThat(journal(runLease.id())).isEqualTo(texts(List.of(done(0), timedOut(1, "paid"))));
        assertThat(state(runLease.id())).isEqualTo(RunState.RUNNING);

        assertThat(another().cancel(runLease.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(store().conclude(runLease, List.of(done(2)), afterSignals(1)))
                .isFalse();
        assertThat(another().reply(runLease.id(), further("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().conclude(runLease, List.of(done(2)), afterSignals(2)))
                .isFalse();
        assertThat(store().conclude(runLease, List.of(done(2)), afterSignals(3)))
                .isTrue();
        assertThat(journal(runLease.id())).hasSize(3);
    }

    /**
     * Repeats the call, as a caller does that has received no answer. The entries have been added, so later signals do
     * not matter.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aRepeatedConclusionIsAddedOnce(int entries) {
        RunLease runLease = runLease();
        assertThat(store().conclude(runLease, done(0, entries), afterSignals(0)))
                .isTrue();
        assertThat(store().conclude(runLease, done(0, entries), afterSignals(0)))
                .isTrue();
        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), runLease.id());

        assertThat(store().conclude(runLease, done(0, entries), afterSignals(0)))
                .isTrue();
        assertThat(seen(another(), runLease.id())).isEqualTo(before);
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(1));

        assertThat(store().suspend(runLease, List.of(), null, afterSignals(1))).isTrue();
        assertThatThrownBy(() -> store().conclude(runLease, done(0, entries), afterSignals(0)))
                .as("suspended meanwhile")
                .isInstanceOf(FencedException.class);
    }

    /**
     * The owner's write succeeded, but the answer was lost. If the owner repeats the write after a takeover, the store
     * refuses it.
     */
    @Test
    void aConclusionRepeatedAfterATakeoverIsRefused() {
        RunLease runLease = runLease();
        assertThat(store().conclude(runLease, done(0, 1), afterSignals(0))).isTrue();
        RunLease next = takenOver(runLease.id()).runLease();

        assertThatThrownBy(() -> store().conclude(runLease, done(0, 1), afterSignals(0)))
                .isInstanceOf(FencedException.class);
        assertThat(another().conclude(next, done(1, 2), afterSignals(0))).isTrue();
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 2)));
    }

    /** Only some of the conclusion's entries have been written. */
    @Test
    void aPartlyWrittenConclusionIsNotAddedIfASignalHasArrived() {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(runLease, done(0, 1));
        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(store().conclude(runLease, done(0, 2), afterSignals(0))).isFalse();
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 1)));
        assertThat(store().conclude(runLease, done(0, 2), afterSignals(1))).isTrue();
        assertThat(journal(runLease.id())).isEqualTo(texts(done(0, 2)));
    }

    @Test
    void aCompensatingRunStaysCompensatingUntilItEnds() {
        RunLease runLease = runLease(LONG.multipliedBy(2));
        RunId id = runLease.id();
        assertThat(another().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(store().compensate(runLease, done(0, 2))).isEqualTo(afterSignals(1));

        assertThat(journal(id)).isEqualTo(texts(done(0, 2)));
        assertThat(state(id)).as("running").isEqualTo(RunState.COMPENSATING);
        assertThat(row(id).node()).isNotNull();
        assertThat(store().checkpoint(runLease, done(2, 3))).isEqualTo(afterSignals(1));
        assertThat(store().suspend(runLease, done(3, 4), LONG, afterSignals(1))).isTrue();
        assertThat(state(id)).as("waiting").isEqualTo(RunState.COMPENSATING);
        assertThat(row(id).node()).isNull();
        assertThat(isPickedUp(id)).isFalse();
        pass(LONG);
        List<PickedUpRun> pickedUp = store().take(known, 1, MANY);
        assertThat(pickedUp).extracting(PickedUpRun::interrupted).containsExactly(false);
        assertThat(state(id)).as("picked up").isEqualTo(RunState.COMPENSATING);
        assertThat(store().release(pickedUp.get(0).runLease(), Duration.ZERO)).isTrue();
        assertThat(state(id)).as("pending").isEqualTo(RunState.COMPENSATING);
        assertThat(ids(run, RunState.COMPENSATING)).containsExactly(id);
        assertThat(ids(run, RunState.PENDING, RunState.RUNNING, RunState.WAITING))
                .isEmpty();
        RunLease next = store().take(id, known, MANY).orElseThrow().runLease();
        store().end(next, List.of(), ending(RunState.FAILED));
        assertThat(state(id)).as("ended").isEqualTo(RunState.FAILED);
        assertThat(ids(run, RunState.COMPENSATING)).isEmpty();
        assertThat(ids(run, RunState.FAILED)).containsExactly(id);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "IN_DOUBT", "BLOCKED", "PARKED", "COMPENSATION_FAILED"})
    void aCompensatingRunShowsTheStateInWhichItStops(RunState state) {
        RunId id = leftCompensated(state);

        assertThat(state(id)).isEqualTo(state);
        assertThat(store().findRow(id)).map(RunRow::state).contains(state);
        assertThat(ids(run, state)).containsExactly(id);
    }

    /** Repeats the call, as a caller does that has received no answer. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void theStartOfACompensationCanBeRepeated(int entries) {
        RunLease runLease = runLease();
        assertThat(store().compensate(runLease, done(0, entries))).isEqualTo(afterSignals(0));
        String before = seen(store(), runLease.id());

        assertThat(store().compensate(runLease, done(0, entries))).isEqualTo(afterSignals(0));
        assertThat(seen(another(), runLease.id())).isEqualTo(before);
        assertThat(state(runLease.id())).isEqualTo(RunState.COMPENSATING);
    }

    @Test
    void aFailedCompensationWaitsForAPersonEvenWhenCancelled() {
        RunId id = leftCompensated(RunState.COMPENSATION_FAILED);
        assertThat(row(id).endedAt()).isNull();
        assertThat(row(id).attempt()).isZero();

        assertThat(another().cancel(id, "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(state(id)).isEqualTo(RunState.COMPENSATION_FAILED);
        assertThat(row(id).cancelReason()).isEqualTo("enough");
        assertThat(row(id).dueAt()).isNull();
        pass(LONG);
        assertThat(isPickedUp(id)).isFalse();

        assertThat(store().retry(id)).isTrue();
        assertThat(state(id)).isEqualTo(RunState.COMPENSATING);
        assertThat(row(id).error()).isNull();
        assertThat(store().take(known, 1, 1))
                .extracting(PickedUpRun::retries, PickedUpRun::interrupted, PickedUpRun::parked)
                .containsExactly(tuple(1, false, false));
    }

    @Test
    void aCancelledRunDoesNotEndBeforeItHasReadTheCancellation() {
        RunLease runLease = runLease();
        ControlState before = store().checkpoint(runLease, done(0, 1));
        assertThat(another().cancel(runLease.id(), "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(store().endUnlessChanged(runLease, done(1, 2), ending(RunState.COMPLETED), before))
                .isFalse();

        assertThat(state(runLease.id())).isEqualTo(RunState.RUNNING);
        assertThat(journal(runLease.id())).hasSize(1);
        ControlState now = store().checkpoint(runLease, List.of());
        assertThat(store().endUnlessChanged(runLease, done(1, 2), ending(RunState.COMPLETED), now))
                .isTrue();
        assertThat(store().endUnlessChanged(runLease, done(1, 2), ending(RunState.COMPLETED), now))
                .as("repeated after a lost reply")
                .isTrue();
        assertThat(state(runLease.id())).isEqualTo(RunState.COMPLETED);
        assertThat(journal(runLease.id())).hasSize(2);
    }

    @Test
    void aRunDoesNotEndBeforeItIsNotifiedOfItsDeadline() {
        RunLease runLease = runLease(Duration.ofMinutes(1));
        ControlState before = store().checkpoint(runLease, List.of());
        pass(Duration.ofMinutes(1));

        assertThat(store().endUnlessChanged(runLease, List.of(), ending(RunState.COMPLETED), before))
                .isFalse();

        assertThat(state(runLease.id())).isEqualTo(RunState.RUNNING);
    }

    @Test
    void aRunNotifiedOfItsDeadlineCanEnd() {
        RunLease runLease = runLease(Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));
        ControlState late = store().checkpoint(runLease, List.of());

        assertThat(store().endUnlessChanged(runLease, done(0, 1), ending(RunState.FAILED), late))
                .isTrue();

        assertThat(state(runLease.id())).isEqualTo(RunState.FAILED);
        assertThat(journal(runLease.id())).hasSize(1);
    }

    @Test
    void aFencedOffOwnerDoesNotEndARunWhoseSignalsAreUnchanged() {
        RunLease runLease = runLease();
        ControlState before = store().checkpoint(runLease, List.of());
        takenOver(runLease.id());

        assertThatThrownBy(() -> store().endUnlessChanged(runLease, List.of(), ending(RunState.COMPLETED), before))
                .isInstanceOf(FencedException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "IN_DOUBT", "BLOCKED", "COMPENSATION_FAILED", "PENDING"})
    void aRunEndsWithTheGivenState(RunState state) throws Exception {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(runLease, done(0, 1));
        Duration again = state == RunState.BLOCKED || state == RunState.PENDING ? LONG : null;

        store().end(runLease, done(1, 3), new Ending(state, stored("result"), "why\0not", again));

        RunRow row = row(runLease.id());
        assertThat(row.state()).isEqualTo(state);
        assertThat(row.node()).isNull();
        assertThat(text(row.result())).isEqualTo("text:result");
        assertThat(row.error()).startsWith("why").endsWith("not");
        assertThat(row.dueAt() != null).isEqualTo(again != null);
        assertThat(row.endedAt() != null).isEqualTo(state.isEnd());
        assertThat(texts(row.journal())).isEqualTo(texts(done(0, 3)));
        requireFenced(runLease);
        pass(LONG.minusSeconds(20));
        assertThat(isPickedUp(runLease.id())).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(isPickedUp(runLease.id())).isEqualTo(again != null);
    }

    @Test
    void aRunMayEndWithoutAResult() {
        RunId id = runLease().id();
        RunLease runLease = takenOver(id).runLease();

        store().end(runLease, List.of(), ending(RunState.COMPLETED));

        assertThat(row(id).result()).isNull();
        assertThat(row(id).error()).isNull();
        assertThat(row(id).journal()).isEmpty();
        assertThat(row(id).endedAt()).isAfterOrEqualTo(row(id).startedAt());
    }

    /** Repeats the call, as a caller does that has received no answer. */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "IN_DOUBT", "BLOCKED", "COMPENSATION_FAILED", "PENDING"})
    void aRepeatedEndChangesNothing(RunState state) {
        RunLease runLease = runLease();
        Ending ending = new Ending(state, stored("result"), null, state.isEnd() ? null : LONG);
        store().end(runLease, done(0, 1), ending);
        String before = seen(store(), runLease.id());

        store().end(runLease, done(0, 1), ending);
        assertThat(seen(store(), runLease.id())).isEqualTo(before);

        assertThatThrownBy(() -> store().end(runLease, List.of(), ending(RunState.PARKED)))
                .isInstanceOf(FencedException.class);
        assertThat(seen(store(), runLease.id())).isEqualTo(before);
    }

    /** Text for display is always stored in some form, whatever its length and characters. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\0", "\uD83D", "😀", "'; --"})
    void everyTextForDisplayIsStored(String odd) {
        String text = ("a" + odd).repeat(10_000);
        RunLease runLease = runLease();
        assertThat(store().cancel(runLease.id(), text)).isEqualTo(Answer.ACCEPTED);
        store().end(
                        runLease,
                        List.of(new JournalEntry(0, "step", Call.STEP, Mark.FAILED, null, text, null, null, null)),
                        new Ending(RunState.FAILED, null, text, null));

        assertThat(row(runLease.id()).error()).startsWith("a");
        assertThat(row(runLease.id()).cancelReason()).startsWith("a");
        assertThat(row(runLease.id()).journal().get(0).detail()).startsWith("a");
    }
}
