package io.sagaspring.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets contenders do the same work in turn, each for a slice of time, round after round, so that their results can be
 * compared.
 */
record Contest<V extends Enum<V>>(Map<V, Work> contenders, DurableDatabase database) {

    private static final AtomicLong works = new AtomicLong();

    /** The work that is repeated, each time with a different number. */
    interface Work {
        void once(long number);
    }

    /** The number of concurrent callers, and the time that the server waits before each flush of its log. */
    record Setting(int callers, Duration flush) {

        static final Setting ALONE = new Setting(1, Duration.ZERO);

        static List<Setting> all() {
            return of(1, 16);
        }

        static List<Setting> of(int... callers) {
            List<Setting> settings = new ArrayList<>();
            for (Duration flush : List.of(Duration.ZERO, Duration.ofMillis(1))) {
                for (int each : callers) {
                    settings.add(new Setting(each, flush));
                }
            }
            return settings;
        }

        /**
         * Returns the driver setting that makes the server wait before each flush. A flush then includes the commits
         * that other transactions have made during the wait.
         */
        String driverSetting() {
            return "options=-c%%20commit_delay=%d%%20-c%%20commit_siblings=0".formatted(flush.toNanos() / 1000);
        }
    }

    /** Lets the contenders work in turn and returns the turns of each round, without the warm-up. */
    List<Map<V, Turn>> rounds(int callers, int rounds, int warmUp, Duration slice) {
        List<Map<V, Turn>> measured = new ArrayList<>();
        List<V> order = new ArrayList<>(contenders.keySet());
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            for (int round = -warmUp; round < rounds; round++) {
                Map<V, Turn> turns = new LinkedHashMap<>();
                for (V contender : order) {
                    Work work = Objects.requireNonNull(contenders.get(contender));
                    turns.put(contender, turn(work, threads, callers, slice));
                }
                if (round >= 0) {
                    measured.add(turns);
                }
                // Change the order, so that the same contender is not always the first.
                Collections.rotate(order, 1);
            }
        } finally {
            threads.shutdownNow();
        }
        return measured;
    }

    /** Lets the only contender work for one slice. */
    Turn alone(int callers, Duration slice) {
        return rounds(callers, 1, 0, slice).get(0).values().iterator().next();
    }

    /**
     * Measures each contender in one round. The connections of the contenders must use {@link WireCounter}, so that
     * statements and round trips are counted.
     */
    Map<V, Turn> counted(int callers, Duration slice) {
        // The first round is a warm-up, because some contenders query the database's metadata on first use.
        return rounds(callers, 1, 1, slice).get(0);
    }

    private Turn turn(Work work, ExecutorService threads, int callers, Duration slice) {
        Spent before = database.spent();
        long begun = System.nanoTime();
        long end = begun + slice.toNanos();
        List<Future<List<Long>>> running = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            running.add(threads.submit(() -> until(end, work)));
        }
        List<Long> nanos = new ArrayList<>();
        running.forEach(each -> nanos.addAll(result(each)));
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
        return new Turn(nanos, elapsed, database.spent().minus(before));
    }

    private static List<Long> until(long end, Work work) {
        List<Long> nanos = new ArrayList<>();
        long now = System.nanoTime();
        // Work at least once, even if this thread gets a core only after a short slice has ended.
        do {
            work.once(works.incrementAndGet());
            long after = System.nanoTime();
            nanos.add(after - now);
            now = after;
        } while (now < end);
        return nanos;
    }

    private static List<Long> result(Future<List<Long>> caller) {
        try {
            return caller.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("A caller failed", failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
