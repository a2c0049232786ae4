package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.Journal.What;
import io.sagaspring.shop.Scale;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Runs two nodes at a time that work without a pause, kills them at random times, and replaces them. With
 * {@code -Dchaos.seed}, the test repeats the times of an earlier run.
 */
@Tag("chaos")
class KillTests {

    private static final int CYCLES = Scale.times(8);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
    private static final int LANES = 2;
    private static final int THREADS = 4;
    private static final int CRATES = 64;

    private static final TestDatabase database = Depot.database();
    private static final JdbcClient client = JdbcClient.create(database.dataSource());

    /**
     * A {@code stuck-after} long enough to keep a busy machine from missing a heartbeat. In this test, no claim of a
     * living node may be reverted.
     */
    private static final String[] PATIENT = {
        "saga.janitor.stuck-after=2s", "spring.datasource.hikari.maximum-pool-size=6"
    };

    private static final Journal journal = Journal.create();

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger killed = new AtomicInteger();

    @AfterAll
    static void close() {
        database.close();
        journal.delete();
    }

    @Test
    void killsLoseNothingAndRepeatNoTransition() throws Exception {
        client.sql("INSERT INTO crate (status, note, version) SELECT 'HOME', '', 0 FROM generate_series(1, ?)")
                .param(CRATES)
                .update();
        long started = System.nanoTime();
        ExecutorService lanes = Executors.newFixedThreadPool(LANES);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                Random random = new Random(SEED + lane);
                running.add(lanes.submit(() -> {
                    startAndKill(random);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
            try (Depot survivor = Depot.open(database, journal, "survivor", PATIENT)) {
                await().atMost(30, SECONDS).pollInterval(50, MILLISECONDS).until(() -> Inspection.isQuiet(client));
                // Only the database shows that the work is complete. The row of the last after-effect is removed after
                // the journal entry of the after-effect was written.
                assertThat(survivor.blocked()).isZero();
            }
            Inspection inspection = new Inspection(database, journal);
            System.out.printf(
                    Locale.ROOT,
                    "%d processes killed in %d s (seed %d): %d actions, %d acknowledged, %d after-effects delivered%n",
                    killed.get(),
                    Duration.ofNanos(System.nanoTime() - started).toSeconds(),
                    SEED,
                    inspection.count(What.START),
                    inspection.count(What.DONE),
                    inspection.count(What.ARRIVED));
            assertThat(inspection.faults()).as("with -Dchaos.seed=%d", SEED).isEmpty();
            assertThat(inspection.count(What.DONE)).isGreaterThan(killed.get() / 4);
        } finally {
            lanes.shutdownNow();
        }
    }

    /** Starts the next node while another node is working, so that the test rarely waits for a start. */
    private void startAndKill(Random random) throws InterruptedException {
        BlockingQueue<ForkedDepot> next = new ArrayBlockingQueue<>(1);
        boolean isToSucceed = true;
        try {
            for (ForkedDepot node = start(); node != null; node = next.poll()) {
                node.ready().send("work %d %d 1 %d".formatted(THREADS, random.nextLong(), CRATES));
                ForkedDepot following = start();
                if (following != null) {
                    next.add(following);
                }
                node.await("WORKS");
                // Every second node is killed without waiting for a success.
                if (isToSucceed) {
                    awaitSuccessOf(node);
                }
                isToSucceed = !isToSucceed;
                LockSupport.parkNanos(MILLISECONDS.toNanos(50 + random.nextInt(350)));
                node.kill();
                node.close();
                killed.incrementAndGet();
            }
        } finally {
            for (ForkedDepot spare = next.poll(); spare != null; spare = next.poll()) {
                spare.close();
            }
        }
    }

    /**
     * Waits for the first success of a node. Without this wait, every node might be killed before its first success on
     * a slow machine.
     */
    private static void awaitSuccessOf(ForkedDepot node) {
        await().atMost(60, SECONDS)
                .until(() -> journal.entries().stream()
                        .anyMatch(entry ->
                                entry.what() == What.DONE && entry.node().equals(node.name())));
    }

    private @Nullable ForkedDepot start() {
        int number = begun.incrementAndGet();
        return number > CYCLES ? null : ForkedDepot.start(database, journal, "node-" + number, PATIENT);
    }
}
