package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how runs are started, and how the keeper renews their leases. */
abstract class StartContract extends RunStoreFixture {

    @Test
    void aStartedRunIsDueAtOnceWithEverythingItWasGiven() {
        Started started = store().start(newRun("key", null, false));

        assertThat(started.token()).isNull();
        RunRow row = row(started.id());
        assertThat(row.state()).isEqualTo(RunState.PENDING);
        assertThat(row.run()).isEqualTo(run);
        assertThat(row.key()).isEqualTo("key");
        assertThat(row.node()).isNull();
        assertThat(row.attempt()).isZero();
        assertThat(row.startedAt()).isEqualTo(started.at());
        assertThat(row.endedAt()).isNull();
        List<PickedUpRun> pickedUp = another().take(known, 10, MANY);
        assertThat(pickedUp).hasSize(1).allSatisfy(each -> {
            assertThat(each.runLease().id()).isEqualTo(started.id());
            assertThat(each.run()).isEqualTo(run);
            assertThat(text(each.input())).isEqualTo(text(INPUT));
            assertThat(text(each.carried())).isEqualTo(text(CARRIED));
            assertThat(each.journal()).isEmpty();
            assertThat(each.controlState()).isEqualTo(new ControlState(0, null, false));
            assertThat(each.now()).isAfterOrEqualTo(started.at());
            assertThat(each.attempt()).isOne();
            assertThat(each.parked()).isFalse();
        });
        assertThat(state(started.id())).isEqualTo(RunState.RUNNING);
        assertThat(row(started.id()).node()).isNotNull();
    }

    @Test
    void aRunStartedForThisNodeIsExecutedHere() {
        Started started = store().start(newRun(null, null, true));

        assertThat(started.token()).isNotNull();
        assertThat(state(started.id())).isEqualTo(RunState.RUNNING);
        assertThat(row(started.id()).node()).isNotNull();
        assertThat(row(started.id()).attempt()).isOne();
        assertThat(another().take(known, 10, MANY)).isEmpty();
        assertThat(another().take(started.id(), known, MANY)).isEmpty();
        assertThat(store().checkpoint(granted(started), done(0, 1))).isEqualTo(new ControlState(0, null, false));
    }

    @Test
    void runsThatStartTogetherAreReturnedInTheirOrder() {
        RunId existing = store().start(newRun("first", null, false)).id();
        NewRun second = newRun("second", null, false);
        NewRun third = newRun(null, null, false);

        List<Started> started =
                store().startAll(List.of(third, newRun("first", null, false), second, newRun("second", null, false)));

        assertThat(started).extracting(Started::id).containsExactly(third.id(), existing, second.id(), second.id());
        assertThat(started).extracting(Started::token).containsOnlyNulls();
        assertThat(pickedUp(another().take(known, MANY, MANY)))
                .containsExactlyInAnyOrder(existing, second.id(), third.id());
        assertThat(another().findRows(List.of(existing, third.id(), RunId.next())))
                .extracting(RunRow::id)
                .containsExactlyInAnyOrder(existing, third.id());
    }

    private NewRun later(StartTime startTime, @Nullable String key, @Nullable Duration deadline) {
        return new NewRun(RunId.next(), run, key, null, INPUT, CARRIED, deadline, startTime, false, null, Map.of());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunThatBeginsLaterIsNotPickedUpBefore(boolean afterADelay) {
        Instant now = store().start(newRun(null, null, false)).at();
        RunId first = pickedUp(store().take(known, MANY, MANY)).get(0);
        StartTime startTime = afterADelay ? StartTime.after(LONG) : StartTime.at(now.plus(LONG));

        Started started = store().start(later(startTime, null, null));

        assertThat(started.token()).isNull();
        RunRow row = row(started.id());
        assertThat(row.state()).isEqualTo(RunState.PENDING);
        assertThat(row.dueAt()).isBetween(now.plus(LONG), started.at().plus(LONG));
        pass(LONG.minusMinutes(1));
        assertThat(pickedUp(another().take(known, MANY, MANY))).doesNotContain(started.id());
        assertThat(another().untilDue(known, LEASE.multipliedBy(2))).isPresent();
        pass(Duration.ofMinutes(1));
        assertThat(pickedUp(another().take(known, MANY, MANY))).contains(started.id());
        assertThat(first).isNotEqualTo(started.id());
    }

    private static List<RunId> pickedUp(List<PickedUpRun> runs) {
        return runs.stream().map(each -> each.runLease().id()).toList();
    }

    @Test
    void aRunWhoseTimeHasPassedIsDueAtOnce() {
        Started now = store().start(newRun(null, null, false));

        RunId late = store().start(later(StartTime.at(now.at().minus(LONG)), null, null))
                .id();

        assertThat(row(late).dueAt()).isAfterOrEqualTo(now.at());
        assertThat(pickedUp(another().take(known, MANY, MANY))).containsExactlyInAnyOrder(now.id(), late);
    }

    /** Otherwise, a deadline that is shorter than the delay would pass before the first step of the run. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDeadlineCountsFromTheTimeAtWhichTheRunBegins(boolean afterADelay) {
        Instant now = store().start(newRun("clock", null, false)).at();
        StartTime startTime = afterADelay ? StartTime.after(LONG) : StartTime.at(now.plus(LONG));
        RunId id = store().start(later(startTime, null, Duration.ofMinutes(10))).id();

        pass(LONG);
        PickedUpRun begun = another().take(id, known, MANY).orElseThrow();

        assertThat(begun.controlState().late()).isFalse();
        pass(Duration.ofMinutes(10));
        assertThat(another().checkpoint(begun.runLease(), List.of()).late()).isTrue();
    }

    @Test
    void aCancelledRunIsDueAtOnceEvenIfItBeginsLater() {
        RunId id = store().start(later(StartTime.after(LONG), null, null)).id();

        assertThat(another().cancel(id, "no longer needed")).isEqualTo(Answer.ACCEPTED);

        List<PickedUpRun> pickedUp = another().take(known, MANY, MANY);
        assertThat(pickedUp(pickedUp)).containsExactly(id);
        assertThat(pickedUp.get(0).controlState().cancelReason()).isEqualTo("no longer needed");
    }

    @Test
    void aRepeatedStartDoesNotMoveTheTimeAtWhichTheRunBegins() {
        RunId first = store().start(later(StartTime.after(LONG), "key", null)).id();
        Instant due = row(first).dueAt();

        assertThat(another().start(newRun("key", null, true)).id()).isEqualTo(first);
        assertThat(another()
                        .start(later(StartTime.after(Duration.ZERO), "key", null))
                        .id())
                .isEqualTo(first);

        assertThat(row(first).dueAt()).isEqualTo(due);
        assertThat(another().take(known, MANY, MANY)).isEmpty();
    }

    @Test
    void aKeyIdentifiesOneRunUntilTheRunIsRemoved() {
        RunLease first = granted(store().start(newRun("key", null, true)));

        NewRun second = newRun("key", null, true);
        Started found = another().start(second);
        assertThat(found.id()).isEqualTo(first.id());
        assertThat(found.token()).isNull();
        assertThat(another().find(second.id())).isEmpty();

        store().end(first, List.of(), ending(RunState.COMPLETED));
        assertThat(another().start(newRun("key", null, false)).id()).isEqualTo(first.id());
        assertThat(state(first.id())).isEqualTo(RunState.COMPLETED);

        pass(RETENTION);
        purge();
        Started again = another().start(newRun("key", null, true));
        assertThat(again.id()).isNotEqualTo(first.id());
        assertThat(again.token()).isNotNull();
    }

    @Test
    void aKeyBelongsToTheRunsOfOneName() {
        Started one = store().start(newRun("key", null, false));
        Started other =
                store().start(new NewRun(RunId.next(), run + "-other", "key", null, INPUT, CARRIED, null, false));

        assertThat(other.id()).isNotEqualTo(one.id());
        assertThat(store().start(newRun("KEY", null, false)).id()).isNotEqualTo(one.id());
    }

    @Test
    void aKeyBelongsToItsTenant() {
        NewRun requested = newRunOf("a", "key");
        Started ofA = store().start(requested);
        Started ofB = another().start(newRunOf("b", "key"));
        Started ofNone = store().start(newRunOf(null, "key"));

        assertThat(List.of(ofA.id(), ofB.id(), ofNone.id())).doesNotHaveDuplicates();
        assertThat(another().start(newRunOf("a", "key")).id()).isEqualTo(ofA.id());
        assertThat(another().start(newRunOf("b", "key")).id()).isEqualTo(ofB.id());
        assertThat(another().start(newRunOf(null, "key")).id()).isEqualTo(ofNone.id());
        assertThat(store().start(requested).id()).isEqualTo(ofA.id());
    }

    @Test
    void aRunKeepsItsTenant() {
        RunId withKey = store().start(newRunOf("a", "key")).id();
        RunId withoutKey = store().start(newRunOf("b", null)).id();
        RunId ofNone = store().start(newRunOf(null, null)).id();

        List<PickedUpRun> pickedUp = another().take(known, 10, MANY);

        assertThat(pickedUp)
                .extracting(each -> each.runLease().id(), PickedUpRun::tenant)
                .containsExactlyInAnyOrder(tuple(withKey, "a"), tuple(withoutKey, "b"), tuple(ofNone, null));
        for (PickedUpRun each : pickedUp) {
            assertThat(store().suspend(each.runLease(), done(0, 1), Duration.ZERO, each.controlState()))
                    .isTrue();
            assertThat(row(each.runLease().id()).tenant()).isEqualTo(each.tenant());
            assertThat(another().take(each.runLease().id(), known, MANY))
                    .map(PickedUpRun::tenant)
                    .isEqualTo(Optional.ofNullable(each.tenant()));
        }
    }

    /**
     * Repeats the start, as a caller does that has received no answer. The caller must get the same token. Without the
     * token, it could not execute the run that it has started.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "key"})
    void aRepeatedStartFindsItsRun(String key) {
        for (boolean here : List.of(true, false)) {
            NewRun requested = newRun(key.isEmpty() ? null : key + here, null, here);
            Started first = store().start(requested);
            String before = seen(store(), first.id());

            Started second = store().start(requested);

            assertThat(second.id()).isEqualTo(first.id());
            assertThat(second.token()).isEqualTo(first.token());
            assertThat(seen(store(), first.id())).isEqualTo(before);
            assertThat(store().list(new RunQuery(run, Set.of(), null, MANY)))
                    .filteredOn(row -> row.id().equals(first.id()))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStartRepeatedAfterATakeoverReturnsNoToken(boolean further) {
        NewRun requested = newRun(null, null, true);
        RunLease first = granted(store().start(requested));
        if (further) {
            ControlState unused = store().checkpoint(first, done(0, 1));
        }
        PickedUpRun next = takenOver(requested.id());

        Started again = store().start(requested);

        assertThat(again.id()).isEqualTo(requested.id());
        assertThat(again.token()).isNull();
        another().end(next.runLease(), List.of(), ending(RunState.COMPLETED));
        assertThat(store().start(requested).token()).isNull();
        assertThat(state(requested.id())).isEqualTo(RunState.COMPLETED);
    }

    /**
     * The node and the number of attempts are the same as after the start. However, the run has made progress and was
     * picked up again.
     */
    @Test
    void aRepeatedStartDoesNotReturnTheTokenOfALaterPickUp() {
        NewRun requested = newRun(null, null, true);
        RunLease first = granted(store().start(requested));
        ControlState unused = store().checkpoint(first, done(0, 1));
        pass(LEASE);
        assertThat(store().take(requested.id(), known, MANY))
                .map(PickedUpRun::attempt)
                .contains(1);

        assertThat(store().start(requested).token()).isNull();
    }

    @Test
    void concurrentStartsWithOneKeyCreateOneRun() throws Exception {
        for (int round = 0; round < 20; round++) {
            String key = "key-" + round;
            List<Started> started = race(RACERS, () -> another().start(newRun(key, null, true)));

            assertThat(started.stream().map(Started::id).distinct()).hasSize(1);
            assertThat(started.stream().map(Started::token).filter(Objects::nonNull))
                    .hasSize(1);
        }
    }

    @Test
    void theKeeperRenewsOnlyRunsThatAreStillExecuting() throws Exception {
        RunLease mine = runLease();
        RunLease lost = runLease();
        RunLease waiting = runLease();
        RunLease ended = runLease();
        RunLease next = takenOver(lost.id()).runLease();
        assertThat(suspended(waiting, LONG)).isTrue();
        store().end(ended, List.of(), ending(RunState.COMPLETED));
        Set<HeldLease> all = Stream.of(
                        mine,
                        lost,
                        waiting,
                        ended,
                        new RunLease(RunId.next(), new FencingToken(next.token().value() + 1_000)))
                .map(RunStoreFixture::held)
                .collect(Collectors.toSet());

        // The lease has expired, but no other node has picked up the run.
        assertThat(store().renew(connecting(), all)).containsExactly(held(mine));
        assertThat(store().stillHeld(connecting(), all)).containsExactly(held(mine));
        assertThat(store().renew(connecting(), Set.of())).isEmpty();
        pass(LEASE.minusSeconds(10));
        assertThat(isPickedUp(mine.id())).isFalse();
        assertThat(store().renew(connecting(), Set.of(held(mine)))).containsExactly(held(mine));
        pass(LEASE.minusSeconds(10));
        assertThat(isPickedUp(mine.id())).isFalse();
        assertThat(store().stillHeld(connecting(), all)).containsExactly(held(mine));
        pass(Duration.ofSeconds(10));

        assertThat(another().take(mine.id(), known, MANY)).isPresent();
        assertThat(store().renew(connecting(), all)).isEmpty();
        assertThat(store().stillHeld(connecting(), all)).isEmpty();
        assertThat(another().stillHeld(connecting(), Set.of(held(next)))).isEmpty();
    }
}
