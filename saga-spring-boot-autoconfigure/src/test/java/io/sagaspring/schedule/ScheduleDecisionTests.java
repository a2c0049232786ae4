package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunId;
import io.sagaspring.schedule.ScheduleDecision.Previous;
import io.sagaspring.schedule.ScheduleDecision.Result;
import io.sagaspring.schedule.ScheduleDecision.Start;
import io.sagaspring.schedule.ScheduleRow.Change;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schedule.ScheduleSpec.Delay;
import io.sagaspring.schedule.ScheduleSpec.Rate;
import io.sagaspring.schedule.ScheduleState.Pause;
import io.sagaspring.schedule.ScheduleState.Skips;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what a schedule does at a given time. Its instants are the full minutes. */
class ScheduleDecisionTests {

    private static final Instant ZERO = Instant.parse("2026-05-01T00:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);
    private static final Rate MINUTES = new Rate(Duration.ofMinutes(1));
    private static final Delay PAUSE = new Delay(Duration.ofMinutes(5));
    private static final Previous OPEN = new Previous(true, null);
    private static final RunId RUN = RunId.next();

    private static Instant minute(long number) {
        return ZERO.plusSeconds(60 * number);
    }

    /** Returns firings for some minutes. The schedule has fired for minute 0 before them. */
    private static List<Start> minutes(long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(each -> new Start(minute(each), false, minute(each == first ? 0 : each - 1)))
                .toList();
    }

    private static ScheduleTerms terms(ScheduleSpec spec, Missed missed, Overlap overlap) {
        return new ScheduleTerms("run", spec, missed, DAY, overlap, null);
    }

    private static ScheduleState state(@Nullable Instant next, @Nullable Instant queued) {
        return new ScheduleState(next, minute(0), minute(0), RUN, queued, queued != null, Skips.NONE, null);
    }

    private static Locked locked(
            ScheduleTerms terms, ScheduleState state, Instant now, @Nullable WaitingFiring waiting) {
        return new Locked(new ScheduleRow("tick", terms, state, 1, new Change(ZERO, "node")), waiting, now);
    }

    private static Result decide(
            Missed missed, Overlap overlap, long now, long onTimeSince, @Nullable Previous previous) {
        return ScheduleDecision.of(
                locked(
                        terms(MINUTES, missed, overlap),
                        state(minute(1), null),
                        minute(now).plusSeconds(5),
                        null),
                minute(onTimeSince),
                previous);
    }

    @ParameterizedTest
    @EnumSource
    void aDueInstantFiresAndTheNextInstantIsComputed(Missed missed) {
        Result result = decide(missed, Overlap.ALLOW, 1, 1, null);

        assertThat(result.starts()).isEqualTo(minutes(1, 1));
        assertThat(result.state().nextAt()).isEqualTo(minute(2));
        assertThat(result.state().lastAt()).isEqualTo(minute(1));
        assertThat(result.missed() + result.overlapped()).isZero();
    }

    @Test
    void nothingFiresBeforeTheNextInstant() {
        Result result = decide(Missed.LATEST, Overlap.SKIP, 0, 0, null);

        assertThat(result.starts()).isEmpty();
        assertThat(result.state()).isEqualTo(state(minute(1), null));
    }

    @Test
    void onlyTheLatestMissedInstantFires() {
        Result result = decide(Missed.LATEST, Overlap.ALLOW, 100, 98, null);

        assertThat(result.starts()).isEqualTo(minutes(100, 100));
        assertThat(result.missed()).isEqualTo(99);
        assertThat(result.state().nextAt()).isEqualTo(minute(101));
        assertThat(result.state().skips().count()).isEqualTo(99);
        assertThat(result.state().skips().why()).contains(minute(1).toString());
    }

    @Test
    void allInstantsThatPassedWhileThisNodeWasUpFire() {
        assertThat(decide(Missed.LATEST, Overlap.ALLOW, 10, 1, null).starts()).isEqualTo(minutes(1, 10));
    }

    @Test
    void withMissedNoneAllMissedInstantsAreSkipped() {
        Result some = decide(Missed.NONE, Overlap.ALLOW, 100, 98, null);
        assertThat(some.starts()).isEqualTo(minutes(98, 100));
        assertThat(some.missed()).isEqualTo(97);

        Result none = ScheduleDecision.of(
                locked(
                        terms(MINUTES, Missed.NONE, Overlap.ALLOW),
                        state(minute(1), null),
                        minute(100).plusSeconds(50),
                        null),
                minute(100).plusSeconds(40),
                null);
        assertThat(none.starts()).isEmpty();
        assertThat(none.missed()).isEqualTo(100);
        assertThat(none.state().lastAt()).isEqualTo(minute(100));
        assertThat(none.state().nextAt()).isEqualTo(minute(101));
    }

    @Test
    void allMissedInstantsInTheWindowFireInOrderAndInParts() {
        Result first = decide(Missed.ALL, Overlap.ALLOW, 250, 249, null);

        assertThat(first.starts()).isEqualTo(minutes(1, ScheduleDecision.MOST_AT_ONCE));
        assertThat(first.state().nextAt()).isEqualTo(minute(ScheduleDecision.MOST_AT_ONCE + 1));
        assertThat(first.missed()).isZero();
    }

    @Test
    void missedInstantsOutsideTheWindowAreSkipped() {
        Result result = decide(Missed.ALL, Overlap.ALLOW, 2_000, 1_999, null);

        assertThat(result.starts().get(0)).isEqualTo(new Start(minute(2_000 - 1_440 + 1), false, minute(0)));
        assertThat(result.missed()).isEqualTo(2_000 - 1_440);
    }

    @Test
    void anInstantIsSkippedWhileTheLastRunHasNotEnded() {
        Result result = decide(Missed.LATEST, Overlap.SKIP, 1, 1, OPEN);

        assertThat(result.starts()).isEmpty();
        assertThat(result.overlapped()).isEqualTo(1);
        assertThat(result.state().lastAt()).isEqualTo(minute(1));
        assertThat(result.state().nextAt()).isEqualTo(minute(2));
        assertThat(result.state().skips().why()).isEqualTo("The run of the previous firing had not ended.");
    }

    @Test
    void onlyTheFirstOfSeveralDueInstantsFires() {
        Result result = decide(Missed.LATEST, Overlap.SKIP, 3, 1, new Previous(false, minute(0)));

        assertThat(result.starts()).isEqualTo(minutes(1, 1));
        assertThat(result.overlapped()).isEqualTo(2);
        assertThat(result.state().lastAt()).isEqualTo(minute(3));
    }

    @ParameterizedTest
    @EnumSource(names = {"QUEUE_ONE", "CANCEL"})
    void theLatestInstantWaitsForTheEndOfTheLastRun(Overlap overlap) {
        Result result = decide(Missed.LATEST, overlap, 3, 1, OPEN);

        assertThat(result.starts()).isEmpty();
        assertThat(result.overlapped()).isEqualTo(2);
        assertThat(result.state().queuedAt()).isEqualTo(minute(3));
        assertThat(result.state().waits()).isTrue();

        Result after = ScheduleDecision.of(
                locked(
                        terms(MINUTES, Missed.LATEST, overlap),
                        result.state(),
                        minute(3).plusSeconds(10),
                        null),
                minute(1),
                new Previous(false, minute(3)));
        assertThat(after.starts()).isEqualTo(minutes(3, 3));
        assertThat(after.state().queuedAt()).isNull();
        assertThat(after.state().waits()).isFalse();
        assertThat(after.state().nextAt()).isEqualTo(minute(4));
    }

    @Test
    void aWaitingInstantFiresAndThenTheNextInstantWaits() {
        Result result = ScheduleDecision.of(
                locked(
                        terms(MINUTES, Missed.LATEST, Overlap.QUEUE_ONE),
                        state(minute(4), minute(3)),
                        minute(4).plusSeconds(1),
                        null),
                minute(4),
                new Previous(false, minute(4)));

        assertThat(result.starts()).isEqualTo(minutes(3, 3));
        assertThat(result.state().firedAt()).isEqualTo(minute(3));
        assertThat(result.state().queuedAt()).isEqualTo(minute(4));
        assertThat(result.overlapped()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aFiringThatAPersonRequestedWaitsForTheEndOfTheLastRun(Overlap overlap) {
        WaitingFiring asked = new WaitingFiring(minute(-100), false, minute(-101), "ada");
        Locked waiting = locked(terms(MINUTES, Missed.LATEST, overlap), state(minute(9), null), minute(5), asked);

        Result before = ScheduleDecision.of(waiting, minute(4), OPEN);
        assertThat(before.starts()).isEmpty();
        assertThat(before.usesWaiting()).isFalse();
        assertThat(before.state().waits()).isTrue();

        Result after = ScheduleDecision.of(waiting, minute(4), new Previous(false, minute(4)));
        assertThat(after.starts()).containsExactly(new Start(minute(-100), false, minute(-101)));
        assertThat(after.usesWaiting()).isTrue();
        assertThat(after.state().lastAt()).isEqualTo(minute(0));
        assertThat(after.state().firedAt()).isEqualTo(minute(0));
        assertThat(after.state().nextAt()).isEqualTo(minute(9));
    }

    /** A node with an older version of the library stores only the latest instant. */
    @Test
    void ifOnlyTheLatestInstantIsKnownItCountsAsFired() {
        ScheduleState older = new ScheduleState(minute(1), minute(0), null, RUN, null, false, Skips.NONE, null);

        Result result = ScheduleDecision.of(
                locked(terms(MINUTES, Missed.LATEST, Overlap.ALLOW), older, minute(2), null), minute(1), null);

        assertThat(result.starts()).isEqualTo(minutes(1, 2));
        assertThat(result.state().firedAt()).isEqualTo(minute(2));
    }

    @Test
    void aSkippedInstantIsNotThePreviousFiringOfTheFirstOne() {
        ScheduleTerms terms = terms(MINUTES, Missed.NONE, Overlap.SKIP);
        ScheduleState skipped = ScheduleDecision.of(
                        locked(terms, ScheduleState.beginningAt(minute(1)), minute(1), null), minute(1), OPEN)
                .state();
        assertThat(skipped.lastAt()).isEqualTo(minute(1));

        Result result = ScheduleDecision.of(locked(terms, skipped, minute(2), null), minute(2), null);

        assertThat(result.starts()).containsExactly(new Start(minute(2), false, null));
    }

    @Test
    void aTriggeredFiringDoesNotCountAsThePreviousOne() {
        WaitingFiring asked = new WaitingFiring(minute(3), true, null, "ada");
        Result result = ScheduleDecision.of(
                locked(terms(MINUTES, Missed.LATEST, Overlap.QUEUE_ONE), state(minute(9), null), minute(5), asked),
                minute(4),
                null);

        assertThat(result.starts()).containsExactly(new Start(minute(3), true, minute(0)));
        assertThat(result.state().firedAt()).isEqualTo(minute(0));
    }

    @Test
    void aPausedScheduleDoesNothing() {
        ScheduleState paused = state(minute(1), minute(0)).paused(new Pause(ZERO, "ada", "holiday"));

        Result result = ScheduleDecision.of(
                locked(terms(MINUTES, Missed.ALL, Overlap.ALLOW), paused, minute(9), null), minute(9), null);

        assertThat(result.starts()).isEmpty();
        assertThat(result.state()).isEqualTo(paused);
    }

    private static Result afterDelay(@Nullable Instant next, Instant now, @Nullable Previous previous) {
        return ScheduleDecision.of(
                locked(terms(PAUSE, Missed.LATEST, Overlap.SKIP), state(next, null), now, null), now, previous);
    }

    @Test
    void aFixedDelayCountsFromTheEndOfTheLastRun() {
        Result fired = afterDelay(minute(1), minute(1), null);
        assertThat(fired.starts()).isEqualTo(minutes(1, 1));
        assertThat(fired.state().nextAt()).isNull();
        assertThat(fired.state().waits()).isTrue();

        Result busy = afterDelay(null, minute(9), OPEN);
        assertThat(busy.starts()).isEmpty();
        assertThat(busy.state().nextAt()).isNull();

        Result ended = afterDelay(null, minute(9), new Previous(false, minute(7)));
        assertThat(ended.starts()).isEmpty();
        assertThat(ended.state().nextAt()).isEqualTo(minute(12));
        assertThat(ended.state().waits()).isFalse();

        Result late = afterDelay(null, minute(90), new Previous(false, minute(7)));
        assertThat(late.starts()).isEqualTo(minutes(12, 12));
    }

    /** A person triggered the run during the delay. */
    @Test
    void aFixedDelayThatEndsDuringARunBeginsAgainAfterTheRun() {
        Result result = afterDelay(minute(1), minute(1), OPEN);

        assertThat(result.starts()).isEmpty();
        assertThat(result.state().nextAt()).isNull();
    }

    @Test
    void aNodeThatPollsContinuouslyMissesNoInstant() {
        Duration poll = Duration.ofSeconds(1);
        Duration within = Duration.ofMinutes(1);
        Instant now = minute(10);

        assertThat(ScheduleDecision.onTimeSince(now, null, poll, within)).isEqualTo(now.minusSeconds(2));
        assertThat(ScheduleDecision.onTimeSince(now, now.minusSeconds(1), poll, within))
                .isEqualTo(now.minusSeconds(2));
        assertThat(ScheduleDecision.onTimeSince(now, now.minusSeconds(30), poll, within))
                .isEqualTo(now.minusSeconds(30));
        assertThat(ScheduleDecision.onTimeSince(now, now.minusSeconds(90), poll, within))
                .isEqualTo(now.minusSeconds(60));
    }
}
