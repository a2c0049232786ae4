package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lets eight nodes execute the runs of a queue with a limit of 10, kills the nodes at random times, and replaces them.
 * Other nodes are frozen until their leases have ended, and then continue. At no time do more than 10
 * runs execute, or more than three runs of one key. {@code -Dchaos.seconds} sets for how many seconds the test kills
 * nodes.
 */
@Tag("chaos")
class QueueKillTests {

    private static final long SECONDS = Long.getLong("chaos.seconds", 20);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
    private static final int NODES = 8;
    private static final int KEYS = 12;
    private static final int BACKLOG = 200;

    @Test
    void aLimitIsNeverExceededWhicheverNodesAreKilledOrFrozen(@TempDir Path logs) throws Exception {
        Random random = new Random(SEED);
        List<ForkedProcess> nodes = new ArrayList<>();
        Zombies zombies = new Zombies();
        int killed = 0;
        int number = 0;
        try (QueueOffices offices = new QueueOffices(logs);
                Office client = offices.office("client")) {
            for (int each = 0; each < NODES; each++) {
                nodes.add(opened(offices, "node-" + each));
            }
            long until = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
            while (System.nanoTime() < until) {
                long open = offices.count("saga_run WHERE ended_at IS NULL");
                for (int each = 0; each < 40 && open + each < BACKLOG; each++) {
                    String key = number % 4 == 0 ? "large" : "small-" + random.nextInt(KEYS);
                    RunId unused = offices.start(client, "psp", key, number++);
                }
                LockSupport.parkNanos(MILLISECONDS.toNanos(100 + random.nextInt(300)));
                zombies.thawOverdue();
                zombies.freeze(nodes.get(random.nextInt(NODES)));
                int victim = random.nextInt(NODES);
                nodes.get(victim).kill();
                killed++;
                nodes.set(victim, opened(offices, "node-" + (NODES + killed)));
            }
            zombies.thawAll();
            await().atMost(5, MINUTES).pollInterval(100, MILLISECONDS).until(offices::isQuiet);

            System.out.printf(
                    Locale.ROOT,
                    "%d processes killed and %d frozen in %d s (seed %d): %d runs completed, %d picked up again%n",
                    killed,
                    zombies.count(),
                    SECONDS,
                    SEED,
                    number,
                    offices.count("saga_run WHERE attempts > 1 OR retries > 0"));
            assertThat(offices.faults()).as("with -Dchaos.seed=%d", SEED).isEmpty();
            assertThat(offices.count("saga_run")).isEqualTo(number);
            assertThat(offices.permits("psp")).isEqualTo(QueueErrand.AT_ONCE);
        } finally {
            nodes.forEach(ForkedProcess::close);
        }
    }

    private static ForkedProcess opened(QueueOffices offices, String name) {
        ForkedProcess node = offices.fork(name);
        node.send("open");
        return node;
    }
}
