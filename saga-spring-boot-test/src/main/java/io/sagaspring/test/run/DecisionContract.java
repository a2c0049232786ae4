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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the decisions of a person about a run: to cancel it, retry it, resolve its last step, or give it up. */
abstract class DecisionContract extends InboxContract {

    @Test
    void theFirstReasonForACancellationIsKept() {
        RunId id = runLease().id();

        assertThat(store().cancel(id, "first")).isEqualTo(Answer.ACCEPTED);
        assertThat(another().cancel(id, "second")).isEqualTo(Answer.ACCEPTED);

        assertThat(row(id).cancelReason()).isEqualTo("first");
        assertThat(state(id)).isEqualTo(RunState.RUNNING);
        assertThat(isPickedUp(id)).isFalse();
        assertThat(takenOver(id).controlState().cancelReason()).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED", "PENDING"})
    void aCancelledRunIsDueAtOnce(RunState state) {
        RunLease runLease = runLease();
        store().end(runLease, List.of(), new Ending(state, null, null, state == RunState.PENDING ? LONG : null));

        assertThat(store().cancel(runLease.id(), "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(state(runLease.id())).isEqualTo(RunState.PENDING);
        assertThat(store().take(known, 1, MANY))
                .extracting(pickedUp -> pickedUp.controlState().cancelReason())
                .containsExactly("enough");
    }

    @Test
    void aParkedRunThatIsCancelledIsNotParkedAgainAtOnce() {
        RunId id = runLease().id();
        pass(LEASE);
        assertThat(store().take(known, 1, 1)).extracting(PickedUpRun::parked).containsExactly(true);

        assertThat(store().cancel(id, "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(store().take(known, 1, 1)).extracting(PickedUpRun::parked).containsExactly(false);
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyAFailedOrParkedOrBlockedOrNotCompensatedRunIsRetried(RunState state) {
        RunId id;
        switch (state) {
            case PENDING -> id = started();
            case RUNNING -> id = runLease().id();
            case WAITING -> {
                RunLease runLease = runLease();
                assertThat(suspended(runLease, LONG)).isTrue();
                id = runLease.id();
            }
            case COMPENSATING -> id = compensating().id();
            default -> id = left(state, done(0, 2));
        }
        String before = seen(store(), id);
        boolean continues = Set.of(RunState.FAILED, RunState.PARKED, RunState.BLOCKED, RunState.COMPENSATION_FAILED)
                .contains(state);

        assertThat(store().retry(id)).isEqualTo(continues);

        if (continues) {
            RunRow row = row(id);
            assertThat(row.state()).isEqualTo(RunState.PENDING);
            assertThat(row.attempt()).isZero();
            assertThat(row.error()).isNull();
            assertThat(row.endedAt()).isNull();
            assertThat(store().retry(id)).isFalse();
            assertThat(store().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
            List<PickedUpRun> pickedUp = store().take(known, 1, 1);
            assertThat(pickedUp).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(pickedUp)
                    .allSatisfy(each -> assertThat(texts(each.journal())).isEqualTo(texts(done(0, 2))));
        } else {
            assertThat(seen(store(), id)).isEqualTo(before);
        }
    }

    /** After a retry, the run is due immediately. It does not wait for the next check of blocked runs. */
    @Test
    void aRetriedRunIsDueAtOnce() {
        RunLease runLease = runLease();
        store().end(runLease, List.of(), new Ending(RunState.BLOCKED, null, "an error", LONG));
        assertThat(isPickedUp(runLease.id())).isFalse();

        assertThat(store().retry(runLease.id())).isTrue();

        assertThat(isPickedUp(runLease.id())).isTrue();
    }

    @Test
    void aCompensatedRunIsNotRetried() {
        for (RunState state : List.of(RunState.FAILED, RunState.CANCELLED, RunState.COMPLETED)) {
            RunId id = leftCompensated(state);
            String before = seen(store(), id);

            assertThat(store().retry(id)).isFalse();
            assertThat(seen(another(), id)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyRetriesAfterAFailureAreCounted(boolean compensating) {
        RunLease runLease = compensating ? compensating() : runLease();
        RunId id = runLease.id();
        int retries = 0;
        for (RunState state : List.of(
                RunState.BLOCKED,
                compensating ? RunState.COMPENSATION_FAILED : RunState.FAILED,
                RunState.PARKED,
                compensating ? RunState.COMPENSATION_FAILED : RunState.FAILED)) {
            store().end(runLease, List.of(), ending(state));
            assertThat(store().retry(id)).isTrue();
            retries += state == RunState.FAILED || state == RunState.COMPENSATION_FAILED ? 1 : 0;

            PickedUpRun pickedUp = another().take(id, known, MANY).orElseThrow();
            assertThat(pickedUp.retries()).isEqualTo(retries);
            runLease = pickedUp.runLease();
        }
        assertThat(retries).isEqualTo(2);
        assertThat(takenOver(id).retries()).as("picked up, and not retried").isEqualTo(2);
        assertThat(runLease().id()).isNotEqualTo(id);
    }

    /** If the run kept the old deadline, it would fail again immediately. */
    @Test
    void aRunRetriedAfterItsDeadlineHasNoDeadline() {
        RunLease runLease = runLease(Duration.ofMinutes(5));
        for (int round = 0; round < 3; round++) {
            pass(Duration.ofMinutes(5));
            store().end(runLease, List.of(), ending(RunState.FAILED));
            assertThat(store().retry(runLease.id())).isTrue();

            PickedUpRun pickedUp = store().take(runLease.id(), known, MANY).orElseThrow();
            assertThat(pickedUp.controlState().late()).isFalse();
            runLease = pickedUp.runLease();
        }
        assertThat(suspended(runLease, null)).isTrue();
        assertThat(row(runLease.id()).dueAt()).isNull();
    }

    @Test
    void aRunFailedBeforeItsDeadlineKeepsTheDeadlineWhenRetried() {
        RunLease runLease = runLease(LONG);
        store().end(runLease, List.of(), ending(RunState.FAILED));
        assertThat(store().retry(runLease.id())).isTrue();
        pass(LONG);

        assertThat(store().take(runLease.id(), known, MANY)
                        .map(pickedUp -> pickedUp.controlState().late()))
                .contains(true);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mark.class,
            names = {"DONE", "ABSENT"})
    void aDoubtIsResolvedByTheResultOfTheStep(Mark mark) {
        JournalEntry intent = entry(2, "pay", Call.TRANSACTIONAL_STEP, Mark.INTENT, null);
        List<JournalEntry> entries = new ArrayList<>(done(0, 2));
        entries.add(intent);
        RunId id = left(RunState.IN_DOUBT, entries);
        JournalEntry answer = new JournalEntry(
                0,
                "pay",
                Call.STEP,
                mark,
                mark == Mark.DONE ? stored("receipt") : null,
                "resolved by 'ada'",
                null,
                null,
                null);

        assertThat(store().resolve(id, entry(0, "step-1", Call.STEP, mark, null)))
                .as("another step")
                .isFalse();
        assertThat(journal(id)).isEqualTo(texts(entries));
        assertThat(state(id)).isEqualTo(RunState.IN_DOUBT);
        assertThat(store().resolve(id, answer)).isTrue();
        assertThat(store().resolve(id, answer)).as("repeated").isFalse();

        entries.add(new JournalEntry(3, "pay", Call.TRANSACTIONAL_STEP, mark, answer.value(), null, null, null, null));
        assertThat(journal(id)).isEqualTo(texts(entries));
        assertThat(row(id).journal().get(3).detail()).isEqualTo("resolved by 'ada'");
        assertThat(state(id)).isEqualTo(RunState.PENDING);
        List<PickedUpRun> pickedUp = store().take(known, 1, 1);
        assertThat(pickedUp).extracting(PickedUpRun::parked).containsExactly(false);
        assertThat(pickedUp)
                .allSatisfy(each -> assertThat(texts(each.journal())).isEqualTo(texts(entries)));
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyARunInDoubtOrBlockedAfterAStepIsResolved(RunState state) {
        RunId id;
        if (state == RunState.WAITING) {
            RunLease runLease = runLease();
            assertThat(store().suspend(runLease, done(0, 1), LONG, afterSignals(0)))
                    .isTrue();
            id = runLease.id();
        } else if (state == RunState.RUNNING) {
            RunLease runLease = runLease();
            ControlState unused = store().checkpoint(runLease, done(0, 1));
            id = runLease.id();
        } else if (state == RunState.COMPENSATING) {
            RunLease runLease = runLease();
            ControlState unused = store().compensate(runLease, done(0, 1));
            id = runLease.id();
        } else {
            id = left(state, done(0, 1));
        }
        String before = seen(store(), id);

        boolean resolved = store().resolve(id, done(0));

        assertThat(resolved).isEqualTo(state == RunState.IN_DOUBT || state == RunState.BLOCKED);
        assertThat(seen(store(), id).equals(before)).isNotEqualTo(resolved);
    }

    @Test
    void aRunThatIsBlockedAfterASignalIsNotResolved() {
        JournalEntry signal = new JournalEntry(0, "paid", Call.SIGNAL, Mark.DONE, stored("x"), "1", null, null, null);
        RunId id = left(RunState.BLOCKED, List.of(signal));

        assertThat(store().resolve(id, entry(0, "paid", Call.STEP, Mark.ABSENT, null)))
                .isFalse();
        assertThat(state(id)).isEqualTo(RunState.BLOCKED);
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyARunThatWaitsForAPersonCanBeGivenUpWhileItsCodeExists(RunState state) throws Exception {
        RunLease runLease = inState(state);
        RunId id = runLease.id();
        String before = seen(store(), id);
        boolean ends = Set.of(RunState.BLOCKED, RunState.IN_DOUBT, RunState.PARKED, RunState.COMPENSATION_FAILED)
                .contains(state);

        assertThat(store().giveUp(id, "given up by 'ada'", false)).isEqualTo(ends);

        if (ends) {
            requireGivenUp(runLease, state);
        } else {
            assertThat(seen(another(), id)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"PENDING", "WAITING", "BLOCKED", "PARKED"})
    void aRunWithoutCodeIsGivenUpIfNoNodeExecutesIt(RunState state) throws Exception {
        RunLease runLease = inState(state);

        assertThat(store().giveUp(runLease.id(), "given up by 'ada'", true)).isTrue();

        requireGivenUp(runLease, state);
    }

    @Test
    void anExecutingRunIsGivenUpOnlyAfterItsLeaseHasExpired() throws Exception {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(runLease, done(0, 1));
        String before = seen(store(), runLease.id());

        assertThat(store().giveUp(runLease.id(), "given up by 'ada'", true)).isFalse();
        assertThat(seen(store(), runLease.id())).isEqualTo(before);

        pass(LEASE.plusSeconds(1));
        assertThat(store().giveUp(runLease.id(), "given up by 'ada'", true)).isTrue();
        requireGivenUp(runLease, RunState.RUNNING);
        // A node that was only paused must not treat this end of the run as its own.
        assertThatThrownBy(() -> store().end(runLease, List.of(), ending(RunState.CANCELLED)))
                .isInstanceOf(FencedException.class);
    }

    RunLease inState(RunState state) {
        RunLease runLease = runLease();
        switch (state) {
            case PENDING -> assertThat(store().release(runLease, Duration.ZERO)).isTrue();
            case RUNNING -> {}
            case WAITING -> assertThat(suspended(runLease, null)).isTrue();
            case COMPENSATING -> {
                ControlState unused = store().compensate(runLease, List.of());
            }
            default -> store().end(runLease, List.of(), new Ending(state, null, "an error", null));
        }
        return runLease;
    }

    void requireGivenUp(RunLease runLease, RunState before) throws Exception {
        RunRow row = row(runLease.id());
        assertThat(row.state()).isEqualTo(RunState.CANCELLED);
        assertThat(row.node()).isNull();
        assertThat(row.endedAt()).isNotNull();
        assertThat(row.dueAt()).isNull();
        assertThat(row.cancelReason()).isEqualTo("given up by 'ada'");
        assertThat(row.error())
                .startsWith("given up by 'ada' while it was %s. Nothing was compensated.".formatted(before.text()));
        if (before == RunState.BLOCKED || before == RunState.PARKED) {
            assertThat(row.error()).endsWith("\nan error");
        }
        assertThat(store().giveUp(runLease.id(), "given up by 'eve'", true)).isFalse();
        assertThat(store().retry(runLease.id())).isFalse();
        assertThat(store().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.TOO_LATE);
        assertThat(isPickedUp(runLease.id())).isFalse();
        requireFenced(runLease);
    }

    @Test
    void aRunInDoubtWithoutAStepIsNotResolved() {
        RunId id = left(RunState.IN_DOUBT);

        assertThat(store().resolve(id, done(0))).isFalse();
        assertThat(state(id)).isEqualTo(RunState.IN_DOUBT);
    }
}
