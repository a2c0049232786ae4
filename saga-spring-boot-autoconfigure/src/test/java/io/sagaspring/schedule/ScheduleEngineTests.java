package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunNode;
import io.sagaspring.run.RunState;
import io.sagaspring.schedule.ScheduleSettings.Of;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests schedules on nodes that share one database. Time passes by moving the next instant of a schedule. */
class ScheduleEngineTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = Pool.of(database);
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofSeconds(1);

    private final List<RunNode> nodes = new ArrayList<>();
    private final List<Firing> firings = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private Duration patience = Duration.ZERO;

    /** A scheduled run that waits at the gate of the test. */
    @RunSchedule(name = "tick", fixedRate = "1h")
    final class Tick implements DurableRun<Firing, @Nullable Void> {

        @Override
        public String name() {
            return "tick";
        }

        @Override
        public @Nullable Void run(RunContext run, Firing firing) throws Exception {
            run.step("note", () -> {
                firings.add(firing);
                gate.await();
            });
            return null;
        }
    }

    private final class Node {

        final RunNode runs;
        final ScheduleEngine engine;
        final Schedules schedules;

        Node(Of properties) {
            this.runs = RunNode.on(schema, connections, "node-" + nodes.size())
                    .beans(List.of(new Tick()))
                    .build()
                    .opened();
            nodes.add(runs);
            Map<String, Of> byName = Map.of("tick", properties);
            this.engine = new ScheduleEngine(
                    new ScheduleEngine.Parts(
                            new PostgresScheduleStore(schema, new OwnTransactions(connections), connections),
                            runs.store(),
                            () -> ScheduleCatalog.read(runs.engine.code(), new Settings(byName)),
                            () -> runs.engine,
                            List::of),
                    new ScheduleEngine.Settings("node", POLL, Duration.ofMinutes(1), patience));
            this.schedules = engine.schedules();
        }

        ScheduleView view() {
            return schedules.list().get(0);
        }

        RunState state(RunId id) {
            return runs.store().findRow(id).orElseThrow().state();
        }
    }

    private record Settings(Map<String, Of> byName) implements ScheduleSettings {

        @Override
        public String resolve(String text) {
            return text;
        }

        @Override
        public String origin(String property) {
            return "";
        }

        @Override
        public List<Class<?>> annotated() {
            return List.of();
        }
    }

    private Node node() {
        return node(null, null, null);
    }

    private Node node(@Nullable Missed missed, @Nullable Overlap overlap, @Nullable String fixedDelay) {
        return new Node(new Of(null, null, null, fixedDelay, missed, null, overlap, null));
    }

    @BeforeEach
    void empty() {
        jdbc.sql("TRUNCATE saga_run, saga_step, saga_signal, saga_schedule, saga_schedule_firing").update();
    }

    @AfterEach
    void close() {
        gate.countDown();
        nodes.forEach(RunNode::close);
    }

    private static Instant databaseTime() {
        return jdbc.sql("SELECT clock_timestamp()").query(OffsetDateTime.class).single().toInstant();
    }

    /** Moves the next instant, as if that time had come. Returns it. */
    private static Instant next(Duration fromNow) {
        Instant next = databaseTime().plus(fromNow);
        jdbc.sql("UPDATE saga_schedule SET next_at = ?").param(next.atOffset(ZoneOffset.UTC)).update();
        return next;
    }

    private static long runs() {
        return jdbc.sql("SELECT count(*) FROM saga_run").query(Long.class).single();
    }

    private RunId lastRun(Node node) {
        return Objects.requireNonNull(node.view().lastRun());
    }

    private void awaitEnd(Node node, RunId run) {
        await().atMost(SOON).until(() -> node.state(run).isEnd());
    }

    @Test
    void aNewScheduleFiresNothingBeforeItsFirstInstant() {
        Node node = node();

        assertThat(node.engine.sweep()).isZero();

        assertThat(runs()).isZero();
        Instant next = Objects.requireNonNull(node.view().next());
        assertThat(next).isAfter(databaseTime());
        assertThat(next.getEpochSecond() % 3600).isZero();
        assertThat(node.view().known()).isTrue();
    }

    @Test
    void anInstantFiresOnceOnAnyNumberOfNodes() {
        List<Node> all = List.of(node(), node(), node());
        all.forEach(each -> each.engine.sweep());
        Instant instant = next(Duration.ofMillis(-10));

        all.forEach(each -> each.engine.sweep());
        all.forEach(each -> each.engine.sweep());

        await().atMost(SOON).until(() -> firings.size() == 1);
        assertThat(runs()).isOne();
        assertThat(firings.get(0).at()).isEqualTo(instant);
        assertThat(firings.get(0).triggered()).isFalse();
        assertThat(jdbc.sql("SELECT start_key FROM saga_run").query(String.class).single())
                .isEqualTo("schedule:tick@" + instant);
        assertThat(all.get(0).view().last()).isEqualTo(instant);
    }

    /** The key of the run is the second guard: without the guard of the row, it still keeps an instant from firing twice. */
    @Test
    void anInstantDoesNotFireAgainEvenIfItsScheduleIsSetBack() {
        Node node = node();
        node.engine.sweep();
        Instant instant = next(Duration.ofMillis(-10));
        node.engine.sweep();

        jdbc.sql("UPDATE saga_schedule SET next_at = ?").param(instant.atOffset(ZoneOffset.UTC)).update();
        gate = new CountDownLatch(0);
        awaitEnd(node, lastRun(node));
        node.engine.sweep();

        assertThat(runs()).isOne();
        assertThat(firings).hasSize(1);
    }

    /** The row is the first guard: the key is gone after the retention, and the instant still does not fire again. */
    @Test
    void anInstantDoesNotFireAgainWhenItsRunHasBeenRemoved() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofMillis(-10));
        node.engine.sweep();
        awaitEnd(node, lastRun(node));

        jdbc.sql("DELETE FROM saga_run").update();
        node.engine.sweep();

        assertThat(runs()).isZero();
    }

    @Test
    void afterATimeWithoutANodeOnlyTheLatestInstantFires() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofHours(-50));

        Node restarted = node();
        restarted.engine.sweep();

        await().atMost(SOON).until(() -> firings.size() == 1);
        assertThat(runs()).isOne();
        assertThat(firings.get(0).at()).isAfter(databaseTime().minus(Duration.ofHours(1)));
        assertThat(restarted.view().skipped()).isBetween(49L, 50L);
        assertThat(restarted.view().skippedWhy()).startsWith("No node was up at ");
    }

    /** Other nodes may be slow, and fire what is late. Only if they do not, nobody was up. */
    @Test
    void aNodeThatHasJustStartedLeavesLateInstantsToOthers() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofMinutes(-30));
        patience = Duration.ofSeconds(2);
        Node started = node();

        started.engine.sweep();
        assertThat(runs()).isZero();

        await().atMost(SOON).until(() -> {
            started.engine.sweep();
            return runs() == 1;
        });
    }

    @Test
    void aChangedExpressionNeverFiresAnInstantOfThePast() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofHours(-50));

        Node deployed = new Node(new Of("0 0 0 * * *", "UTC", null, null, null, null, null, null));
        deployed.engine.sweep();

        assertThat(runs()).isZero();
        assertThat(deployed.view().next()).isAfter(databaseTime());
        assertThat(deployed.view().times()).isEqualTo("0 0 0 * * * in UTC");
    }

    @Test
    void aDeploymentThatKeepsTheTimesStillFiresWhatWasMissed() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofHours(-50));

        Node deployed = node(null, Overlap.ALLOW, null);
        deployed.engine.sweep();

        assertThat(runs()).isOne();
    }

    /** A node of the old version computes the next instant from the row, not from its own annotation. */
    @Test
    void aNodeOfTheOldVersionFollowsTheRow() {
        Node old = node();
        old.engine.sweep();
        Node deployed = new Node(new Of("0 0 0 * * *", "UTC", null, null, null, null, null, null));
        deployed.engine.sweep();
        next(Duration.ofMillis(-10));

        old.engine.sweep();

        assertThat(runs()).isOne();
        assertThat(old.view().next().atOffset(ZoneOffset.UTC).getHour()).isZero();
        assertThat(old.view().times()).isEqualTo("0 0 0 * * * in UTC");
    }

    @Test
    void anInstantIsSkippedWhileTheLastRunIsOpen() {
        gate = new CountDownLatch(1);
        Node node = node();
        node.engine.sweep();
        next(Duration.ofMillis(-10));
        node.engine.sweep();
        next(Duration.ofMillis(-5));

        node.engine.sweep();

        assertThat(runs()).isOne();
        assertThat(node.view().skipped()).isOne();
        assertThat(node.view().skippedWhy()).isEqualTo("The run of the previous firing had not ended.");
    }

    /** Otherwise one run that waits for a person would stop the schedule for ever. */
    @ParameterizedTest
    @EnumSource(names = {"PARKED", "BLOCKED", "IN_DOUBT", "COMPENSATION_FAILED"})
    void aRunThatWaitsForAPersonDoesNotStopItsSchedule(RunState state) {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofMillis(-10));
        node.engine.sweep();
        awaitEnd(node, lastRun(node));
        jdbc.sql("UPDATE saga_run SET state = ?, ended_at = NULL, due_at = NULL").param(state.text()).update();
        next(Duration.ofMillis(-5));

        node.engine.sweep();

        assertThat(runs()).isEqualTo(2);
        assertThat(node.view().skipped()).isZero();
    }

    @Test
    void theLatestInstantWaitsForTheEndOfTheLastRun() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.QUEUE_ONE, null);
        node.engine.sweep();
        next(Duration.ofMillis(-30));
        node.engine.sweep();
        next(Duration.ofMillis(-20));
        node.engine.sweep();
        Instant latest = next(Duration.ofMillis(-10));
        node.engine.sweep();
        assertThat(node.view().queued()).isEqualTo(latest);
        assertThat(runs()).isOne();

        gate.countDown();
        awaitEnd(node, lastRun(node));
        // Another node starts what waits, as after a crash of the first one.
        node(null, Overlap.QUEUE_ONE, null).engine.sweep();

        await().atMost(SOON).until(() -> firings.size() == 2);
        assertThat(firings.get(1).at()).isEqualTo(latest);
        assertThat(node.view().queued()).isNull();
        assertThat(node.view().skipped()).isOne();
    }

    @Test
    void anInstantCancelsTheLastRunAndFiresAfterItsEnd() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.CANCEL, null);
        node.engine.sweep();
        next(Duration.ofMillis(-30));
        node.engine.sweep();
        RunId first = lastRun(node);
        await().atMost(SOON).until(() -> firings.size() == 1);
        Instant second = next(Duration.ofMillis(-10));

        node.engine.sweep();
        assertThat(node.runs.store().findRow(first).orElseThrow().cancelReason())
                .isEqualTo("The schedule 'tick' has fired again.");
        assertThat(runs()).isOne();
        gate.countDown();
        awaitEnd(node, first);
        node.engine.sweep();

        await().atMost(SOON).until(() -> firings.size() == 2);
        assertThat(firings.get(1).at()).isEqualTo(second);
    }

    @Test
    void runsMayOverlapIfTheyAreAllowedTo() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.ALLOW, null);
        node.engine.sweep();
        for (int each = 1; each <= 3; each++) {
            next(Duration.ofMillis(-10 * each));
            node.engine.sweep();
        }

        assertThat(runs()).isEqualTo(3);
    }

    @Test
    void aDelayCountsFromTheEndOfTheLastRun() {
        gate = new CountDownLatch(1);
        Node node = node(null, null, "1h");
        node.engine.sweep();
        next(Duration.ofMillis(-10));
        node.engine.sweep();
        RunId first = lastRun(node);
        assertThat(node.view().next()).isNull();
        node.engine.sweep();
        assertThat(runs()).isOne();

        gate.countDown();
        awaitEnd(node, first);
        node.engine.sweep();

        Instant ended = Objects.requireNonNull(
                node.runs.store().findRow(first).orElseThrow().endedAt());
        assertThat(node.view().next()).isEqualTo(ended.plus(Duration.ofHours(1)));
        assertThat(runs()).isOne();
    }

    @Test
    void instantsThatPassDuringAPauseAreGone() {
        Node node = node();
        node.engine.sweep();
        assertThat(node.schedules.pause("tick", "bank holiday", "ada")).isTrue();
        assertThat(node.schedules.pause("tick", "again", "eve")).isFalse();
        next(Duration.ofHours(-3));

        node.engine.sweep();
        assertThat(runs()).isZero();
        assertThat(node.view().paused()).isTrue();
        assertThat(node.view().pausedBy()).isEqualTo("ada");
        assertThat(node.view().pausedWhy()).isEqualTo("bank holiday");
        assertThat(node.view().next()).isNull();

        assertThat(node.schedules.resume("tick", "eve")).isTrue();
        assertThat(node.schedules.resume("tick", "eve")).isFalse();
        node.engine.sweep();
        assertThat(runs()).isZero();
        assertThat(node.view().skipped()).isZero();
        assertThat(node.view().next()).isAfter(databaseTime());
        assertThat(node.view().changedBy()).isEqualTo("eve");
    }

    @Test
    void aPersonMayTriggerAPausedSchedule() {
        Node node = node();
        node.engine.sweep();
        Instant next = Objects.requireNonNull(node.view().next());
        node.schedules.pause("tick", "bank holiday", "ada");

        TriggerResult result = node.schedules.trigger("tick", "eve");

        assertThat(result.run()).isNotNull();
        await().atMost(SOON).until(() -> firings.size() == 1);
        assertThat(firings.get(0).triggered()).isTrue();
        node.schedules.resume("tick", "ada");
        assertThat(node.view().next()).isEqualTo(next);
        assertThat(node.view().last()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void theOverlapDecidesWhatATriggerDoesDuringARun(Overlap overlap) {
        gate = new CountDownLatch(1);
        Node node = node(null, overlap, null);
        node.engine.sweep();
        RunId first = Objects.requireNonNull(node.schedules.trigger("tick", "ada").run());
        await().atMost(SOON).until(() -> firings.size() == 1);

        TriggerResult second = node.schedules.trigger("tick", "eve");

        switch (overlap) {
            case ALLOW -> assertThat(second.run()).isNotNull();
            case SKIP -> assertThat(second.because())
                    .isEqualTo("Run %s of the previous firing has not ended, and overlap is SKIP.".formatted(first));
            case QUEUE_ONE, CANCEL -> {
                assertThat(second.because()).isEqualTo("The firing waits until run %s has ended.".formatted(first));
                gate.countDown();
                awaitEnd(node, first);
                node.engine.sweep();
                await().atMost(SOON).until(() -> firings.size() == 2);
                assertThat(firings.get(1).triggered()).isTrue();
            }
        }
        gate.countDown();
        assertThat(runs()).isEqualTo(overlap == Overlap.SKIP ? 1 : 2);
    }

    @Test
    void aBackfillStartsTheInstantsOfThePastThatHaveNoRun() {
        Node node = node();
        node.engine.sweep();
        Instant now = databaseTime();

        BackfillResult first =
                node.schedules.backfill("tick", now.minus(Duration.ofHours(3)), now, Overlap.ALLOW, "ada");
        BackfillResult second =
                node.schedules.backfill("tick", now.minus(Duration.ofHours(5)), now, Overlap.ALLOW, "ada");

        assertThat(first).isEqualTo(new BackfillResult(3, 0, 0));
        assertThat(second).isEqualTo(new BackfillResult(2, 0, 3));
        await().atMost(SOON).until(() -> firings.size() == 5);
        assertThat(node.view().next()).isAfter(now);
    }

    @Test
    void aBackfillMayRunOneAfterTheOther() {
        gate = new CountDownLatch(1);
        Node node = node();
        node.engine.sweep();
        Instant now = databaseTime();

        BackfillResult result =
                node.schedules.backfill("tick", now.minus(Duration.ofHours(3)), now, Overlap.QUEUE_ONE, "ada");

        assertThat(result).isEqualTo(new BackfillResult(0, 3, 0));
        node.engine.sweep();
        assertThat(runs()).isOne();
        gate.countDown();
        for (int each = 2; each <= 3; each++) {
            awaitEnd(node, lastRun(node));
            node.engine.sweep();
            assertThat(runs()).isEqualTo(each);
        }
        await().atMost(SOON).until(() -> firings.size() == 3);
        assertThat(firings).extracting(Firing::at).isSorted();
        awaitEnd(node, lastRun(node));
        node.engine.sweep();
        assertThat(runs()).isEqualTo(3);
    }

    @Test
    void aBackfillThatCannotCompleteIsRefused() {
        Node node = node();
        node.engine.sweep();
        Instant now = databaseTime();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.schedules.backfill("tick", now, now, Overlap.SKIP, "ada"))
                .withMessage("A backfill with overlap=SKIP would complete only one run. Use ALLOW or QUEUE_ONE.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.schedules.backfill("tick", now, now.plusSeconds(60), Overlap.ALLOW, "ada"))
                .withMessageContaining("which is in the future");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.schedules.backfill(
                        "tick", now.minus(Duration.ofDays(100)), now, Overlap.ALLOW, "ada"))
                .withMessageContaining("more than 1,000 instants");
        assertThat(runs()).isZero();
    }

    @Test
    void theNextInstantsAreShown() {
        Node node = node();
        node.engine.sweep();

        List<Instant> next = node.schedules.next("tick", 5);

        assertThat(next).hasSize(5).isSorted().doesNotHaveDuplicates();
        assertThat(next.get(0)).isEqualTo(node.view().next());
    }

    @Test
    void onlyAScheduleThatIsNotDeclaredHereCanBeRemoved() {
        Node node = node();
        node.engine.sweep();
        jdbc.sql("INSERT INTO saga_schedule (name, run, spec, missed, missed_window, overlap, changed_at, changed_by) "
                        + "VALUES ('old', 'gone', 'rate PT1H', 'LATEST', 1, 'SKIP', now(), 'node')")
                .update();

        assertThat(node.schedules.list()).extracting(ScheduleView::known).containsExactly(false, true);
        assertThat(node.schedules.remove("old", "ada")).isTrue();
        assertThat(node.schedules.remove("old", "ada")).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.schedules.remove("tick", "ada"))
                .withMessageContaining("is declared on this node");
        assertThatExceptionOfType(NoSuchScheduleException.class)
                .isThrownBy(() -> node.schedules.pause("old", "why", "ada"));
    }

    @Test
    void aScheduleThatNoNodeDeclaresDoesNotFire() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofMillis(-10));

        Node without = new Node(new Of(null, null, "off", null, null, null, null, null));
        without.engine.sweep();

        assertThat(runs()).isZero();
        assertThat(without.view().known()).isFalse();
    }
}
