package io.sagaspring.benchmarks;

import io.sagaspring.run.Runs;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.springframework.context.ConfigurableApplicationContext;

/** Measures how long it takes until another node executes the runs of a node that was stopped. */
final class HandoverBenchmark {

    private static final int RUNS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private HandoverBenchmark() {}

    /** The way in which a node ends. */
    enum Ended {
        KILLED("SIGKILL"),
        ASKED("SIGTERM");

        private final String signal;

        Ended(String signal) {
            this.signal = signal;
        }

        private void end(Process node) {
            if (this == KILLED) {
                node.destroyForcibly();
            } else {
                node.destroy();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        print(Ended.KILLED, measure(Ended.KILLED, Duration.ofSeconds(3), 15));
        print(Ended.ASKED, measure(Ended.ASKED, Duration.ofSeconds(3), 15));
    }

    private static void print(Ended ended, List<Duration> times) {
        long[] millis = times.stream().mapToLong(Duration::toMillis).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "%s, lease of 3 s, %d runs: median %d ms, 99th percentile %d ms, longest %d ms%n",
                ended.signal,
                millis.length,
                share(millis, 0.5),
                share(millis, 0.99),
                LongStream.of(millis).max().orElseThrow());
    }

    private static long share(long[] sorted, double share) {
        return sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    /** Measures the time from SIGKILL or SIGTERM until each run is in a step on the other node. */
    static List<Duration> measure(Ended ended, Duration lease, int rounds) throws IOException, InterruptedException {
        List<Duration> times = new ArrayList<>();
        String setting = "saga.runs.lease-ttl=" + lease.toMillis() + "ms";
        try (DurableDatabase database = DurableDatabase.open();
                var other = HandoverNode.open(database.url(), RUNS, setting)) {
            for (int round = 0; round < rounds; round++) {
                times.addAll(ended(ended, database.url(), setting, other));
            }
        }
        return times;
    }

    private static List<Duration> ended(Ended ended, String url, String setting, ConfigurableApplicationContext other)
            throws IOException, InterruptedException {
        ManySteps code = other.getBean(ManySteps.class);
        code.firstExecutions().clear();
        Process node = ChildJvm.start(
                System.getProperty("java.class.path"),
                HandoverNode.class.getName(),
                List.of(url, Integer.toString(RUNS), setting));
        try (BufferedReader output = node.inputReader()) {
            awaitStart(output);
            long signalled = System.nanoTime();
            ended.end(node);
            awaitTakeover(code, signalled);
            List<Duration> times = code.firstExecutions().values().stream()
                    .map(since -> Duration.ofNanos(since - signalled))
                    .toList();
            code.firstExecutions()
                    .keySet()
                    .forEach(run -> other.getBean(Runs.class).cancel(run, "The measurement has ended."));
            return times;
        } finally {
            node.destroyForcibly();
            boolean unused = node.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static void awaitStart(BufferedReader output) throws IOException {
        StringBuilder printed = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals(HandoverNode.STARTED)) {
                return;
            }
            printed.append(line).append('\n');
        }
        throw new IllegalStateException("The node ended before it had started. Its output:%n%s".formatted(printed));
    }

    private static void awaitTakeover(ManySteps code, long since) {
        while (code.firstExecutions().size() < RUNS) {
            if (System.nanoTime() - since > PATIENCE.toNanos()) {
                throw new IllegalStateException("Only %d of %d runs have continued after %d s"
                        .formatted(code.firstExecutions().size(), RUNS, PATIENCE.toSeconds()));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
