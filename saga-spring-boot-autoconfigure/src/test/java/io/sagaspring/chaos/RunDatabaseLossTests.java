package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunOptions;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.OwnThread;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Tests two nodes that lose the database with the runs, or single connections to it, while they execute runs of {@link
 * Errand}. When the database is available again, all runs complete without intervention. The logs stay short.
 */
@Tag("chaos")
@ExtendWith(OutputCaptureExtension.class)
@ExpectsErrors("Could not stop postmaster")
class RunDatabaseLossTests {

    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
    private static final int OUTAGES = 4;
    private static final int TERMINATIONS = 200;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration SOON = Duration.ofSeconds(30);

    private final Random random = new Random(SEED);
    private final Set<UUID> known = ConcurrentHashMap.newKeySet();
    private final AtomicInteger errands = new AtomicInteger();
    private final AtomicBoolean finished = new AtomicBoolean();

    private OwnServer server;
    private Offices offices;
    private Office one;
    private Office two;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        server = new OwnServer(directory.resolve("data"));
        offices = Offices.at(server.url(), directory, POLL);
        one = offices.office("one", new Around() {}).opened();
        two = offices.office("two", new Around() {}).opened();
    }

    @AfterEach
    void close() throws Exception {
        finished.set(true);
        one.close();
        two.close();
        offices.close();
        server.close();
    }

    @Test
    void runsCompleteDespiteImmediateServerStops(CapturedOutput output) throws Exception {
        CompletableFuture<Void> clients = work();
        for (int outage = 0; outage < OUTAGES; outage++) {
            awaitMore();
            // Every second outage is in the middle of a search that has picked up runs but has not committed.
            Parked sweep = outage % 2 == 0 ? one.interference().park(EngineStatement.RUN_PICK_UP::is, true) : null;
            if (sweep != null) {
                sweep.awaitArrival();
            }
            server.stopAtOnce();
            if (sweep != null) {
                sweep.letGo();
                one.interference().none();
            }
            LockSupport.parkNanos(MILLISECONDS.toNanos(random.nextInt(1_500)));
            server.startAgain();
        }
        awaitMore();
        requireCompletion(clients, "stopped %d times".formatted(OUTAGES), output);
    }

    @Test
    void runsCompleteDespiteTerminatedBackends(CapturedOutput output) throws Exception {
        CompletableFuture<Void> clients = work();
        awaitMore();
        for (int times = 0; times < TERMINATIONS; times++) {
            LockSupport.parkNanos(MILLISECONDS.toNanos(random.nextInt(40)));
            offices.client().sql("""
                            SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
                            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) AS one""").query(Long.class).single();
        }
        awaitMore();
        requireCompletion(clients, "%d backends terminated".formatted(TERMINATIONS), output);
    }

    @Test
    void runsCompleteDespiteConnectionsCutBeforeAndAfterCommits(CapturedOutput output) throws Exception {
        Cuts cuts = new Cuts(SEED);
        CompletableFuture<Void> clients = work();
        one.interference().with(cuts);
        two.interference().with(cuts);
        await().atMost(SOON).until(() -> cuts.before.get() > 60 && cuts.after.get() > 60);
        one.interference().none();
        two.interference().none();
        awaitMore();
        requireCompletion(clients, "%s cut before, %s after".formatted(cuts.before, cuts.after), output);
    }

    /** Cuts a connection permanently. Either the statement is not sent, or it is executed and its answer is lost. */
    private static final class Cuts implements Around {

        private static final int ONE_IN = 12;

        final AtomicInteger before = new AtomicInteger();
        final AtomicInteger after = new AtomicInteger();
        private final Random random;

        Cuts(long seed) {
            this.random = new Random(seed);
        }

        @Override
        public void before(String sql, Connection connection) throws SQLException {
            cutNowAndThen(sql, connection, before);
        }

        @Override
        public void after(String sql, Connection connection) throws SQLException {
            cutNowAndThen(sql, connection, after);
        }

        private void cutNowAndThen(String sql, Connection connection, AtomicInteger counted) throws SQLException {
            boolean isDurable = sql.equals("COMMIT")
                    || EngineStatement.RUN_CHECKPOINT.is(sql)
                    || EngineStatement.RUN_SUSPENSION.is(sql)
                    || EngineStatement.RUN_END.is(sql)
                    || EngineStatement.RUN_BATCH.is(sql)
                    || EngineStatement.RUN_SIGNAL.is(sql)
                    || EngineStatement.RUN_START.is(sql);
            if (isDurable && random.nextInt(ONE_IN) == 0) {
                counted.incrementAndGet();
                connection.abort(Runnable::run);
                throw Interference.connectionLost();
            }
        }
    }

    /** Runs clients that repeat failed calls. */
    private CompletableFuture<Void> work() {
        return CompletableFuture.allOf(OwnThread.run(() -> work(one)), OwnThread.run(() -> work(two)));
    }

    private void work(Office office) {
        while (!finished.get()) {
            String key = "asking-%d".formatted(errands.incrementAndGet());
            boolean isKnown = false;
            while (!isKnown) {
                try {
                    var run = office.runs().start(Errand.class, key, RunOptions.withKey(key));
                    known.add(run.id().value());
                    isKnown = true;
                    var unused = run.await(Duration.ofMillis(200));
                } catch (Exception failed) {
                    LockSupport.parkNanos(MILLISECONDS.toNanos(20));
                }
            }
        }
    }

    private void awaitMore() {
        int before = known.size();
        await().atMost(SOON).until(() -> known.size() > before + 10);
    }

    private void requireCompletion(CompletableFuture<Void> clients, String what, CapturedOutput output)
            throws Exception {
        finished.set(true);
        clients.get(60, TimeUnit.SECONDS);
        RunInspection inspection = offices.inspection();
        await().atMost(SOON).pollInterval(Duration.ofMillis(100)).until(inspection::isQuiet);
        List<String> lines = output.getAll()
                .lines()
                .filter(line -> line.contains(" io.sagaspring.") || line.contains(" i.s"))
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .toList();
        System.out.printf(
                Locale.ROOT,
                "%s (seed %d): %d runs acknowledged, %d there, %d effects repeated, %d lines logged%n",
                what,
                SEED,
                known.size(),
                inspection.runs().size(),
                inspection.repeated(),
                lines.size());
        assertThat(inspection.faults(known, RunInspection.ANY_NUMBER))
                .as("with -Dchaos.seed=%d", SEED)
                .isEmpty();
        assertThat(lines.size()).isLessThan(300);
    }
}
