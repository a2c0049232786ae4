package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests runs whose node dies at a named point. The client got no answer, so it repeats its calls to another node. The
 * run completes, and steps that must not be repeated have been executed once.
 */
@Tag("chaos")
class RunCrashPointTests {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration SOON = Duration.ofSeconds(30);

    /** The smallest number of moments at which a node can halt before a run that it has picked up completes. */
    private static final int MOMENTS = 4;

    /** The next victims. Their leases are long, and the test ends the lease of a dead victim itself. */
    private static final Deque<ForkedProcess> ready = new ArrayDeque<>();

    private static int nodes;
    private static Offices offices;

    private Office client;
    private int crashes;

    @BeforeAll
    static void startFirst(@TempDir Path logs) {
        offices = new Offices(logs, POLL);
        startNext();
        startNext();
    }

    @AfterAll
    static void close() {
        ready.forEach(ForkedProcess::close);
        offices.close();
    }

    @BeforeEach
    void open() {
        offices.clear();
        client = offices.office("client", new Around() {});
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    static Stream<RunCrashPoint> somePointsAfterDurableStatements() {
        return Scale.some(Stream.of(RunCrashPoint.values())
                .filter(point -> point.name().matches(".*_[DU]"))
                .toList());
    }

    /** The other points of such a run are those of a run that a node's own thread executes. */
    @ParameterizedTest
    @MethodSource("somePointsAfterDurableStatements")
    void theNextNodeCompletesARunThatItsCallerHasExecuted(RunCrashPoint point) throws Exception {
        RunId run = dieAt(point, Begin.EXECUTE, victim(point));
        offices.expireLease(run.value());
        try (Office survivor = survivor()) {
            requireCompletion(survivor.opened(), run);
        }
    }

    /** A survivor on a busy machine must not lose its run, because it would then repeat an effect without having died. */
    private static Office survivor() {
        return survivor(new Around() {});
    }

    private static Office survivor(Around around) {
        return offices.officeWithLongLease("survivor", around);
    }

    /** If the run needs no recovery, the next node finds it as the victim has left it. */
    @ParameterizedTest
    @EnumSource
    void theRunCompletesEvenIfARecoveringNodeDiesToo(RunCrashPoint point) throws Exception {
        RunId run = dieAt(point);

        offices.expireLease(run.value());
        if (!offices.inspection().isQuiet()) {
            try (ForkedProcess second = victim(point)) {
                if (point.isBatched()) {
                    second.send("jam-direct-way");
                }
                second.send("recover " + (1 + List.of(RunCrashPoint.values()).indexOf(point) % MOMENTS));
                requireHalted(second);
            }
            offices.expireLease(run.value());
        }
        try (Office survivor = survivor()) {
            requireCompletion(survivor.opened(), run);
        }
    }

    /**
     * The other node finds the run when the victim's lease expires. The test leaves only a moment of that lease. A node
     * sees only what is durable, so the points directly after a durable statement are enough.
     */
    @ParameterizedTest
    @MethodSource("somePointsAfterDurableStatements")
    void aNodeThatWasAlreadyRunningCompletesTheRun(RunCrashPoint point) throws Exception {
        Restrained restrained = new Restrained();
        try (Office survivor = survivor(restrained).opened()) {
            RunId run = dieAt(point);

            offices.expireLeaseSoon(run.value());
            restrained.letGo();
            requireCompletion(survivor, run);
        }
    }

    /** In this test, nobody shortens the lease. */
    @Test
    void aNodeThatWasAlreadyRunningWaitsUntilTheLeaseExpires() throws Exception {
        Restrained restrained = new Restrained();
        try (Office survivor = survivor(restrained).opened()) {
            RunId run = dieAt(RunCrashPoint.WIRE_E0);
            Instant end = offices.endOfLease(run.value());

            restrained.letGo();
            requireCompletion(survivor, run);

            RunView view = survivor.runs().find(run).orElseThrow();
            assertThat(view.endedAt()).isAfterOrEqualTo(end);
        }
    }

    /** A client without a key does not repeat the start, so there may be a run that no client knows of. */
    @ParameterizedTest
    @ValueSource(strings = {"BEFORE", "AFTER"})
    void aStartThatSharesACommitLeavesNoRunOrARunThatCompletes(String moment) throws Exception {
        try (ForkedProcess victim = victim(Commits.SHARED)) {
            victim.send("jam-direct-way");
            victim.send("crash-start " + moment);
            requireHalted(victim);
        }
        List<UUID> runs = offices.client()
                .sql("SELECT id FROM saga_run")
                .query(UUID.class)
                .list();
        assertThat(runs).hasSize(moment.equals("AFTER") ? 1 : 0);
        for (UUID run : runs) {
            var unused = client.runs().signal(new RunId(run), Errand.WORD, "go");
            offices.expireLease(run);
            try (Office survivor = survivor()) {
                requireCompletion(survivor.opened(), new RunId(run));
            }
        }
    }

    /**
     * Makes its node pick up only runs of a dead node. Runs that a node has released are left to the victim, which must
     * reach its crash point.
     */
    private static final class Restrained implements Around {

        private volatile boolean free;

        void letGo() {
            free = true;
        }

        @Override
        public String sent(String sql) {
            return free || !EngineStatement.RUN_PICK_UP.is(sql)
                    ? sql
                    : EngineStatement.pickingUpOnly("node IS NOT NULL", sql);
        }
    }

    /** The command with which the victim begins a run. */
    private enum Begin {
        START("start"),
        EXECUTE("execute");

        private final String command;

        Begin(String command) {
            this.command = command;
        }
    }

    private RunId dieAt(RunCrashPoint point) throws InterruptedException {
        return dieAt(point, Begin.START, victim(point));
    }

    /** Makes a node die, and repeats the calls that the node may not have received. */
    private RunId dieAt(RunCrashPoint point, Begin begin, ForkedProcess node) throws InterruptedException {
        String key = point.name();
        try (ForkedProcess victim = node) {
            if (point.isBatched()) {
                victim.send("jam-direct-way");
            }
            victim.send("crash " + point);
            victim.send(begin.command + " " + key);
            await().atMost(60, SECONDS)
                    .pollInterval(10, MILLISECONDS)
                    .until(() -> !victim.isAlive()
                            || find(key).filter(this::needsTheWord).isPresent());
            find(key).ifPresent(run -> victim.send("signal " + run));
            requireHalted(victim);
        }
        assertThat(offices.inspection().faultsOfLabels()).isEmpty();
        Optional<UUID> ended = find(key).filter(offices.inspection()::hasEnded);
        RunId run =
                client.runs().start(Errand.class, key, Errand.optionsOf(key)).id();
        ended.ifPresent(id -> assertThat(run.value().equals(id)).isEqualTo(!Errand.hasOpenKey(key)));
        var unused = client.runs().signal(run, Errand.WORD, "the only one", "go");
        return run;
    }

    private boolean needsTheWord(UUID run) {
        return offices.inspection().needsTheWord(run);
    }

    private static Optional<UUID> find(String key) {
        return offices.client()
                .sql("SELECT id FROM saga_run WHERE start_key = ?")
                .param(key)
                .query(UUID.class)
                .optional();
    }

    /** Returns a victim with a long lease. On a busy machine, it does not lose its run before it dies. */
    private static ForkedProcess victim(RunCrashPoint point) throws InterruptedException {
        return victim(commitsAt(point));
    }

    private static ForkedProcess victim(Commits commits) throws InterruptedException {
        if (commits != TestedCommits.COMMITS) {
            return started(offices.forkWithLongLease(nextName(), commits));
        }
        ForkedProcess next = ready.remove();
        startNext();
        return started(next);
    }

    /** If a victim has to die in a batch, it shares its commits, even if the other nodes do not. */
    private static Commits commitsAt(RunCrashPoint point) {
        return point.isBatched() ? Commits.SHARED : TestedCommits.COMMITS;
    }

    private static ForkedProcess started(ForkedProcess node) throws InterruptedException {
        String unused = node.await("READY");
        return node;
    }

    private static String nextName() {
        return "victim-" + nodes++;
    }

    /** Starts the next victim while other victims die. A victim does nothing before its first command. */
    private static void startNext() {
        ready.add(offices.forkWithLongLease(nextName(), TestedCommits.COMMITS));
    }

    private void requireHalted(ForkedProcess victim) throws InterruptedException {
        assertThat(victim.awaitEnd()).isEqualTo(137);
        crashes++;
    }

    private void requireCompletion(Office survivor, RunId run) throws Exception {
        RunView view = survivor.runs().find(run).orElseThrow();
        if (Errand.isStubborn(String.valueOf(view.key()))) {
            await().atMost(SOON)
                    .until(() -> survivor.runs().find(run).orElseThrow().state() == RunState.FAILED);
            assertThat(survivor.runs().retry(run)).isTrue();
        }
        assertThat(survivor.runs().handle(run, Errand.class).await(SOON)).endsWith(" go");
        assertThat(offices.inspection().faults(Set.of(run.value()), crashes)).isEmpty();
        assertThat(offices.inspection().faultsOfLabels()).isEmpty();
    }
}
