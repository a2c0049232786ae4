package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartTime;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of every store whose runs can wait in queues, in the form of tests. Extend this class to test your own
 * store. The contract also tests an operator's changes, such as a pause or a new limit, and calls by many callers at
 * the same time.
 *
 * @since 0.1.0
 */
public abstract class QueueStoreContract extends QueueControlContract {

    /** Creates the contract for the store of the subclass. */
    protected QueueStoreContract() {}

    @Test
    void noMoreRunsBeginThanTheQueueHasPermits() {
        declare(RunQueue.named(queue).atOnce(3));
        List<RunId> started = queued(5);

        List<PickedUpRun> begun = take(10);

        assertThat(ids(begun)).isEqualTo(started.subList(0, 3));
        assertThat(begun).allSatisfy(each -> {
            assertThat(row(each.runLease().id()).state()).isEqualTo(RunState.RUNNING);
            assertThat(Objects.requireNonNull(each.runLease().permit()).queue()).isEqualTo(queue);
        });
        assertThat(begun)
                .extracting(
                        each -> Objects.requireNonNull(each.runLease().permit()).number())
                .doesNotHaveDuplicates();
        assertThat(take(10)).isEmpty();
        end(begun.get(1));
        assertThat(ids(take(10))).isEqualTo(started.subList(3, 4));
    }

    @Test
    void aRunThatWaitsInItsQueueIsExecutedInNoOtherWay() {
        declare(RunQueue.named(queue).atOnce(1));
        RunId first = queued("", 0);
        RunId second = queued("", 0);
        RunLease begun = take(1).get(0).runLease();
        assertThat(begun.id()).isEqualTo(first);
        assertThat(store().suspend(begun, List.of(), Duration.ZERO, afterSignals(0)))
                .isTrue();

        for (RunId id : List.of(first, second)) {
            assertThat(store().take(id, known, MANY)).isEmpty();
        }
        assertThat(store().take(known, MANY, MANY)).isEmpty();
        assertThat(store().untilDue(known, LONG)).isEmpty();
        assertThat(store().backlog(known)).isEmpty();
        assertThat(row(second).state()).isEqualTo(RunState.PENDING);
    }

    @Test
    void theRunsOfAKeyBeginInTheOrderOfTheirPriorityAndThenOfTheirStarts() {
        declare(RunQueue.named(queue).atOnce(1));
        RunId low = queued("k", -1);
        RunId first = queued("k", 0);
        RunId second = queued("k", 0);
        RunId urgent = queued("k", 100);

        assertThat(oneAfterTheOther(4)).containsExactly(urgent, first, second, low);
    }

    @Test
    void keysTakeTurnsWhateverTheirBacklogsAndPriorities() {
        declare(RunQueue.named(queue).atOnce(2));
        for (int each = 0; each < 40; each++) {
            RunId unused = queued("large", 100);
        }
        RunId small = queued("small", -100);
        RunId none = queued("", 0);

        assertThat(oneAfterTheOther(4)).contains(small, none);
    }

    @Test
    void noMoreRunsOfAKeyBeginThanItsLimitAllows() {
        declare(RunQueue.named(queue).atOnce(6).atOnceForEach(2));
        List<RunId> one = List.of(queued("one", 0), queued("one", 0), queued("one", 0));
        RunId other = queued("other", 0);

        List<PickedUpRun> begun = take(10);

        assertThat(ids(begun)).containsExactlyInAnyOrder(one.get(0), one.get(1), other);
        assertThat(take(10)).isEmpty();
        end(begun.stream()
                .filter(each -> each.runLease().id().equals(one.get(0)))
                .findFirst()
                .orElseThrow());
        assertThat(ids(take(10))).containsExactly(one.get(2));
    }

    /** If busy keys hid other keys, a run of another key would wait until runs of the busy keys have ended. */
    @Test
    void busyKeysDoNotHideAnotherKey() {
        declare(RunQueue.named(queue).atOnce(100).atOnceForEach(1));
        for (int each = 0; each < 60; each++) {
            RunId unusedFirst = queued("key-%02d".formatted(each), 0);
            RunId unusedSecond = queued("key-%02d".formatted(each), 0);
        }
        while (!take(8).isEmpty()) {
            assertThat(depth().inUse()).isLessThanOrEqualTo(60);
        }
        RunId last = queued("key-99", 0);

        assertThat(ids(take(1))).containsExactly(last);
    }

    @Test
    void aRunWhoseNodeDiedKeepsItsPermitAndContinuesWithIt() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1));
        RunId first = queued("k", 0);
        RunId second = queued("k", 0);
        PickedUpRun dead = take(1).get(0);
        assertThat(dead.runLease().id()).isEqualTo(first);
        pass(LEASE.plusSeconds(1));

        assertThat(take(10)).isEmpty();
        List<PickedUpRun> again = store().take(known, 10, MANY);

        assertThat(ids(again)).containsExactly(first);
        PickedUpRun continued = again.get(0);
        assertThat(continued.runLease().permit()).isEqualTo(dead.runLease().permit());
        assertThat(take(10)).isEmpty();
        assertThat(ended(dead)).as("ended by the previous owner").isFalse();
        assertThat(take(10)).isEmpty();
        end(continued);
        assertThat(ids(take(10))).containsExactly(second);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "BLOCKED", "IN_DOUBT", "COMPENSATION_FAILED"})
    void aRunFreesItsPermitsWhereverItStops(RunState state) {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1));
        RunId unused = queued("k", 0);
        RunId second = queued("k", 0);
        PickedUpRun begun = take(1).get(0);

        store().end(begun.runLease(), List.of(), new Ending(state, null, "an error", null));

        assertThat(ids(take(1))).containsExactly(second);
        assertThat(depth().inUse()).isEqualTo(1);
    }

    @Test
    void aRunThatIsParkedFreesItsPermits() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1));
        RunId unused = queued("k", 0);
        RunId second = queued("k", 0);
        assertThat(take(1)).hasSize(1);
        pass(LEASE.plusSeconds(1));

        assertThat(store().take(known, 1, 1))
                .singleElement()
                .satisfies(each -> assertThat(each.parked()).isTrue());
        assertThat(ids(take(1))).containsExactly(second);
    }

    @Test
    void aRunThatIsGivenUpFreesItsPermits() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1));
        RunId first = queued("k", 0);
        RunId second = queued("k", 0);
        assertThat(take(1)).hasSize(1);
        pass(LEASE.plusSeconds(1));

        assertThat(store().giveUp(first, "given up", true)).isTrue();
        assertThat(ids(take(1))).containsExactly(second);
    }

    @Test
    void aRunThatWaitsFreesItsPermitsAndQueuesAgainWhenItIsDue() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1));
        RunId first = queued("k", 0);
        RunId second = queued("k", 0);
        RunId third = queued("k", 0);
        RunLease waiting = take(1).get(0).runLease();

        assertThat(store().suspend(waiting, List.of(), LONG, afterSignals(0))).isTrue();
        PickedUpRun next = take(1).get(0);
        assertThat(next.runLease().id()).isEqualTo(second);
        assertThat(queues().untilNext(Set.of(queue), LONG.multipliedBy(2)))
                .hasValueSatisfying(until -> assertThat(until).isPositive());
        assertThat(store().signal(first, "signal", "key", INPUT)).isEqualTo(Answer.ACCEPTED);
        end(next);
        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(ids(take(1)))
                .as("its number is older than that of %s", third)
                .containsExactly(first);
    }

    @Test
    void aRunOfAQueueThatKeepsPermitsHoldsThemWhileItWaits() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1).keepsPermits());
        RunId first = queued("k", 0);
        RunId second = queued("k", 0);
        RunLease waiting = take(1).get(0).runLease();
        assertThat(store().suspend(waiting, List.of(), LONG, afterSignals(0))).isTrue();

        assertThat(take(1)).isEmpty();
        pass(LONG.plusSeconds(1));
        assertThat(take(1)).isEmpty();
        PickedUpRun continued = store().take(known, 1, MANY).get(0);
        assertThat(continued.runLease().id()).isEqualTo(first);
        end(continued);
        assertThat(ids(take(1))).containsExactly(second);
    }

    @Test
    void aRunThatIsReleasedByAClosingNodeKeepsItsPermits() {
        declare(RunQueue.named(queue).atOnce(1));
        RunId first = queued("", 0);
        RunId unused = queued("", 0);
        assertThat(store().release(take(1).get(0).runLease(), Duration.ZERO)).isTrue();

        assertThat(take(1)).isEmpty();
        RunLease again = store().take(known, 1, MANY).get(0).runLease();
        assertThat(again.id()).isEqualTo(first);
        store().end(again, List.of(), new Ending(RunState.PENDING, null, "trouble", Duration.ZERO));
        assertThat(take(1)).isEmpty();
        assertThat(ids(store().take(known, 1, MANY))).containsExactly(first);
    }

    @Test
    void aRunThatIsRetriedQueuesAgain() {
        declare(RunQueue.named(queue).atOnce(1));
        RunId first = queued("", 0);
        RunId second = queued("", 0);
        store().end(take(1).get(0).runLease(), List.of(), new Ending(RunState.FAILED, null, "an error", null));
        PickedUpRun executing = take(1).get(0);
        assertThat(executing.runLease().id()).isEqualTo(second);

        assertThat(store().retry(first)).isTrue();
        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(store().take(known, 1, MANY)).isEmpty();
        assertThat(take(1)).isEmpty();
        end(executing);
        assertThat(ids(take(1))).containsExactly(first);
    }

    @Test
    void aRunThatIsCancelledBeforeItBeginsEndsWithoutAPermit() {
        declare(RunQueue.named(queue).atOnce(1));
        RunId executing = queued("", 0);
        RunId cancelled = queued("", 0);
        assertThat(ids(take(1))).containsExactly(executing);

        assertThat(store().cancel(cancelled, "no longer needed")).isEqualTo(Answer.ACCEPTED);
        assertThat(queues().join(Set.of(queue)))
                .containsExactly(new QueueStore.Cancelled(cancelled, run, null, "no longer needed"));
        assertThat(row(cancelled).state()).isEqualTo(RunState.CANCELLED);
        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(depth().waiting()).isZero();
    }

    @Test
    void aRunWithUnknownCodeDoesNotBegin() {
        declare(RunQueue.named(queue).atOnce(2));
        NewRun unknown = placed(run + "-unknown", "", 0);
        RunId unused = store().start(unknown).id();
        RunId second = queued("", 0);

        assertThat(ids(take(2))).containsExactly(second);
    }

    @Test
    void aStartWithAKeyReturnsTheRunThatStandsInTheQueue() {
        declare(RunQueue.named(queue).atOnce(1));
        NewRun first = later(null, "key", null);
        NewRun second = later(null, "key", null);

        assertThat(store().start(first).id()).isEqualTo(first.id());
        assertThat(store().start(second).id()).isEqualTo(first.id());
        assertThat(depth().waiting()).isEqualTo(1);
    }

    private NewRun later(@Nullable StartTime startTime, @Nullable String key, @Nullable Duration deadline) {
        return new NewRun(
                RunId.next(),
                run,
                key,
                null,
                INPUT,
                CARRIED,
                deadline,
                startTime,
                false,
                new QueuePlace(queue, "k", 0),
                Map.of());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunThatBeginsLaterJoinsItsQueueAtItsTime(boolean afterADelay) {
        declare(RunQueue.named(queue).atOnce(1));
        Instant now = store().start(newRun(null, null, false)).at();
        StartTime startTime = afterADelay ? StartTime.after(LONG) : StartTime.at(now.plus(LONG));
        RunId later = store().start(later(startTime, null, LONG)).id();
        RunId first = queued("k", 0);

        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(depth().waiting()).isEqualTo(1);
        PickedUpRun begun = take(1).get(0);
        assertThat(begun.runLease().id()).isEqualTo(first);
        end(begun);
        assertThat(take(1)).isEmpty();
        assertThat(queues().untilNext(Set.of(queue), LONG.minusMinutes(1))).isEmpty();
        assertThat(queues().untilNext(Set.of(queue), LONG.plusMinutes(1)))
                .hasValueSatisfying(each -> assertThat(each).isBetween(LONG.minusMinutes(1), LONG));

        pass(LONG);
        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(take(1)).singleElement().satisfies(each -> {
            assertThat(each.runLease().id()).isEqualTo(later);
            assertThat(each.controlState().late()).isFalse();
        });
    }

    @Test
    void aRunWhoseTimeHasPassedJoinsItsQueueAtOnce() {
        declare(RunQueue.named(queue).atOnce(1));
        Instant now = store().start(newRun(null, null, false)).at();

        RunId late =
                store().start(later(StartTime.at(now.minus(LONG)), null, null)).id();

        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(ids(take(1))).containsExactly(late);
    }

    @Test
    void aRunThatIsCancelledBeforeItJoinsItsQueueEndsWithoutAPermit() {
        declare(RunQueue.named(queue).atOnce(1));
        RunId later = store().start(later(StartTime.after(LONG), null, null)).id();

        assertThat(store().cancel(later, "no longer needed")).isEqualTo(Answer.ACCEPTED);

        assertThat(queues().join(Set.of(queue)))
                .containsExactly(new QueueStore.Cancelled(later, run, null, "no longer needed"));
        assertThat(row(later).state()).isEqualTo(RunState.CANCELLED);
    }

    private List<RunId> oneAfterTheOther(int runs) {
        List<RunId> order = new ArrayList<>();
        IntStream.range(0, runs).forEach(each -> {
            PickedUpRun begun = take(1).get(0);
            order.add(begun.runLease().id());
            end(begun);
        });
        return order;
    }
}
