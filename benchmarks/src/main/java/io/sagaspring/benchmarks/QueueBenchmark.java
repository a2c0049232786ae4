package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Measures flows of one step, of which only a limited number may execute at once. Measures how many of them begin per
 * second, and how long each flow waits before it begins. The number of callers is twice the limit, so that half of the
 * flows always wait.
 */
final class QueueBenchmark {

    static final int LIMIT = 50;
    private static final int CALLERS = 2 * LIMIT;

    private QueueBenchmark() {}

    enum Contender {
        OURS("a queue"),
        UNLIMITED("no queue, 50 threads"),
        DBOS("DBOS, a queue");

        private final String description;

        Contender(String description) {
            this.description = description;
        }

        @Override
        public String toString() {
            return description;
        }
    }

    /**
     * The result of one contender.
     *
     * @param perSecond the number of flows that began per second, in each round
     * @param waits the time from each start to the beginning of the flow
     */
    record Measured(List<Double> perSecond, List<Duration> waits) {

        double medianPerSecond() {
            List<Double> sorted = perSecond.stream().sorted().toList();
            return sorted.get(sorted.size() / 2);
        }

        long waitMillis(double share) {
            List<Duration> sorted = waits.stream().sorted().toList();
            return sorted.get((int) Math.round(share * (sorted.size() - 1))).toMillis();
        }
    }

    public static void main(String[] args) throws IOException {
        int rounds = Rounds.givenOr(9);
        System.out.printf(
                "Flows of one step, at most %d at once, %d callers, %d rounds of 2 s.%n%n", LIMIT, CALLERS, rounds);
        System.out.println("| contender | flows per second | wait, median | wait, 99th percentile |");
        System.out.println("| --- | --- | --- | --- |");
        measure(rounds, 3, Duration.ofSeconds(2))
                .forEach((contender, measured) -> System.out.printf(
                        Locale.ROOT,
                        "| %s | %.0f | %d ms | %d ms |%n",
                        contender,
                        measured.medianPerSecond(),
                        measured.waitMillis(0.5),
                        measured.waitMillis(0.99)));
        System.out.printf(Locale.ROOT, "%n%s%n", QueueFairness.measure(100_000, 1_000));
    }

    static Map<Contender, Measured> measure(int rounds, int warmUp, Duration slice) throws IOException {
        Map<Contender, Measured> measured = new EnumMap<>(Contender.class);
        try (DurableDatabase database = DurableDatabase.open();
                QueuedFlows ours = QueuedFlows.ours(ground(database, "queued_ours"), "limited");
                QueuedFlows unlimited = QueuedFlows.ours(ground(database, "queued_unlimited"), null);
                QueuedFlows dbos = QueuedFlows.dbos(ground(database, "queued_dbos"))) {
            Map<Contender, QueuedFlows> contenders = new EnumMap<>(Contender.class);
            contenders.put(Contender.OURS, ours);
            contenders.put(Contender.UNLIMITED, unlimited);
            contenders.put(Contender.DBOS, dbos);
            contenders.keySet().forEach(each -> measured.put(each, new Measured(new ArrayList<>(), new ArrayList<>())));
            for (int round = -warmUp; round < rounds; round++) {
                for (Map.Entry<Contender, QueuedFlows> each : contenders.entrySet()) {
                    List<Duration> waits = slice(each.getValue(), slice);
                    if (round >= 0) {
                        Measured of = Objects.requireNonNull(measured.get(each.getKey()));
                        of.perSecond().add(waits.size() * 1e9 / slice.toNanos());
                        of.waits().addAll(waits);
                    }
                }
            }
        }
        return measured;
    }

    private static Ground ground(DurableDatabase database, String schema) {
        return new Ground(database, schema, Setting.ALONE.driverSetting(), LIMIT, LIMIT).emptied();
    }

    /**
     * Lets all callers start and await flows for the time of a slice. Returns how long each flow waited before it
     * began.
     */
    private static List<Duration> slice(QueuedFlows flows, Duration slice) {
        long end = System.nanoTime() + slice.toNanos();
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<List<Duration>>> calling = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                calling.add(callers.submit(() -> {
                    List<Duration> waits = new ArrayList<>();
                    do {
                        waits.add(flows.run());
                    } while (System.nanoTime() < end);
                    return waits;
                }));
            }
            List<Duration> all = new ArrayList<>();
            for (Future<List<Duration>> each : calling) {
                all.addAll(each.get(Ground.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            }
            return all;
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        } finally {
            callers.shutdownNow();
        }
    }
}
