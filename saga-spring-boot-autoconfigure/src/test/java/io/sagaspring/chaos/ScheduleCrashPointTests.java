package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.ScheduleCrashPoint.Work;
import io.sagaspring.run.RunId;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Scale;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests schedules whose nodes die: at a named point, or at any time. No instant is fired twice, whatever the clocks of
 * the nodes show, and no instant is lost while a node is up.
 */
@Tag("chaos")
class ScheduleCrashPointTests {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
    private static final int NODES = 8;

    private static Offices offices;
    private static int forked;

    private final List<ForkedProcess> processes = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path logs) {
        offices = new Offices(logs, POLL);
    }

    @AfterAll
    static void close() {
        offices.close();
    }

    @BeforeEach
    void empty() {
        offices.clear();
    }

    @AfterEach
    void closeProcesses() {
        processes.forEach(ForkedProcess::close);
    }

    private ForkedProcess fork(Overlap overlap, Duration clock) throws InterruptedException {
        ForkedProcess process = offices.forkSchedule("node-" + forked++, overlap, clock);
        processes.add(process);
        String unused = process.await("READY");
        return process;
    }

    private static Overlap overlap(ScheduleCrashPoint point) {
        return point.work() == Work.ALLOW ? Overlap.ALLOW : Overlap.QUEUE_ONE;
    }

    /** Returns the instants that were fired, one for each run. */
    private static List<Instant> fired() {
        return offices
                .client()
                .sql("SELECT start_key FROM saga_run WHERE start_key LIKE 'schedule:%' ORDER BY start_key")
                .query(String.class)
                .list()
                .stream()
                .map(key -> Instant.parse(key.substring(key.indexOf('@') + 1)))
                .sorted()
                .toList();
    }

    private static Set<UUID> runsOf(String instant) {
        return offices.ledger().all().stream()
                .filter(line -> line.step().equals(instant))
                .map(EffectLedger.Line::run)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void requireOneRunPerInstant() {
        await().atMost(60, SECONDS).until(() -> !offices.ledger().all().isEmpty());
        List<EffectLedger.Line> lines = offices.ledger().all();
        assertThat(lines.stream().map(EffectLedger.Line::step).distinct())
                .allSatisfy(instant -> assertThat(runsOf(instant)).as(instant).hasSize(1));
    }

    private static void awaitEndOfAllRuns() {
        await().atMost(60, SECONDS)
                .until(() -> offices.client()
                                .sql(
                                        "SELECT count(*) FROM saga_run WHERE run = 'scheduledErrand' AND state <> 'completed'")
                                .query(Long.class)
                                .single()
                        <= 1);
    }

    @ParameterizedTest
    @EnumSource
    void theNextNodeContinuesTheSchedule(ScheduleCrashPoint point) throws Exception {
        ForkedProcess victim = fork(overlap(point), Duration.ZERO);
        victim.send("crash " + point);
        assertThat(victim.awaitEnd()).isEqualTo(137);
        Set<Instant> before = new TreeSet<>(fired());
        Progress atDeath = Progress.read();
        if (atDeath != null && point.work() != Work.BACKFILL) {
            assertThat(atDeath.decided()).as("%s", atDeath).isGreaterThanOrEqualTo(atDeath.passed());
        }

        try (ScheduleNode survivor =
                new ScheduleNode(offices.place("survivor"), new Around() {}, overlap(point)).opened()) {
            switch (point.work()) {
                case LATER -> requireTheLaterRun(survivor, point);
                case BACKFILL -> requireTheBackfill(point);
                default -> await().atMost(60, SECONDS).until(() -> fired().size() >= before.size() + 5);
            }
            // Check this while the survivor executes runs, because a run that was only started has no effect yet.
            if (point.work() != Work.LATER) {
                requireOneRunPerInstant();
            }
        }

        assertThat(fired()).doesNotHaveDuplicates().containsAll(before);
        if (atDeath != null && point.work() != Work.BACKFILL && point.work() != Work.LATER) {
            requireAccountOfEachInstant(atDeath, Objects.requireNonNull(Progress.read()));
        }
    }

    /** Requires that each instant after the death was fired, was counted as skipped, or waits. */
    private static void requireAccountOfEachInstant(Progress before, Progress after) {
        long passed =
                Duration.between(before.decidedUntil(), after.decidedUntil()).dividedBy(ScheduledErrand.RATE);
        assertThat(after.fired()).containsAll(before.fired());
        assertThat(after.decided() - before.decided())
                .as("before %s, after %s", before, after)
                .isEqualTo(passed);
    }

    /**
     * The instants of the schedule.
     *
     * @param declaredAt the time at which the schedule was declared, or a few milliseconds later
     * @param decidedUntil the latest instant that was fired, was skipped or waits
     * @param skipped the number of skipped instants
     * @param waiting the number of instants that wait for the end of a run
     * @param fired the instants that have a run
     */
    private record Progress(Instant declaredAt, Instant decidedUntil, long skipped, int waiting, Set<Instant> fired) {

        /** Returns the number of instants that were fired, were skipped or wait. */
        long decided() {
            return fired.size() + skipped + waiting;
        }

        /** Returns the number of instants since the declaration, or one instant less. */
        long passed() {
            return Duration.between(declaredAt, decidedUntil)
                    .plus(ScheduledErrand.RATE)
                    .minusNanos(1)
                    .dividedBy(ScheduledErrand.RATE);
        }

        /** Reads all parts with one statement. Returns null if there is no schedule yet. */
        static @Nullable Progress read() {
            return offices
                    .client()
                    .sql("""
                            SELECT changed_at, next_at, last_at, skipped, queued_at,
                                ARRAY(SELECT split_part(start_key, '@', 2) FROM saga_run WHERE start_key LIKE 'schedule:%') AS fired
                            FROM saga_schedule""")
                    .query((row, number) -> new Progress(
                            instant(row, "changed_at"),
                            row.getObject("last_at") == null
                                    ? instant(row, "next_at").minus(ScheduledErrand.RATE)
                                    : instant(row, "last_at"),
                            row.getLong("skipped"),
                            row.getObject("queued_at") == null ? 0 : 1,
                            Stream.of((String[]) row.getArray("fired").getArray())
                                    .map(Instant::parse)
                                    .collect(Collectors.toCollection(TreeSet::new))))
                    .list()
                    .stream()
                    .findFirst()
                    .orElse(null);
        }

        private static Instant instant(ResultSet row, String column) throws SQLException {
            return row.getObject(column, OffsetDateTime.class).toInstant();
        }
    }

    /**
     * A node that died before the commit of the backfill has left no firing. After the commit, all three firings
     * follow.
     */
    private static void requireTheBackfill(ScheduleCrashPoint point) {
        if (point == ScheduleCrashPoint.BACKFILL_U) {
            await().atMost(60, SECONDS)
                    .until(() -> offices.client()
                                    .sql("SELECT count(*) FROM saga_schedule_firing")
                                    .query(Long.class)
                                    .single()
                            == 0);
        }
        await().atMost(60, SECONDS).until(() -> fired().size() >= (point == ScheduleCrashPoint.BACKFILL_U ? 3 : 1));
        awaitEndOfAllRuns();
    }

    private static void requireTheLaterRun(ScheduleNode survivor, ScheduleCrashPoint point) {
        List<UUID> started = offices.client()
                .sql("SELECT id FROM saga_run WHERE start_key = 'later'")
                .query(UUID.class)
                .list();
        assertThat(started).hasSize(point == ScheduleCrashPoint.LATER_D ? 1 : 0);
        for (UUID run : started) {
            var unused = survivor.office.runs().signal(new RunId(run), Errand.WORD, "go");
            await().atMost(60, SECONDS)
                    .until(() -> survivor.office
                            .runs()
                            .find(new RunId(run))
                            .orElseThrow()
                            .state()
                            .isEnd());
        }
    }

    /** The clocks of the nodes differ by up to 20 minutes. The database clock decides. */
    @Test
    void eachInstantIsFiredOnceWhateverTheClocksOfEightNodesShow() throws Exception {
        for (int node = 0; node < NODES; node++) {
            fork(Overlap.ALLOW, TEN_MINUTES.multipliedBy(node % 3 - 1)).send("open");
        }
        await().atMost(120, SECONDS).until(() -> fired().size() >= 40);

        List<Instant> fired = fired();
        requireNoGaps(fired);
        Instant now = offices.client()
                .sql("SELECT clock_timestamp()")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
        assertThat(fired.get(fired.size() - 1)).isBeforeOrEqualTo(now);
        assertThat(fired.get(0)).isAfter(now.minus(Duration.ofMinutes(5)));
        requireOneRunPerInstant();
    }

    private static void requireNoGaps(List<Instant> fired) {
        for (int each = 1; each < fired.size(); each++) {
            assertThat(fired.get(each))
                    .as("%s", fired)
                    .isEqualTo(fired.get(each - 1).plus(ScheduledErrand.RATE));
        }
    }

    /**
     * One node after the other is killed and replaced, and others are frozen. At least one node is neither killed nor
     * frozen at any time.
     */
    @Test
    void noInstantIsLostWhileANodeIsUp() throws Exception {
        long seed = Long.getLong("chaos.seed", System.nanoTime());
        Random random = new Random(seed);
        List<ForkedProcess> nodes = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            nodes.add(fork(Overlap.ALLOW, TEN_MINUTES.multipliedBy(node - 1)));
        }
        nodes.forEach(each -> each.send("open"));
        Zombies zombies = new Zombies();
        for (int kill = 0; kill < Scale.times(6); kill++) {
            int firings = fired().size() + 1 + random.nextInt(6);
            zombies.freeze(nodes.get(random.nextInt(nodes.size())));
            await().atMost(60, SECONDS).pollInterval(5, MILLISECONDS).until(() -> {
                zombies.thawOverdue();
                return fired().size() >= firings;
            });
            ForkedProcess next = fork(Overlap.ALLOW, TEN_MINUTES.multipliedBy(random.nextInt(3) - 1));
            next.send("open");
            nodes.remove(random.nextInt(nodes.size())).kill();
            nodes.add(next);
        }
        zombies.thawAll();
        int firings = fired().size() + 5;
        await().atMost(60, SECONDS).until(() -> fired().size() >= firings);

        List<Instant> fired = new ArrayList<>(fired());
        fired.sort(Comparator.naturalOrder());
        assertThat(fired).as("seed %d", seed).doesNotHaveDuplicates();
        requireNoGaps(fired);
        requireOneRunPerInstant();
    }
}
