package io.sagaspring.benchmarks;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Measures whether a step takes longer in a run with a long journal, and how long its replay takes. */
final class JournalBenchmark {

    private JournalBenchmark() {}

    /**
     * The measurement of one run.
     *
     * @param entries the number of entries in its journal
     * @param first the time that the first part of its steps took
     * @param last the time that the last part of its steps took
     * @param replayed the time from the signal until the run has been replayed and has ended
     * @param read the time in which the whole journal is read for display
     */
    record Measured(int entries, Duration first, Duration last, Duration replayed, Duration read) {

        /** Returns how much longer the last steps took than the first ones. */
        double growth() {
            return (double) last.toNanos() / first.toNanos();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    static class JournalApplication {

        @Bean
        LongJournal longJournal() {
            return new LongJournal(1_000);
        }
    }

    public static void main(String[] args) throws IOException {
        int rounds = Rounds.givenOr(3);
        List<Integer> lengths = List.of(1_000, 10_000, 100_000);
        List<List<Measured>> all = new ArrayList<>();
        // The first round is a warm-up.
        for (int round = 0; round <= rounds; round++) {
            all.add(measure(lengths));
        }
        System.out.printf("Medians of %d runs each.%n%n", rounds);
        System.out.println(
                "| journal | last 1,000 steps, × the first 1,000 | replay and end | reading it for display |");
        System.out.println("| --- | --- | --- | --- |");
        for (int number = 0; number < lengths.size(); number++) {
            int length = number;
            List<Measured> measured =
                    all.stream().skip(1).map(round -> round.get(length)).toList();
            System.out.printf(
                    Locale.ROOT,
                    "| %,d | %.2f | %.0f ms | %.0f ms |%n",
                    measured.get(0).entries(),
                    median(measured, Measured::growth),
                    median(measured, each -> each.replayed().toNanos() / 1e6),
                    median(measured, each -> each.read().toNanos() / 1e6));
        }
    }

    private static double median(List<Measured> measured, Function<Measured, Double> figure) {
        List<Double> sorted = measured.stream().map(figure).sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    /** Measures one run of each length, one after the other, on a new database. */
    static List<Measured> measure(List<Integer> lengths) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            Ground ground = new Ground(database, "journals", Contest.Setting.ALONE.driverSetting(), 1, 4);
            try (ConfigurableApplicationContext application =
                    OurFlows.open(JournalApplication.class, ground.emptied().url(), 4, 1)) {
                return lengths.stream()
                        .map(length -> measure(
                                application.getBean(Runs.class), application.getBean(LongJournal.class), length))
                        .toList();
            }
        }
    }

    private static Measured measure(Runs runs, LongJournal code, int steps) {
        RunHandle<String> run = runs.start(LongJournal.class, steps);
        while (latest(runs).state() != RunState.WAITING) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        List<Long> times = code.times();
        int parts = times.size() - 1;
        long signalled = System.nanoTime();
        var unused = runs.signal(run.id(), LongJournal.SIGNAL, "end");
        await(run);
        long ended = System.nanoTime();
        int entries = runs.find(run.id()).orElseThrow().steps().size();
        return new Measured(
                entries,
                Duration.ofNanos(times.get(1) - times.get(0)),
                Duration.ofNanos(times.get(parts) - times.get(parts - 1)),
                Duration.ofNanos(ended - signalled),
                Duration.ofNanos(System.nanoTime() - ended));
    }

    /** Returns the latest run, without its journal. */
    private static RunView latest(Runs runs) {
        return runs.list(runs.queryOf(LongJournal.class).latest(1)).get(0);
    }

    private static void await(RunHandle<String> run) {
        try {
            String unused = run.await(Ground.PATIENCE);
        } catch (TimeoutException late) {
            throw new IllegalStateException(late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
