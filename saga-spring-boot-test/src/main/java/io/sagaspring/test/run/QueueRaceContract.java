package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.FencedException;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the limits of queues while many callers begin and end runs at the same time. */
abstract class QueueRaceContract extends RunStoreFixture {

    private static final int KEYS = 4;
    private static final int RUNS = 240;

    final String queue = run + "-queue";

    /**
     * Returns the queues of the store.
     *
     * @return the queues, as used by the same process as {@link #store()}
     */
    protected abstract QueueStore queues();

    /**
     * Returns the queues of the same runs, as used by another process.
     *
     * @return the queues
     */
    protected abstract QueueStore anotherQueues();

    void declare(RunQueue declared) {
        assertThat(queues().declare(declared)).isEmpty();
    }

    NewRun placed(String name, String key, int priority) {
        return new NewRun(
                RunId.next(),
                name,
                null,
                null,
                INPUT,
                CARRIED,
                null,
                null,
                false,
                new QueuePlace(queue, key, priority),
                Map.of());
    }

    RunId queued(String key, int priority) {
        return store().start(placed(run, key, priority)).id();
    }

    List<RunId> queued(int runs) {
        return IntStream.range(0, runs).mapToObj(each -> queued("", 0)).toList();
    }

    List<PickedUpRun> take(int slots) {
        return queues().take(queue, known, slots);
    }

    void end(PickedUpRun begun) {
        store().end(begun.runLease(), List.of(), ending(RunState.COMPLETED));
    }

    boolean ended(PickedUpRun begun) {
        return ended(begun.runLease());
    }

    /** Ends the run. Returns false if this lease no longer owns the run. */
    boolean ended(RunLease runLease) {
        try {
            store().end(runLease, List.of(), ending(RunState.COMPLETED));
            return true;
        } catch (FencedException fenced) {
            return false;
        }
    }

    static List<RunId> ids(List<PickedUpRun> runs) {
        return runs.stream().map(each -> each.runLease().id()).toList();
    }

    QueueDepth depth() {
        return queues().depths().stream()
                .filter(each -> each.queue().equals(queue))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Counts the executing runs as callers see them: from the return of a run's pickup until the call that ends the
     * run.
     */
    private static final class Executing {
        private final AtomicInteger all = new AtomicInteger();
        private final Map<String, AtomicInteger> byKey = new ConcurrentHashMap<>();
        private final Queue<String> faults = new ConcurrentLinkedQueue<>();

        void begins(String key, int most, int mostOfKey) {
            int now = all.incrementAndGet();
            int ofKey = byKey.computeIfAbsent(key, each -> new AtomicInteger()).incrementAndGet();
            if (now > most || ofKey > mostOfKey) {
                faults.add("%d runs were executing at the same time, %d of them with the key '%s'"
                        .formatted(now, ofKey, key));
            }
        }

        void ends(String key) {
            int unused = Objects.requireNonNull(byKey.get(key)).decrementAndGet() + all.decrementAndGet();
        }
    }

    private Map<RunId, String> keysOf(int runs) {
        Map<RunId, String> keys = new ConcurrentHashMap<>();
        for (int each = 0; each < runs; each++) {
            String key = "key-" + each % KEYS;
            keys.put(queued(key, 0), key);
        }
        return keys;
    }

    private Callable<Integer> racer(int racer, Map<RunId, String> keys, Executing executing, AtomicBoolean stop) {
        QueueStore of = racer % 2 == 0 ? queues() : anotherQueues();
        return () -> {
            int ended = 0;
            while (!stop.get() && !keys.isEmpty()) {
                List<PickedUpRun> begun = of.take(queue, known, 3);
                for (PickedUpRun each : begun) {
                    executing.begins(keys.getOrDefault(each.runLease().id(), "?"), 5, 2);
                }
                for (PickedUpRun each : begun) {
                    String key = String.valueOf(keys.remove(each.runLease().id()));
                    executing.ends(key);
                    end(each);
                    ended++;
                }
            }
            return ended;
        };
    }

    @Test
    void noLimitIsExceededHoweverManyCallersBeginAndEndRuns() throws Exception {
        declare(RunQueue.named(queue).atOnce(5).atOnceForEach(2));
        Map<RunId, String> keys = keysOf(RUNS);
        Executing executing = new Executing();
        AtomicBoolean stop = new AtomicBoolean();

        List<Integer> ended = race(IntStream.range(0, RACERS)
                .mapToObj(racer -> racer(racer, keys, executing, stop))
                .toList());

        assertThat(executing.faults).isEmpty();
        assertThat(ended.stream().mapToInt(each -> each).sum()).isEqualTo(RUNS);
        assertThat(depth().inUse()).isZero();
        assertThat(depth().waiting()).isZero();
    }

    @Test
    void theRunsOfAKeyBeginInOrderHoweverManyCallersBeginThem() throws Exception {
        declare(RunQueue.named(queue).atOnce(50).atOnceForEach(1));
        List<RunId> started =
                IntStream.range(0, 60).mapToObj(each -> queued("k", 0)).toList();
        List<RunId> order = Collections.synchronizedList(new ArrayList<>());
        Callable<Integer> taking = () -> {
            int begun = 0;
            while (order.size() < started.size()) {
                for (PickedUpRun each : queues().take(queue, known, 2)) {
                    order.add(each.runLease().id());
                    end(each);
                    begun++;
                }
            }
            return begun;
        };

        int unused = race(RACERS, taking).size();

        assertThat(order).isEqualTo(started);
    }

    @Test
    void nothingBeginsAfterAPauseHasReturned() throws Exception {
        declare(RunQueue.named(queue).atOnce(5));
        whileRunsBeginAndEnd((round, stamps) -> {
            assertThat(queues().pause(queue, "", "")).isTrue();
            long paused = System.nanoTime();
            int executing = depth().inUse();
            assertThat(take(1)).isEmpty();
            assertThat(anotherQueues().take(queue, known, 3)).isEmpty();
            assertThat(depth().inUse()).isLessThanOrEqualTo(executing);
            assertThat(stamps.stream().filter(called -> called > paused)).isEmpty();
            assertThat(queues().resume(queue)).isTrue();
            stamps.clear();
        });
    }

    @Test
    void nothingBeginsBeyondALimitAfterItWasLowered() throws Exception {
        declare(RunQueue.named(queue).atOnce(5));
        whileRunsBeginAndEnd((round, stamps) -> {
            int limit = 1 + round % 2;
            assertThat(queues().limits(queue, QueueLimits.atOnce(limit), "", ""))
                    .isTrue();
            for (int each = 0; each < 20; each++) {
                int executing = depth().inUse();
                // Runs that began under the old limit may still be executing. No run begins beyond the new limit.
                int later = depth().inUse();
                assertThat(later).isLessThanOrEqualTo(Math.max(executing, limit));
            }
            assertThat(queues().limits(queue, QueueLimits.atOnce(5), "", "")).isTrue();
        });
    }

    private interface Round {
        void run(int round, Queue<Long> calls);
    }

    /** Repeats an action while other callers begin and end runs. */
    private void whileRunsBeginAndEnd(Round round) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Queue<Long> stamps = new ConcurrentLinkedQueue<>();
        CountDownLatch first = new CountDownLatch(1);
        Callable<Integer> working = () -> {
            int begun = 0;
            while (!stop.get()) {
                RunId unused = queued("", 0);
                long called = System.nanoTime();
                for (PickedUpRun each : queues().take(queue, known, 2)) {
                    stamps.add(called);
                    first.countDown();
                    begun++;
                    end(each);
                }
            }
            return begun;
        };
        Callable<Integer> changing = () -> {
            try {
                assertThat(first.await(30, SECONDS)).isTrue();
                for (int each = 0; each < 15; each++) {
                    round.run(each, stamps);
                }
                return 0;
            } finally {
                stop.set(true);
            }
        };

        List<Integer> begun = race(Stream.concat(
                        Stream.of(changing), Stream.generate(() -> working).limit(RACERS - 2))
                .toList());

        assertThat(begun.stream().mapToInt(each -> each).sum()).isPositive();
    }
}
