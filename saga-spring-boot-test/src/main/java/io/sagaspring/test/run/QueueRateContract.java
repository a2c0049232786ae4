package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests limits for the number of runs that begin within a period. The periods are so long that a slow machine does not
 * change the results.
 */
abstract class QueueRateContract extends QueueRaceContract {

    private static final Duration ALMOST = LONG.minusMinutes(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private void end(List<PickedUpRun> begun) {
        begun.forEach(this::end);
    }

    /** Begins and ends as many runs as possible. */
    private int beginsAndEnds() {
        int begun = 0;
        for (List<PickedUpRun> taken = take(10); !taken.isEmpty(); taken = take(10)) {
            begun += taken.size();
            end(taken);
        }
        return begun;
    }

    @Test
    void runsBeginEvenlyByTheRateOfTheQueue() {
        declare(RunQueue.named(queue).starts(3, LONG.multipliedBy(3)));
        List<RunId> started = queued(4);

        assertThat(ids(take(10))).isEqualTo(started.subList(0, 1));
        assertThat(take(10)).isEmpty();
        assertThat(queues().untilNext(Set.of(queue), ALMOST)).isEmpty();
        assertThat(queues().untilNext(Set.of(queue), LONG.multipliedBy(2)))
                .hasValueSatisfying(until -> assertThat(until).isBetween(ALMOST, LONG));
        pass(ALMOST);
        assertThat(take(10)).isEmpty();
        pass(MINUTE);
        assertThat(queues().untilNext(Set.of(queue), LONG))
                .hasValueSatisfying(until -> assertThat(until).isLessThanOrEqualTo(Duration.ZERO));
        assertThat(ids(take(10))).isEqualTo(started.subList(1, 2));
        assertThat(take(10)).isEmpty();
    }

    @Test
    void aBurstBeginsAtOnceAndCountsWithinTheRate() {
        declare(RunQueue.named(queue).starts(5, LONG.multipliedBy(3), 3));
        List<RunId> unused = queued(20);

        assertThat(take(10)).hasSize(3);
        assertThat(take(10)).isEmpty();
        pass(LONG);
        assertThat(take(10)).hasSize(1);
        pass(LONG);
        assertThat(take(10)).hasSize(1);
        assertThat(take(10)).isEmpty();
        pass(LONG.multipliedBy(20));
        assertThat(take(10)).hasSize(3);
    }

    @Test
    void eachKeyHasARateOfItsOwn() {
        declare(RunQueue.named(queue).startsForEach(2, LONG.multipliedBy(2)));
        RunId first = queued("one", 0);
        RunId second = queued("one", 0);
        RunId other = queued("other", 0);

        assertThat(ids(take(10))).containsExactlyInAnyOrder(first, other);
        assertThat(take(10)).isEmpty();
        pass(ALMOST);
        assertThat(take(10)).isEmpty();
        pass(MINUTE);
        assertThat(ids(take(10))).containsExactly(second);
    }

    @Test
    void aKeyHasABurst() {
        declare(RunQueue.named(queue).startsForEach(3, LONG.multipliedBy(2), 2));
        for (int each = 0; each < 4; each++) {
            RunId unused = queued("one", 0);
        }

        assertThat(beginsAndEnds()).isEqualTo(2);
        pass(LONG);
        assertThat(beginsAndEnds()).isEqualTo(1);
    }

    @Test
    void bothRatesAndBothNumbersLimitTheSameQueue() {
        declare(RunQueue.named(queue)
                .atOnce(2)
                .atOnceForEach(1)
                .starts(3, LONG, 3)
                .startsForEach(1, LONG));
        List<RunId> ofOne = List.of(queued("one", 0), queued("one", 0));
        for (String key : List.of("two", "three", "four")) {
            RunId unused = queued(key, 0);
        }

        List<PickedUpRun> begun = take(10);
        assertThat(begun).hasSize(2);
        assertThat(take(10)).isEmpty();
        end(begun);
        assertThat(beginsAndEnds()).isEqualTo(1);
        pass(LONG);
        int more = beginsAndEnds();
        pass(LONG.multipliedBy(3));
        assertThat(more + beginsAndEnds()).isEqualTo(2);
        assertThat(row(ofOne.get(1)).state().isEnd()).isTrue();
    }

    @Test
    void aPausedOrFullQueueUsesNoRate() {
        declare(RunQueue.named(queue).atOnce(1).starts(2, LONG, 2).startsForEach(2, LONG, 2));
        List<RunId> started = List.of(queued("k", 0), queued("k", 0), queued("k", 0));
        List<PickedUpRun> begun = take(1);
        assertThat(take(1)).isEmpty();
        assertThat(queues().pause(queue, "", "")).isTrue();
        end(begun);
        assertThat(take(1)).isEmpty();
        assertThat(queues().untilNext(Set.of(queue), LONG.multipliedBy(2))).isEmpty();

        assertThat(queues().resume(queue)).isTrue();

        assertThat(ids(take(1))).isEqualTo(started.subList(1, 2));
    }

    @Test
    void aRunThatContinuesAfterACrashUsesNoRate() {
        declare(RunQueue.named(queue).starts(1, LONG.multipliedBy(10)));
        RunId first = queued("", 0);
        assertThat(ids(take(1))).containsExactly(first);

        pass(LEASE.plusSeconds(1));

        assertThat(ids(store().take(known, 1, MANY))).containsExactly(first);
    }

    /** Runs that began under the old rate delay the next run no longer than a full burst under the new rate would. */
    @Test
    void aNewRateAppliesAtOnce() {
        declare(RunQueue.named(queue).starts(1, Duration.ofDays(30)).startsForEach(1, Duration.ofDays(30)));
        List<RunId> started = List.of(queued("k", 0), queued("k", 0), queued("k", 0));
        assertThat(take(1)).hasSize(1);

        QueueLimits faster = QueueLimits.atOnce(10).starts(1, LONG).startsForEach(1, LONG);
        assertThat(queues().limits(queue, faster, "", "")).isTrue();
        assertThat(depth().limits()).isEqualTo(faster);
        assertThat(take(1)).isEmpty();
        pass(ALMOST);
        assertThat(take(1)).isEmpty();
        pass(MINUTE);
        assertThat(ids(take(1))).isEqualTo(started.subList(1, 2));

        assertThat(queues().limits(queue, QueueLimits.atOnce(10), "", "")).isTrue();
        assertThat(ids(take(1))).isEqualTo(started.subList(2, 3));
    }

    @Test
    void aClockThatWasSetBackDelaysTheNextStartOnlyUntilItIsNoticed() {
        declare(RunQueue.named(queue).starts(2, LONG.multipliedBy(2)).startsForEach(2, LONG.multipliedBy(2)));
        List<RunId> started = List.of(queued("k", 0), queued("k", 0));
        assertThat(take(1)).hasSize(1);

        pass(LONG.multipliedBy(-20));
        assertThat(take(1)).isEmpty();
        assertThat(queues().reclaim(Set.of(queue), LEASE)).isZero();
        assertThat(take(1)).isEmpty();
        pass(LONG);

        assertThat(ids(take(1))).isEqualTo(started.subList(1, 2));
    }

    @Test
    void noRateIsExceededHoweverManyCallersBeginRuns() throws Exception {
        declare(RunQueue.named(queue).atOnce(100).starts(9, LONG, 9));
        List<RunId> unused = queued(60);

        assertThat(begunByRacers()).isEqualTo(9);
    }

    @Test
    void noRateOfAKeyIsExceededHoweverManyCallersBeginRuns() throws Exception {
        declare(RunQueue.named(queue).atOnce(100).atOnceForEach(50).startsForEach(3, LONG, 3));
        for (int each = 0; each < 60; each++) {
            RunId unused = queued("key-" + each % 4, 0);
        }

        assertThat(begunByRacers()).isEqualTo(12);
        assertThat(depth().inUse()).isEqualTo(12);
    }

    private int begunByRacers() throws Exception {
        AtomicInteger racers = new AtomicInteger();
        Callable<Integer> taking = () -> {
            boolean isFirst = racers.getAndIncrement() % 2 == 0;
            int begun = 0;
            for (int each = 0; each < 20; each++) {
                begun += (isFirst ? queues() : anotherQueues())
                        .take(queue, known, 2)
                        .size();
            }
            return begun;
        };
        return race(RACERS, taking).stream().mapToInt(each -> each).sum();
    }
}
