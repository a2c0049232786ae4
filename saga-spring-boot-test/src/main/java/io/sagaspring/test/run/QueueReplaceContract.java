package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import io.sagaspring.run.StartTime;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests runs of queues whose input later starts replace. The next run of a key begins only when the previous one has ended. */
abstract class QueueReplaceContract extends QueueRateContract {

    private static final int STARTS = 300;
    private static final int TAKERS = 3;

    private NewRun next(String input, @Nullable StartTime time, int priority) {
        return next(input, time, new QueuePlace(queue, "key", priority));
    }

    private NewRun next(String input, @Nullable StartTime time, QueuePlace place) {
        return new NewRun(
                RunId.next(),
                run,
                new StartKey("key", Kind.UNTIL_BEGUN),
                null,
                stored(input),
                CARRIED,
                null,
                time,
                false,
                place,
                Map.of());
    }

    private RunId started(String input) {
        return store().start(next(input, null, 0)).id();
    }

    private void declareOneByOne() {
        declare(RunQueue.named(queue).atOnce(10).atOnceForEach(1).keepsPermits());
    }

    private static List<String> inputs(List<PickedUpRun> runs) {
        return runs.stream().map(each -> Objects.toString(text(each.input()))).toList();
    }

    @Test
    void theNextRunBeginsWhenThePreviousOneHasEnded() {
        declareOneByOne();
        RunId first = started("one");
        assertThat(started("two")).isEqualTo(first);
        List<PickedUpRun> begun = take(10);
        assertThat(inputs(begun)).containsExactly("text:two");

        RunId second = started("three");
        assertThat(second).isNotEqualTo(first);
        assertThat(take(10)).isEmpty();
        assertThat(store().suspend(begun.get(0).runLease(), List.of(), LONG, afterSignals(0)))
                .isTrue();
        assertThat(take(10)).isEmpty();
        assertThat(started("four")).isEqualTo(second);
        pass(LONG);
        PickedUpRun continued = store().take(first, known, MANY).orElseThrow();
        assertThat(take(10)).isEmpty();
        end(continued);

        assertThat(inputs(take(10))).containsExactly("text:four");
    }

    /** The application has renamed the queue, and no node takes runs of the old one any more. */
    @Test
    void aStartInAnotherQueueMovesTheRunThere() {
        declareOneByOne();
        RunId first = store().start(next("one", null, new QueuePlace("old-" + queue, "old", 0)))
                .id();
        assertThat(take(10)).isEmpty();

        assertThat(started("two")).isEqualTo(first);

        assertThat(inputs(take(10))).containsExactly("text:two");
        assertThat(started("three")).isNotEqualTo(first);
        assertThat(take(10)).isEmpty();
    }

    @Test
    void aReplacedRunKeepsItsPlaceAndGetsThePriority() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1).keepsPermits());
        RunId first = started("one");
        RunId other = queued("key", 0);
        RunId urgent = queued("key", 5);
        assertThat(started("two")).isEqualTo(first);

        List<RunId> order = new ArrayList<>();
        List<PickedUpRun> begun = take(1);
        order.addAll(ids(begun));
        end(begun.get(0));
        assertThat(store().start(next("three", null, 9)).id()).isEqualTo(first);
        for (int each = 0; each < 2; each++) {
            begun = take(1);
            order.addAll(ids(begun));
            end(begun.get(0));
        }

        assertThat(order).containsExactly(urgent, first, other);
    }

    @Test
    void aRunThatStandsInItsQueueIsPostponedByAStart() {
        declareOneByOne();
        RunId before = queued("key", 0);
        List<PickedUpRun> begun = take(1);
        assertThat(ids(begun)).containsExactly(before);
        StartTime time = StartTime.quietFor(Duration.ofMinutes(5), Duration.ofMinutes(20));
        RunId first = store().start(next("one", time, 0)).id();
        pass(Duration.ofMinutes(5));
        assertThat(queues().join(Set.of(queue))).isEmpty();
        assertThat(depth().waiting()).isOne();

        assertThat(store().start(next("two", time, 0)).id()).isEqualTo(first);
        assertThat(depth().waiting()).isZero();
        store().end(begun.get(0).runLease(), List.of(), ending(RunState.COMPLETED));
        assertThat(take(10)).isEmpty();
        pass(Duration.ofMinutes(5));
        assertThat(queues().join(Set.of(queue))).isEmpty();

        assertThat(inputs(take(10))).containsExactly("text:two");
    }

    @Test
    void aRunThatWasCancelledInItsQueueIsNotReplaced() {
        declareOneByOne();
        RunId first = started("one");
        var unused = store().cancel(first, "no longer needed");

        RunId second = started("two");
        assertThat(queues().join(Set.of(queue))).hasSize(1);

        assertThat(second).isNotEqualTo(first);
        assertThat(inputs(take(10))).containsExactly("text:two");
    }

    /**
     * The runs are executed one after the other, in the order of the starts. Each has the latest input that was given
     * before it began, and the latest input of all is executed in any case.
     */
    @Test
    void theRunsOfAKeyAreExecutedOneAfterTheOtherWithTheLatestInput() throws Exception {
        declareOneByOne();
        Queue<Integer> executed = new ConcurrentLinkedQueue<>();
        AtomicInteger executing = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicBoolean isOver = new AtomicBoolean();
        Set<RunId> started = new HashSet<>();
        List<Callable<Integer>> racing = new ArrayList<>();
        racing.add(() -> {
            for (int start = 0; start < STARTS; start++) {
                started.add(
                        store().start(next(Integer.toString(start), null, 0)).id());
            }
            isOver.set(true);
            return 0;
        });
        IntStream.range(0, TAKERS)
                .forEach(taker -> racing.add(() -> {
                    boolean isDone;
                    do {
                        boolean wasOver = isOver.get();
                        List<PickedUpRun> begun = (taker % 2 == 0 ? queues() : anotherQueues()).take(queue, known, 2);
                        for (PickedUpRun each : begun) {
                            if (executing.incrementAndGet() > 1) {
                                overlaps.incrementAndGet();
                            }
                            executed.add(Integer.valueOf(
                                    Objects.toString(text(each.input())).substring("text:".length())));
                            executing.decrementAndGet();
                            end(each);
                        }
                        isDone = wasOver && executed.contains(STARTS - 1);
                    } while (!isDone);
                    return 0;
                }));

        List<Integer> unused = race(racing);

        assertThat(overlaps).hasValue(0);
        assertThat(new ArrayList<>(executed)).isSorted().doesNotHaveDuplicates().hasSize(started.size());
    }
}
