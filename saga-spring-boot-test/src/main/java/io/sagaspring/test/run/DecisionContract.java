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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person may decide, and when. */
abstract class DecisionContract extends InboxContract {

    @Test
    void theFirstReasonToCancelStays() {
        RunId id = driven().id();

        assertThat(store().cancel(id, "first")).isEqualTo(Answer.ACCEPTED);
        assertThat(another().cancel(id, "second")).isEqualTo(Answer.ACCEPTED);

        assertThat(row(id).cancelReason()).isEqualTo("first");
        assertThat(state(id)).isEqualTo(RunState.RUNNING);
        assertThat(isTaken(id)).isFalse();
        assertThat(takenOver(id).standing().cancelReason()).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED", "PENDING"})
    void aCancelledRunIsDueAtOnce(RunState state) {
        Driven driven = driven();
        store().end(driven, List.of(), new Ending(state, null, null, state == RunState.PENDING ? LONG : null));

        assertThat(store().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(state(driven.id())).isEqualTo(RunState.PENDING);
        assertThat(store().take(known, 1, MANY))
                .extracting(taken -> taken.standing().cancelReason())
                .containsExactly("enough");
    }

    @Test
    void aParkedRunThatIsCancelledIsNotParkedAgainAtOnce() {
        RunId id = driven().id();
        pass(LEASE);
        assertThat(store().take(known, 1, 1)).extracting(PickedUpRun::parked).containsExactly(true);

        assertThat(store().cancel(id, "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(store().take(known, 1, 1)).extracting(PickedUpRun::parked).containsExactly(false);
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyWhatFailedOrIsParkedOrBlockedOrCouldNotBeUndoneIsRetried(RunState state) {
        RunId id;
        switch (state) {
            case PENDING -> id = started();
            case RUNNING -> id = driven().id();
            case WAITING -> {
                Driven driven = driven();
                assertThat(suspended(driven, LONG)).isTrue();
                id = driven.id();
            }
            case COMPENSATING -> id = undoing().id();
            default -> id = left(state, done(0, 2));
        }
        String before = seen(store(), id);
        boolean goesOn = Set.of(RunState.FAILED, RunState.PARKED, RunState.BLOCKED, RunState.COMPENSATION_FAILED)
                .contains(state);

        assertThat(store().retry(id)).isEqualTo(goesOn);

        if (goesOn) {
            RunRow row = row(id);
            assertThat(row.state()).isEqualTo(RunState.PENDING);
            assertThat(row.attempt()).isZero();
            assertThat(row.error()).isNull();
            assertThat(row.endedAt()).isNull();
            assertThat(store().retry(id)).isFalse();
            assertThat(store().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
            List<PickedUpRun> taken = store().take(known, 1, 1);
            assertThat(taken).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(taken)
                    .allSatisfy(each -> assertThat(texts(each.journal())).isEqualTo(texts(done(0, 2))));
        } else {
            assertThat(seen(store(), id)).isEqualTo(before);
        }
    }

    /** Nobody waits for the pause after which it would have been tried by itself. */
    @Test
    void aRetriedRunIsDueAtOnce() {
        Driven driven = driven();
        store().end(driven, List.of(), new Ending(RunState.BLOCKED, null, "an error", LONG));
        assertThat(isTaken(driven.id())).isFalse();

        assertThat(store().retry(driven.id())).isTrue();

        assertThat(isTaken(driven.id())).isTrue();
    }

    @Test
    void aCompensatedRunIsNotRetried() {
        for (RunState state : List.of(RunState.FAILED, RunState.CANCELLED, RunState.COMPLETED)) {
            RunId id = leftUndone(state);
            String before = seen(store(), id);

            assertThat(store().retry(id)).isFalse();
            assertThat(seen(another(), id)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyARetryOfWhatHadFailedIsCounted(boolean undoing) {
        Driven driven = undoing ? undoing() : driven();
        RunId id = driven.id();
        int retries = 0;
        for (RunState state : List.of(
                RunState.BLOCKED,
                undoing ? RunState.COMPENSATION_FAILED : RunState.FAILED,
                RunState.PARKED,
                undoing ? RunState.COMPENSATION_FAILED : RunState.FAILED)) {
            store().end(driven, List.of(), ending(state));
            assertThat(store().retry(id)).isTrue();
            retries += state == RunState.FAILED || state == RunState.COMPENSATION_FAILED ? 1 : 0;

            PickedUpRun taken = another().take(id, known, MANY).orElseThrow();
            assertThat(taken.retries()).isEqualTo(retries);
            driven = taken.driven();
        }
        assertThat(retries).isEqualTo(2);
        assertThat(takenOver(id).retries()).as("taken up, and not retried").isEqualTo(2);
        assertThat(driven().id()).isNotEqualTo(id);
    }

    /** Or it would fail again as soon as it is asked. */
    @Test
    void aRunThatFailedForItsDeadlineIsRetriedWithoutOne() {
        Driven driven = driven(Duration.ofMinutes(5));
        for (int round = 0; round < 3; round++) {
            pass(Duration.ofMinutes(5));
            store().end(driven, List.of(), ending(RunState.FAILED));
            assertThat(store().retry(driven.id())).isTrue();

            PickedUpRun taken = store().take(driven.id(), known, MANY).orElseThrow();
            assertThat(taken.standing().late()).isFalse();
            driven = taken.driven();
        }
        assertThat(suspended(driven, null)).isTrue();
        assertThat(row(driven.id()).dueAt()).isNull();
    }

    @Test
    void aRunFailedBeforeItsDeadlineKeepsTheDeadlineWhenRetried() {
        Driven driven = driven(LONG);
        store().end(driven, List.of(), ending(RunState.FAILED));
        assertThat(store().retry(driven.id())).isTrue();
        pass(LONG);

        assertThat(store().take(driven.id(), known, MANY)
                        .map(taken -> taken.standing().late()))
                .contains(true);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mark.class,
            names = {"DONE", "ABSENT"})
    void aDoubtIsResolvedByWhatBecameOfTheStep(Mark mark) {
        Entry intent = entry(2, "pay", Call.TRANSACTIONAL_STEP, Mark.INTENT, null);
        List<Entry> entries = new ArrayList<>(done(0, 2));
        entries.add(intent);
        RunId id = left(RunState.IN_DOUBT, entries);
        Entry answer = new Entry(
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
        assertThat(store().resolve(id, answer)).as("said again").isFalse();

        entries.add(new Entry(3, "pay", Call.TRANSACTIONAL_STEP, mark, answer.value(), null, null, null, null));
        assertThat(journal(id)).isEqualTo(texts(entries));
        assertThat(row(id).journal().get(3).detail()).isEqualTo("resolved by 'ada'");
        assertThat(state(id)).isEqualTo(RunState.PENDING);
        List<PickedUpRun> taken = store().take(known, 1, 1);
        assertThat(taken).extracting(PickedUpRun::parked).containsExactly(false);
        assertThat(taken).allSatisfy(each -> assertThat(texts(each.journal())).isEqualTo(texts(entries)));
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyWhatIsInDoubtOrBlockedAfterAStepIsResolved(RunState state) {
        RunId id;
        if (state == RunState.WAITING) {
            Driven driven = driven();
            assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
            id = driven.id();
        } else if (state == RunState.RUNNING) {
            Driven driven = driven();
            Standing unused = store().checkpoint(driven, done(0, 1));
            id = driven.id();
        } else if (state == RunState.COMPENSATING) {
            Driven driven = driven();
            Standing unused = store().compensate(driven, done(0, 1));
            id = driven.id();
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
        Entry signal = new Entry(0, "paid", Call.SIGNAL, Mark.DONE, stored("x"), "1", null, null, null);
        RunId id = left(RunState.BLOCKED, List.of(signal));

        assertThat(store().resolve(id, entry(0, "paid", Call.STEP, Mark.ABSENT, null)))
                .isFalse();
        assertThat(state(id)).isEqualTo(RunState.BLOCKED);
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyWhatWaitsForAPersonIsGivenUpWhileItsCodeIsThere(RunState state) throws Exception {
        Driven driven = leftOrDriven(state);
        RunId id = driven.id();
        String before = seen(store(), id);
        boolean ends = Set.of(RunState.BLOCKED, RunState.IN_DOUBT, RunState.PARKED, RunState.COMPENSATION_FAILED)
                .contains(state);

        assertThat(store().giveUp(id, "given up by 'ada'", false)).isEqualTo(ends);

        if (ends) {
            requireGivenUp(driven, state);
        } else {
            assertThat(seen(another(), id)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"PENDING", "WAITING", "BLOCKED", "PARKED"})
    void aRunWithoutCodeIsGivenUpIfNoNodeExecutesIt(RunState state) throws Exception {
        Driven driven = leftOrDriven(state);

        assertThat(store().giveUp(driven.id(), "given up by 'ada'", true)).isTrue();

        requireGivenUp(driven, state);
    }

    @Test
    void anExecutingRunIsGivenUpOnlyAfterItsLeaseHasExpired() throws Exception {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, 1));
        String before = seen(store(), driven.id());

        assertThat(store().giveUp(driven.id(), "given up by 'ada'", true)).isFalse();
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        pass(LEASE.plusSeconds(1));
        assertThat(store().giveUp(driven.id(), "given up by 'ada'", true)).isTrue();
        requireGivenUp(driven, RunState.RUNNING);
        // A node that was only paused must not take the end for its own.
        assertThatThrownBy(() -> store().end(driven, List.of(), ending(RunState.CANCELLED)))
                .isInstanceOf(FencedException.class);
    }

    Driven leftOrDriven(RunState state) {
        Driven driven = driven();
        switch (state) {
            case PENDING -> assertThat(store().giveBack(driven, Duration.ZERO)).isTrue();
            case RUNNING -> {}
            case WAITING -> assertThat(suspended(driven, null)).isTrue();
            case COMPENSATING -> {
                Standing unused = store().compensate(driven, List.of());
            }
            default -> store().end(driven, List.of(), new Ending(state, null, "an error", null));
        }
        return driven;
    }

    void requireGivenUp(Driven driven, RunState before) throws Exception {
        RunRow row = row(driven.id());
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
        assertThat(store().giveUp(driven.id(), "given up by 'eve'", true)).isFalse();
        assertThat(store().retry(driven.id())).isFalse();
        assertThat(store().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.TOO_LATE);
        assertThat(isTaken(driven.id())).isFalse();
        requireFenced(driven);
    }

    @Test
    void aDoubtAboutNothingIsNotResolved() {
        RunId id = left(RunState.IN_DOUBT);

        assertThat(store().resolve(id, done(0))).isFalse();
        assertThat(state(id)).isEqualTo(RunState.IN_DOUBT);
    }
}
