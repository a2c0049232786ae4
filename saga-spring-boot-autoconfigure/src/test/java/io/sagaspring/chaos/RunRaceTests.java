package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.SignalResult;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lets three nodes compete for the same run at the same moment, hundreds of times. The nodes resume the run, signal it
 * and search for due runs, while the run has its own timer.
 */
@Tag("chaos")
class RunRaceTests {

    private static final int ROUNDS = Scale.times(250);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());

    /**
     * A node that was woken may skip the run while another node has its row locked. The next poll finds the run. If a
     * signal were lost, the run would not be due, and no poll would find it.
     */
    private static final Duration POLL = Duration.ofMillis(100);

    /** The number of runs in one race. Nine threads compete for each run. */
    private static final int CROWD = 20;

    private static final Duration SOON = Duration.ofSeconds(20);

    private interface Racing {
        void go() throws Exception;
    }

    @Test
    void aRunIsExecutedByOneNodeAtATimeAndReceivesEachSignalOnce(@TempDir Path logs) throws Exception {
        long started = System.nanoTime();
        Random random = new Random(SEED);
        Listener listener = new Listener();
        ExecutorService racers = Executors.newCachedThreadPool();
        try (Offices offices = new Offices(logs, POLL);
                Office one = offices.office("one", new Around() {}, listener).opened();
                Office two = offices.office("two", new Around() {}, listener).opened();
                Office three =
                        offices.office("three", new Around() {}, listener).opened()) {
            List<Office> nodes = List.of(one, two, three);
            for (int round = 0; round < ROUNDS; round++) {
                String timed = round % 2 == 0 ? "timed" : "patient";
                RunHandle<String> run = one.runs().start(Listener.class, timed);
                race(racers, racing(nodes, run.id(), random));
                if (timed.equals("timed")) {
                    // As many threads as possible try to pick up the run when its timer is due.
                    sweepUntilOver(nodes, run.id());
                }

                assertThat(receivedWords(one, run).split(" ", -1))
                        .as("round %d, with -Dchaos.seed=%d", round, SEED)
                        .containsExactlyInAnyOrder("a", "b", "c");
            }
            assertThat(listener.overlaps()).isZero();
        } finally {
            racers.shutdownNow();
        }
        System.out.printf(
                Locale.ROOT,
                "%d races in %d s (seed %d)%n",
                ROUNDS,
                Duration.ofNanos(System.nanoTime() - started).toSeconds(),
                SEED);
    }

    /**
     * Many runs receive their signals at the same moment, so that one commit of a node contains the changes of several
     * runs.
     */
    @Test
    void eachOfManyRunsIsExecutedByOneNodeAtATime(@TempDir Path logs) throws Exception {
        Random random = new Random(SEED);
        Listener listener = new Listener();
        ExecutorService racers = Executors.newCachedThreadPool();
        try (Offices offices = new Offices(logs, POLL);
                Office one = offices.office("one", new Around() {}, listener).opened();
                Office two = offices.office("two", new Around() {}, listener).opened();
                Office three =
                        offices.office("three", new Around() {}, listener).opened()) {
            List<Office> nodes = List.of(one, two, three);
            for (int round = 0; round < ROUNDS / CROWD; round++) {
                Queue<RunHandle<String>> runs = new ConcurrentLinkedQueue<>();
                race(
                        racers,
                        Collections.nCopies(CROWD, () -> runs.add(one.runs().start(Listener.class, "timed"))));
                List<Racing> racing = new ArrayList<>();
                runs.forEach(run -> racing.addAll(racing(nodes, run.id(), random)));
                race(racers, racing);

                for (RunHandle<String> run : runs) {
                    assertThat(receivedWords(one, run).split(" ", -1))
                            .as("round %d, with -Dchaos.seed=%d", round, SEED)
                            .containsExactlyInAnyOrder("a", "b", "c");
                }
            }
            assertThat(listener.overlaps()).isZero();
            List<Integer> shared = offices.inspection().sharedCommits();
            System.out.printf(Locale.ROOT, "%d commits shared (seed %d)%n", shared.size(), SEED);
            assertThat(!shared.isEmpty()).isEqualTo(TestedCommits.areShared());
        } finally {
            racers.shutdownNow();
        }
    }

    /** Returns the words that the run has received, or fails with the state of a run that does not complete. */
    private static String receivedWords(Office node, RunHandle<String> run) throws Exception {
        try {
            return run.await(SOON);
        } catch (TimeoutException stuck) {
            throw new AssertionError("Stuck: " + node.runs().find(run.id()), stuck);
        }
    }

    private static List<Racing> racing(List<Office> nodes, RunId run, Random random) {
        List<Racing> racing = new ArrayList<>();
        int first = random.nextInt(nodes.size());
        for (String word : List.of("a", "b", "c")) {
            Office node = nodes.get((first + racing.size()) % nodes.size());
            long pause = random.nextInt(3_000_000);
            racing.add(() -> {
                LockSupport.parkNanos(pause);
                assertThat(node.runs().signal(run, Listener.WORD, word, word)).isEqualTo(SignalResult.ACCEPTED);
            });
        }
        nodes.forEach(node -> racing.add(() -> node.engine().resume(run)));
        nodes.forEach(node -> racing.add(() -> node.engine().sweep()));
        return racing;
    }

    private static void race(ExecutorService racers, List<Racing> racing) throws Exception {
        CyclicBarrier start = new CyclicBarrier(racing.size());
        List<Future<?>> running = new ArrayList<>();
        for (Racing each : racing) {
            running.add(racers.submit(() -> {
                start.await();
                each.go();
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get(60, SECONDS);
        }
    }

    private static void sweepUntilOver(List<Office> nodes, RunId run) {
        await().atMost(SOON)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> {
                    nodes.forEach(node -> node.engine().sweep());
                    return nodes.get(0).runs().find(run).orElseThrow().state().isEnd();
                });
    }
}
