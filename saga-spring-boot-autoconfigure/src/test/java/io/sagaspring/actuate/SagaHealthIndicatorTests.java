package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.due.Backlog;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.KeptTable;
import io.sagaspring.fence.Loop;
import io.sagaspring.fence.Loops;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.datasource.AbstractDataSource;
import tools.jackson.databind.JsonNode;

/** What health says of claims, to whom, and how soon. */
class SagaHealthIndicatorTests {

    private static final Duration OVERDUE = Duration.ofMinutes(1);
    private static final ClaimFacts NOTHING = new ClaimFacts(null, Map.of(), 0, List.of());

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private volatile Duration now = Duration.ZERO;

    @Test
    void aStuckClaimDegradesHealthAndTakesNoNodeOutOfService() throws Exception {
        try (Shop shop = open("management.endpoint.health.show-details=always")) {
            Http http = new Http(shop);
            assertThat(saga(http).path("status").asString()).isEqualTo("UP");
            assertThat(saga(http).path("details").path("oldest")).isEmpty();
            CountDownLatch arrived = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            shop.script().action = (entity, context) -> {
                arrived.countDown();
                assertThat(released.await(30, SECONDS)).isTrue();
                return ActionResult.success();
            };
            long parcel = shop.pack();
            CompletableFuture<TransitionOutcome> owner = OwnThread.call(() -> shop.send(parcel));
            assertThat(arrived.await(20, SECONDS)).isTrue();

            JsonNode alive = saga(http);
            assertThat(alive.path("status").asString()).isEqualTo("UP");
            assertThat(alive.path("details").path("kept").asInt()).isEqualTo(1);
            assertThat(alive.path("details").path("oldest").path("id").asString())
                    .isEqualTo(Long.toString(parcel));
            assertThat(alive.path("details").path("oldest").path("age").asString())
                    .matches("\\d+ ms|[0-9.]+ s|\\d+ min.*");
            shop.silence(Duration.ofHours(1));

            JsonNode stuck = saga(http);
            assertThat(stuck.path("status").asString()).isEqualTo("DEGRADED");
            assertThat(stuck.path("details").path("stuck").path("shop").asInt()).isEqualTo(1);
            assertThat(stuck.path("details").path("problems").toString())
                    .contains("1 claims of module 'shop' are stuck");
            Http.Answer whole = http.get("/actuator/health");
            assertThat(whole.status()).isEqualTo(200);
            assertThat(whole.json().path("status").asString()).isEqualTo("UP");
            released.countDown();
            assertThat(owner.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
        }
    }

    @Test
    void neitherLivenessNorReadinessHearOfIt() throws Exception {
        try (Shop shop = open(
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.show-components=always")) {
            Http http = new Http(shop);

            assertThat(http.get("/actuator/health/liveness").text()).doesNotContain("saga");
            assertThat(http.get("/actuator/health/readiness").text()).doesNotContain("saga");
            assertThat(http.get("/actuator/health").text()).contains("saga");
            assertThat(saga(http).path("status").asString()).isEqualTo("UP");
        }
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        try (Shop shop = open("management.health.saga.enabled=false")) {
            assertThat(new Http(shop).get("/actuator/health/saga").status()).isEqualTo(404);
        }
    }

    @Test
    void parkedWorkIsAProblem() {
        Health health = indicator(new ClaimFacts(null, Map.of(), 3, List.of()), List.of())
                .health();

        assertThat(health.getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
        assertThat(health.getDetails()).containsEntry("parked", 3);
        assertThat(problems(health))
                .containsExactly(
                        "3 pieces of background work are parked: every attempt failed. Look at their errors in sagadue, then retry them or give them up.");
    }

    @Test
    void overdueWorkIsAProblemThatSaysWhetherThisNodeKnowsIt() {
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
                        "Work of 'mail' has been due for 3 min and no node has picked it up (1,000 or more pieces). Look in the log for attempts that do not end, or raise saga.due.concurrency.",
                        "Work of 'gone' has been due for 5 h and no node has picked it up (2 pieces). This node has no handler of that queue: start a node that has it, bring the after-effect back, or give the work up (DELETE sagadue/{id}).");
        assertThat(problems(runs))
                .containsExactly(
                        "Runs of 'mail' have been due for 3 min and no node has picked them up (1,000 or more). Look at sagaruns?state=running for steps that do not return, or raise saga.runs.concurrency.",
                        "Runs of 'gone' have been due for 5 h and no node has picked them up (2). This node has no code of that name: start a node that has it, bring the code back, or give the runs up (POST sagaruns/{id}/give-up).");
        assertThat(String.valueOf(runs.getDetails().get("dueRuns"))).contains("fresh={due=7, oldest=59 s, known=true}");
    }

    @Test
    void aNodeThatExecutesNoRunsSaysSoAndSendsPeopleToThoseThatDo() {
        List<Backlog> backlog = List.of(new Backlog("mail", true, 2, Duration.ofMinutes(3)));

        Health runs = healthOfRuns(backlog, false);

        assertThat(runs.getDetails()).containsEntry("executesRuns", false);
        assertThat(problems(runs))
                .containsExactly(
                        "Runs of 'mail' have been due for 3 min and no node has picked them up (2). This node executes no runs (saga.runs.concurrency=0): look at the nodes that do, or start one.");
        assertThat(healthOfRuns(List.of(), true).getDetails()).containsEntry("executesRuns", true);
    }

    @Test
    void aNodeWithoutSlotsForRunsKnowsThatItExecutesNone() {
        try (Shop shop = open("saga.runs.concurrency=0")) {
            assertThat(saga(shop).getDetails()).containsEntry("executesRuns", false);
        }
    }

    private Health healthOfRuns(List<Backlog> backlog, boolean executes) {
        Survey<RunFacts> survey = new Survey<>(() -> new RunFacts(Map.of(), backlog), () -> now);
        return new SagaHealthIndicator(List.of(new RunHealth(survey, OVERDUE, executes))).health();
    }

    @Test
    @ExpectsErrors("The sweep of module 'shop' failed")
    void aSweepThatKeepsFailingIsAProblemOnceItIsOverdue() throws Exception {
        try (Shop shop = open("saga.janitor.interval=200ms")) {
            // Not only UP, which it is before the first sweep as well.
            await(
                    () -> shop.bean(JanitorRegistry.class).sweep("shop").orElseThrow(),
                    sweep -> sweep.lag() != null && saga(shop).getStatus().equals(Status.UP));
            shop.database().sql("ALTER TABLE saga_claim RENAME TO hidden").update();

            Health overdue = await(
                    () -> saga(shop), health -> problems(health).stream().anyMatch(each -> each.contains("finished")));
            assertThat(overdue.getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
            assertThat(problems(overdue))
                    .anyMatch(each -> each.startsWith("The database could not be asked: "))
                    .anyMatch(each ->
                            each.matches("Module 'shop': the latest sweep finished .* ago \\(interval 200 ms\\)\\."));
        }
    }

    @Test
    void aSweepThatHasNeverComeIsAProblemOnceItIsOverdue() {
        try (Shop shop = Shop.open(database, "saga.janitor.interval=10m")) {
            Sweep never = new NeverSwept(shop).bound();
            SagaHealthIndicator indicator = indicator(NOTHING, List.of(never));

            now = Duration.ofMinutes(30);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            now = Duration.ofMinutes(31);
            assertThat(problems(indicator.health()))
                    .containsExactly(
                            "Module 'shop': no sweep has finished since start-up 31 min ago (interval 10 min).");
        }
    }

    @Test
    void workBeyondItsMaximumIsNamed() {
        try (Keeper keeper = keeper()) {
            var hold = keeper.keep(
                    new Unlost(),
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
    void aBackgroundThreadThatHangsOrHasEndedIsAProblem() {
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
                    new Unlost(),
                    new HeldLease("parcel", "7", new FencingToken(3)),
                    Duration.ofHours(1),
                    Duration.ofHours(1),
                    keeper.now());
            keeper.beat();

            assertThat(problems(indicator(keeper, NOTHING, List.of()).health()))
                    .singleElement()
                    .asString()
                    .startsWith("This node cannot renew the leases that it holds: ");
            hold.close();
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsSaidSoAndAskedByOneThreadOnly() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Survey<ClaimFacts> survey = new Survey<>(
                () -> {
                    asked.incrementAndGet();
                    awaitUninterruptibly(answer);
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
            assertThat(asked).hasValue(1);
            answer.countDown();
            assertThat(await(indicator::health, health -> health.getStatus().equals(Status.UP))
                            .getDetails())
                    .containsEntry("parked", 0);
        }
    }

    /** A down database looks like this to whoever wants a connection of it. */
    @Test
    void anExhaustedPoolDoesNotHangIt() throws Exception {
        try (Shop shop = open(
                "spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=60000")) {
            try (Connection held = shop.bean(DataSource.class).getConnection()) {
                long begun = System.nanoTime();
                Health health = saga(shop);

                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(30));
                assertThat(problems(health)).contains("The database did not answer within 2 s.");
                assertThat(held.isClosed()).isFalse();
            }
            await(() -> saga(shop), health -> health.getStatus().equals(Status.UP));
        }
    }

    @Test
    void aGaugeAsksAgainOnlyWhenWhatIsKnownIsOld() {
        AtomicInteger asked = new AtomicInteger();
        Survey<ClaimFacts> survey =
                new Survey<>(() -> new ClaimFacts(null, Map.of(), asked.incrementAndGet(), List.of()), () -> now);

        await(() -> survey.latest() != null, known -> known);
        now = Duration.ofSeconds(60);
        assertThat(survey.latest()).isEqualTo(new ClaimFacts(null, Map.of(), 1, List.of()));
        now = Duration.ofSeconds(61);
        await(() -> new ClaimFacts(null, Map.of(), 2, List.of()).equals(survey.latest()), again -> again);
    }

    private Shop open(String... properties) {
        String[] all = Stream.concat(Stream.of(Http.ON_ANY_PORT), Stream.of(properties))
                .toArray(String[]::new);
        return Shop.open(database, application -> application.web(WebApplicationType.SERVLET), all);
    }

    private static JsonNode saga(Http http) throws Exception {
        Http.Answer answer = http.get("/actuator/health/saga");
        assertThat(answer.status()).isEqualTo(200);
        return answer.json();
    }

    private static Health saga(Shop shop) {
        return shop.bean(SagaHealthIndicator.class).health();
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

    private static List<String> problems(Health health) {
        return ((Collection<?>) health.getDetails().getOrDefault("problems", List.of()))
                .stream().map(String::valueOf).collect(Collectors.toList());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> T await(Callable<T> asking, Predicate<T> condition) {
        return Awaitility.await().atMost(30, SECONDS).until(asking, condition);
    }

    /** A sweep that is bound to a janitor which nobody schedules. */
    private static final class NeverSwept extends ScheduledClaimJanitor {
        private final JanitorRegistry coverage;

        NeverSwept(Shop shop) {
            coverage = new JanitorRegistry(
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
            coverage.cover("shop", this);
        }

        Sweep bound() {
            return coverage.sweep("shop").orElseThrow();
        }
    }

    /** A table whose rows are always renewed. */
    private static final class Unlost implements KeptTable {
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
