package io.sagaspring.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Contenders that do the same work in turn, each for a slice of time, round after round: what comes of it may be compared. */
record Contest<V extends Enum<V>>(Map<V, Work> contenders) {

    private static final int COUNTED = 100;
    private static final AtomicLong works = new AtomicLong();

    /** What is done again and again, each time with another number. */
    interface Work {
        void once(long number);
    }

    /** What one piece of work, alone, sends. */
    record Traffic(double statements, double roundTrips) {}

    /** How many work at once, and how long each flush of the log takes beyond what this disk needs. */
    record Setting(int callers, Duration flush) {

        static List<Setting> all() {
            List<Setting> settings = new ArrayList<>();
            for (Duration flush : List.of(Duration.ZERO, Duration.ofMillis(1))) {
                settings.add(new Setting(1, flush));
                settings.add(new Setting(16, flush));
            }
            return settings;
        }

        /** The server waits that long before a flush, and takes along what other commits have written until then. */
        String driverSetting() {
            return "options=-c%%20commit_delay=%d%%20-c%%20commit_siblings=0".formatted(flush.toNanos() / 1000);
        }
    }

    Map<V, Traffic> traffic() {
        Map<V, Traffic> traffic = new LinkedHashMap<>();
        contenders.forEach((contender, work) -> traffic.put(contender, traffic(work)));
        return traffic;
    }

    private static Traffic traffic(Work work) {
        // The first time some ask the database about itself.
        work.once(works.incrementAndGet());
        WireCounter.Counts before = WireCounter.sent();
        for (int each = 0; each < COUNTED; each++) {
            work.once(works.incrementAndGet());
        }
        WireCounter.Counts sent = WireCounter.sent().minus(before);
        return new Traffic((double) sent.statements() / COUNTED, (double) sent.roundTrips() / COUNTED);
    }

    /** How often each did its work in a second, round by round. */
    List<Map<V, Double>> rounds(int callers, int rounds, int warmUp, Duration slice) {
        List<Map<V, Double>> measured = new ArrayList<>();
        List<V> order = new ArrayList<>(contenders.keySet());
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            for (int round = -warmUp; round < rounds; round++) {
                Map<V, Double> slices = new LinkedHashMap<>();
                for (V contender : order) {
                    Work work = Objects.requireNonNull(contenders.get(contender));
                    slices.put(contender, perSecond(work, threads, callers, slice));
                }
                if (round >= 0) {
                    measured.add(slices);
                }
                // So that nobody always comes after the same one.
                Collections.rotate(order, 1);
            }
        } finally {
            threads.shutdownNow();
        }
        return measured;
    }

    private static double perSecond(Work work, ExecutorService threads, int callers, Duration slice) {
        long begun = System.nanoTime();
        long end = begun + slice.toNanos();
        List<Future<Integer>> running = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            running.add(threads.submit(() -> {
                int done = 0;
                for (; System.nanoTime() < end; done++) {
                    work.once(works.incrementAndGet());
                }
                return done;
            }));
        }
        int done = 0;
        for (Future<Integer> each : running) {
            try {
                done += each.get();
            } catch (ExecutionException failed) {
                throw new IllegalStateException("A caller failed", failed.getCause());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(interrupted);
            }
        }
        return done * 1e9 / (System.nanoTime() - begun);
    }

    /** What came of several settings. */
    record Results<V extends Enum<V>>(Map<Setting, List<Map<V, Double>>> rounds, Map<V, Traffic> traffic) {

        /** How each compares to one of them. */
        void print(V base) {
            rounds.forEach((setting, measured) -> {
                System.out.printf(
                        Locale.ROOT,
                        "%n%d at once, a flush takes %d ms longer: %s %.0f/s%n",
                        setting.callers(),
                        setting.flush().toMillis(),
                        base,
                        measured.stream()
                                .mapToDouble(round -> Objects.requireNonNull(round.get(base)))
                                .average()
                                .orElseThrow());
                measured.get(0).keySet().stream()
                        .sorted()
                        .forEach(contender ->
                                System.out.printf("| %s | %s |%n", contender, ratio(measured, contender, base)));
            });
            if (traffic.isEmpty()) {
                return;
            }
            System.out.println("\n| sent | statements | round trips |\n| --- | --- | --- |");
            traffic.forEach((contender, sent) -> System.out.printf(
                    Locale.ROOT, "| %s | %.1f | %.1f |%n", contender, sent.statements(), sent.roundTrips()));
        }

        private static <V extends Enum<V>> String ratio(List<Map<V, Double>> rounds, V contender, V base) {
            double[] ratios = rounds.stream()
                    .mapToDouble(round ->
                            Objects.requireNonNull(round.get(contender)) / Objects.requireNonNull(round.get(base)))
                    .sorted()
                    .toArray();
            return Arrays.stream(new double[] {0.5, 0.25, 0.75})
                    .mapToObj(share ->
                            String.format(Locale.ROOT, "%.2f", ratios[(int) Math.round(share * (ratios.length - 1))]))
                    .reduce((text, next) -> text.contains("(") ? text + "–" + next + ")" : text + " (" + next)
                    .orElseThrow();
        }
    }
}
