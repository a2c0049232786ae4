package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.TestedCommits;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs two nodes at a time that start and execute runs of {@link Errand} without a pause, kills them at random times,
 * and replaces them. With {@code -Dchaos.seed}, the test repeats the times of an earlier run.
 */
@Tag("chaos")
class RunKillTests {

    private static final int CYCLES = Scale.times(20);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
    private static final int LANES = 2;
    private static final int THREADS = 4;

    private final Set<UUID> known = ConcurrentHashMap.newKeySet();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger killed = new AtomicInteger();

    @Test
    void everyRunCompletesWhicheverNodesAreKilled(@TempDir Path logs) throws Exception {
        long started = System.nanoTime();
        ExecutorService lanes = Executors.newFixedThreadPool(LANES);
        try (Offices offices = new Offices(logs, Duration.ofMillis(50))) {
            List<Future<?>> running = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                Random random = new Random(SEED + lane);
                running.add(lanes.submit(() -> {
                    startAndKill(offices, random);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
            RunInspection inspection = offices.inspection();
            int shared = inspection.sharedCommits().size();
            try (Office survivor = offices.office("survivor", new Around() {})) {
                var unused = survivor.opened();
                await().atMost(60, SECONDS).pollInterval(50, MILLISECONDS).until(inspection::isQuiet);
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d processes killed in %d s (seed %d): %d runs acknowledged, %d completed, %d effects repeated, %d commits shared%n",
                    killed.get(),
                    Duration.ofNanos(System.nanoTime() - started).toSeconds(),
                    SEED,
                    known.size(),
                    inspection.runs().size(),
                    inspection.repeated(),
                    shared);
            assertThat(inspection.faults(known, killed.get()))
                    .as("with -Dchaos.seed=%d", SEED)
                    .isEmpty();
            assertThat(known).hasSizeGreaterThan(killed.get());
            // If no effect is repeated, no node was killed in the middle of a step.
            assertThat(inspection.repeated()).isPositive();
            // The killed nodes made these commits.
            assertThat(shared > 0).isEqualTo(TestedCommits.areShared());
        } finally {
            lanes.shutdownNow();
        }
    }

    /** Starts the next node while another node is working, so that the test rarely waits for a start. */
    private void startAndKill(Offices offices, Random random) throws InterruptedException {
        BlockingQueue<ForkedProcess> next = new ArrayBlockingQueue<>(1);
        try {
            for (ForkedProcess node = start(offices); node != null; node = next.poll()) {
                String unused = node.await("READY");
                node.send("work " + THREADS);
                ForkedProcess following = start(offices);
                if (following != null) {
                    next.add(following);
                }
                known.add(UUID.fromString(node.await("BEGUN")));
                LockSupport.parkNanos(MILLISECONDS.toNanos(50 + random.nextInt(350)));
                node.kill();
                killed.incrementAndGet();
                node.rest("BEGUN").forEach(run -> known.add(UUID.fromString(run)));
            }
        } finally {
            for (ForkedProcess spare = next.poll(); spare != null; spare = next.poll()) {
                spare.close();
            }
        }
    }

    private @Nullable ForkedProcess start(Offices offices) {
        int number = begun.incrementAndGet();
        return number > CYCLES ? null : offices.fork("node-" + number);
    }
}
