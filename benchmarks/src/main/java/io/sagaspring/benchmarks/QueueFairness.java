package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures how long a key with a single run waits in a queue in which other keys have a large backlog. Half of the keys
 * have a single run. These runs are started last.
 *
 * @param queued the number of runs
 * @param keys the number of keys
 * @param longest the longest time from the end of the queue's pause until a key's single run began
 * @param begun the number of runs of all keys that had begun by then
 */
record QueueFairness(int queued, int keys, Duration longest, int begun) {

    private static final String QUEUE = "crowded";
    private static final int AT_A_TIME = 500;

    @Override
    public String toString() {
        return "%,d runs of %,d keys. Half of the keys have one run each. The last of these single runs began after %.1f s. By then, %,d runs of all keys had begun"
                .formatted(queued, keys, longest.toMillis() / 1000.0, begun);
    }

    /** A run that records when the first run of its key begins. */
    record Crowded(Map<Integer, Long> begun, Map<String, Integer> all) implements DurableRun<Integer, @Nullable Void> {

        @Override
        public String name() {
            return "crowded";
        }

        @Override
        public @Nullable Void run(RunContext run, Integer key) {
            begun.putIfAbsent(key, System.nanoTime());
            all.merge("", 1, Integer::sum);
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    static class Application {

        @Bean
        Crowded crowded() {
            return new Crowded(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }

        @Bean
        RunQueue queue() {
            return RunQueue.named(QUEUE).atOnce(QueueBenchmark.LIMIT).atOnceForEach(1);
        }
    }

    static QueueFairness measure(int queued, int keys) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            Ground ground = new Ground(
                            database,
                            "crowded_queue",
                            Setting.ALONE.driverSetting(),
                            QueueBenchmark.LIMIT,
                            QueueBenchmark.LIMIT)
                    .emptied();
            try (ConfigurableApplicationContext application = QueuedFlows.open(ground, Application.class)) {
                return measure(application, queued, keys);
            }
        }
    }

    private static QueueFairness measure(ConfigurableApplicationContext application, int queued, int keys) {
        Runs runs = application.getBean(Runs.class);
        Crowded crowded = application.getBean(Crowded.class);
        boolean paused = runs.queue(QUEUE).pause("filling", "benchmark");
        fill(
                new TransactionTemplate(new JdbcTransactionManager(application.getBean(DataSource.class))),
                runs,
                queued,
                keys);
        long opened = System.nanoTime();
        boolean resumed = runs.queue(QUEUE).resume("benchmark");
        if (!paused || !resumed) {
            throw new IllegalStateException("The queue was not paused while it was filled.");
        }
        long end = opened + Ground.PATIENCE.toNanos();
        while (!IntStream.range(keys / 2, keys).allMatch(crowded.begun()::containsKey)) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(
                        "The only run of a key has not begun after %d s".formatted(Ground.PATIENCE.toSeconds()));
            }
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
        int begun = crowded.all().getOrDefault("", 0);
        long latest = IntStream.range(keys / 2, keys)
                .mapToLong(crowded.begun()::get)
                .max()
                .orElseThrow();
        return new QueueFairness(queued, keys, Duration.ofNanos(latest - opened), begun);
    }

    private static void fill(TransactionTemplate transaction, Runs runs, int queued, int keys) {
        int small = keys / 2;
        for (int from = 0; from < queued; from += AT_A_TIME) {
            int first = from;
            transaction.executeWithoutResult(status -> {
                for (int number = first; number < Math.min(first + AT_A_TIME, queued); number++) {
                    int key = number < queued - small ? number % (keys - small) : keys - queued + number;
                    RunHandle<?> unused = runs.start(
                            Crowded.class, key, RunOptions.none().in(QUEUE).of("key-" + key));
                }
            });
        }
    }
}
