package io.sagaspring.actuate;

import static io.sagaspring.actuate.HealthAnswers.await;
import static io.sagaspring.actuate.HealthAnswers.problems;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.due.Backlog;
import io.sagaspring.fence.EndingLoops;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.KeptTable;
import io.sagaspring.fence.Loop;
import io.sagaspring.fence.Loops;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** The health indicator reports problems of claims, runs, threads and the keeper. */
class SagaHealthIndicatorTests {

    private static final Duration OVERDUE = Duration.ofMinutes(1);
    private static final ClaimFacts NOTHING = new ClaimFacts(null, Map.of(), 0, List.of());

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private volatile Duration now = Duration.ZERO;

    @Test
    void parkedWorkIsAProblem() {
        Health health = indicator(new ClaimFacts(null, Map.of(), 3, List.of()), List.of())
                .health();

        assertThat(health.getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
        assertThat(health.getDetails()).containsEntry("parked", 3);
        assertThat(problems(health))
                .containsExactly(
                        "Parked background work: 3. No attempt is left. Read the errors at the endpoint sagadue, then retry the work or give it up.");
    }

    @Test
    void overdueWorkIsAProblemThatSaysWhetherThisNodeCanHandleIt() {
        List<Backlog> backlog = List.of(
                new Backlog("mail", true, 1_000, Duration.ofMinutes(3)),
                new Backlog("gone", false, 2, Duration.ofHours(5)),
                new Backlog("fresh", true, 7, Duration.ofSeconds(59)));

        Health work =
                indicator(new ClaimFacts(null, Map.of(), 0, backlog), List.of()).health();
        Health runs = healthOfRuns(backlog, true);

        assertThat(work.getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
        assertThat(problems(work))
                .containsExactly(
                        "Background work of kind 'mail' has been due for 3 min, and no node has picked it up (count: 1,000 or more). Look in the log for attempts that do not end, or raise saga.due.concurrency.",
                        "Background work of kind 'gone' has been due for 5 h, and no node has picked it up (count: 2). This node has no handler for this kind. Start a node that has one, restore the after-effect, or give up the work (DELETE sagadue/{id}).");
        assertThat(problems(runs))
                .containsExactly(
                        "Runs of 'mail' have been due for 3 min, and no node has picked them up (count: 1,000 or more). Look at sagaruns?state=running for steps that do not return, or raise saga.runs.concurrency.",
                        "Runs of 'gone' have been due for 5 h, and no node has picked them up (count: 2). This node has no code with that name: start a node that has it, restore the code, or give up the runs (POST sagaruns/{id}/give-up).");
        assertThat(String.valueOf(runs.getDetails().get("dueRuns"))).contains("fresh={due=7, oldest=59 s, known=true}");
    }

    @Test
    void aNodeThatExecutesNoRunsPointsToNodesThatExecuteRuns() {
        List<Backlog> backlog = List.of(new Backlog("mail", true, 2, Duration.ofMinutes(3)));

        Health runs = healthOfRuns(backlog, false);

        assertThat(runs.getDetails()).containsEntry("executesRuns", false);
        assertThat(problems(runs))
                .containsExactly(
                        "Runs of 'mail' have been due for 3 min, and no node has picked them up (count: 2). This node executes no runs (saga.runs.concurrency=0): look at the nodes that do, or start one.");
        assertThat(healthOfRuns(List.of(), true).getDetails()).containsEntry("executesRuns", true);
    }

    @Test
    void runsOfAPausedKindMayWait() {
        Health runs = healthOfRuns(List.of(new Backlog("paused", true, 2, Duration.ofMinutes(3))), true);

        assertThat(runs.getStatus()).isEqualTo(Status.UP);
    }

    private static @Nullable String noPage(RunState state) {
        return null;
    }

    @SuppressWarnings(
            "NullAway") // The compiler of JDK 17 does not read from class files that the function may return null.
    private Health healthOfRuns(List<Backlog> backlog, boolean executes) {
        Survey<RunFacts> survey =
                new Survey<>(() -> new RunFacts(Map.of(), backlog, List.of(), Set.of("paused")), () -> now);
        return new SagaHealthIndicator(
                        List.of(new RunHealth(survey, OVERDUE, executes, SagaHealthIndicatorTests::noPage)))
                .health();
    }

    @Test
    void troubledRunsAreLinked() {
        Survey<RunFacts> survey = new Survey<>(
                () -> new RunFacts(Map.of(RunState.IN_DOUBT, 2L), List.of(), List.of(), Set.of()), () -> now);

        Health linked = new SagaHealthIndicator(
                        List.of(new RunHealth(survey, OVERDUE, true, state -> "https://x/" + state.text())))
                .health();

        assertThat(linked.getDetails()).containsEntry("troubledRunPages", Map.of("in_doubt", "https://x/in_doubt"));
        assertThat(healthOfRuns(List.of(), true).getDetails()).doesNotContainKey("troubledRunPages");
    }

    @Test
    void aMissingFirstSweepIsAProblemOnceItIsOverdue() {
        try (Shop shop = Shop.open(database, "saga.janitor.interval=10m")) {
            Sweep neverSwept = new NeverSwept(shop).bound();
            SagaHealthIndicator indicator = indicator(NOTHING, List.of(neverSwept));

            now = Duration.ofMinutes(30);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            now = Duration.ofMinutes(31);
            assertThat(problems(indicator.health()))
                    .containsExactly(
                            "Module 'shop': no sweep has finished since start-up 31 min ago (interval 10 min). Look for the janitor's errors in the log.");
        }
    }

    @Test
    void workThatExceedsItsMaximumDurationIsReported() {
        try (Keeper keeper = keeper()) {
            var hold = keeper.keep(
                    new AlwaysRenewed(),
                    new HeldLease("parcel", "7", new FencingToken(3)),
                    Duration.ofHours(9),
                    Duration.ofHours(1),
                    keeper.now());
            now = Duration.ofMinutes(61);
            keeper.beat();

            Health health = indicator(keeper, NOTHING, List.of()).health();
            assertThat(health.getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
            assertThat(health.getDetails()).containsEntry("overdue", List.of("parcel 7 (token 3), for 1 h 1 min"));
            hold.close();
            assertThat(indicator(keeper, NOTHING, List.of()).health().getStatus())
                    .isEqualTo(Status.UP);
        }
    }

    @Test
    void aBackgroundThreadThatHasEndedIsAProblem() {
        Loops loops = EndingLoops.create();
        Loop loop = loops.start(
                new Loop.Settings("saga-tested", Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1)),
                () -> Duration.ofHours(1),
                failed -> {});
        Map<String, Object> details = new HashMap<>();
        List<String> problems = new ArrayList<>();

        Awaitility.await().until(() -> {
            new LoopHealth(loops).report(details, problems);
            return !problems.isEmpty();
        });

        assertThat(problems).first().asString().startsWith("The background thread saga-tested of this node has ended.");
        loops.forget(loop);
    }

    @Test
    void aBackgroundThreadThatHangsIsAProblem() {
        Loops loops = new Loops();
        LoopHealth health = new LoopHealth(loops);
        CountDownLatch goOn = new CountDownLatch(1);
        Loop loop = loops.start(
                new Loop.Settings("saga-tested", Duration.ZERO, Duration.ofSeconds(1), Duration.ofMillis(30)),
                () -> {
                    goOn.await();
                    return Duration.ofHours(1);
                },
                failed -> {});
        Map<String, Object> details = new HashMap<>();
        List<String> problems = new ArrayList<>();

        Awaitility.await().until(() -> {
            health.report(details, problems);
            return !problems.isEmpty();
        });

        assertThat(problems).first().asString().startsWith("The background thread saga-tested of this node has hung");
        assertThat(details).containsKey("loops");
        goOn.countDown();
        Awaitility.await().until(() -> {
            problems.clear();
            health.report(details, problems);
            return problems.isEmpty();
        });
        loops.forget(loop);
    }

    @Test
    void aKeeperThatCannotRenewIsAProblem() {
        try (Keeper keeper = new Keeper(new Unreachable(), Duration.ofMinutes(1), () -> now)) {
            var hold = keeper.keep(
                    new AlwaysRenewed(),
                    new HeldLease("parcel", "7", new FencingToken(3)),
                    Duration.ofHours(1),
                    Duration.ofHours(1),
                    keeper.now());
            keeper.beat();

            assertThat(problems(indicator(keeper, NOTHING, List.of()).health()))
                    .singleElement()
                    .asString()
                    .startsWith("This node cannot renew some or all of the leases that it holds: ");
            hold.close();
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsReportedAndQueriedByOneThreadOnly() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger queries = new AtomicInteger();
        Survey<ClaimFacts> survey = new Survey<>(
                () -> {
                    queries.incrementAndGet();
                    awaitRelease(answer);
                    return NOTHING;
                },
                () -> now);
        try (Keeper keeper = keeper()) {
            SagaHealthIndicator indicator = new SagaHealthIndicator(
                    List.of(new ClaimHealth(List::of, survey, () -> now, OVERDUE), new KeeperHealth(keeper)));
            long begun = System.nanoTime();

            assertThat(problems(indicator.health())).containsExactly("The database did not answer within 2 s.");
            assertThat(indicator.health().getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
            assertThat(queries).hasValue(1);
            answer.countDown();
            assertThat(await(indicator::health, health -> health.getStatus().equals(Status.UP))
                            .getDetails())
                    .containsEntry("parked", 0);
        }
    }

    @Test
    void aGaugeRepeatsItsQueryOnlyWhenTheResultIsOutdated() {
        AtomicInteger queries = new AtomicInteger();
        Survey<ClaimFacts> survey =
                new Survey<>(() -> new ClaimFacts(null, Map.of(), queries.incrementAndGet(), List.of()), () -> now);

        await(() -> survey.latest() != null, known -> known);
        now = Duration.ofSeconds(60);
        assertThat(survey.latest()).isEqualTo(new ClaimFacts(null, Map.of(), 1, List.of()));
        now = Duration.ofSeconds(61);
        await(() -> new ClaimFacts(null, Map.of(), 2, List.of()).equals(survey.latest()), again -> again);
    }

    private Keeper keeper() {
        return new Keeper(database.dataSource(), Duration.ofMinutes(1), () -> now);
    }

    private SagaHealthIndicator indicator(ClaimFacts facts, List<Sweep> sweeps) {
        try (Keeper keeper = keeper()) {
            return indicator(keeper, facts, sweeps);
        }
    }

    private SagaHealthIndicator indicator(Keeper keeper, ClaimFacts facts, List<Sweep> sweeps) {
        return new SagaHealthIndicator(List.of(
                new ClaimHealth(() -> sweeps, new Survey<>(() -> facts, () -> now), () -> now, OVERDUE),
                new KeeperHealth(keeper)));
    }

    private static void awaitRelease(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A janitor that is never scheduled, so that its sweep never runs. */
    private static final class NeverSwept extends ScheduledClaimJanitor {
        private final JanitorRegistry registry;

        NeverSwept(Shop shop) {
            registry = new JanitorRegistry(
                    shop.bean(DeclaredClaimStates.class),
                    shop.bean(ClaimRecovery.class),
                    shop.bean(SagaSchema.class),
                    new JanitorRegistry.Settings(
                            Duration.ofHours(1),
                            module -> new Sweep.Settings(
                                    Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(5), false)),
                    () -> Duration.ZERO,
                    List.of(),
                    event -> {});
            registry.cover("shop", this);
        }

        Sweep bound() {
            return registry.sweep("shop").orElseThrow();
        }
    }

    /** A table whose rows are always renewed. */
    private static final class AlwaysRenewed implements KeptTable {
        @Override
        public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
            return held.stream().map(HeldLease::token).collect(Collectors.toSet());
        }

        @Override
        public Set<FencingToken> stillHeld(Connection connection, Collection<HeldLease> held) {
            return renew(connection, held);
        }
    }

    private static final class Unreachable extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("Connection refused.", "08001");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }
}
