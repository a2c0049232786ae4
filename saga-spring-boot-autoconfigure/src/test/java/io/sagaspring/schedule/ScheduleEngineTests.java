package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schedule.ScheduleRow.Change;
import io.sagaspring.schedule.ScheduleSettings.Of;
import io.sagaspring.schedule.ScheduleState.Skips;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which instants of a schedule fire, on one and on several nodes. */
class ScheduleEngineTests extends SchedulesOnPostgres {

    @Test
    void aNewScheduleDoesNotFireBeforeItsFirstInstant() {
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
        assertThat(jdbc.sql("SELECT start_key FROM saga_run")
                        .query(String.class)
                        .single())
                .isEqualTo("schedule:tick@" + instant);
        assertThat(all.get(0).view().last()).isEqualTo(instant);
    }

    /**
     * The key of the run is the second guard. It prevents a second firing of an instant even if the row of the schedule
     * allows this firing.
     */
    @Test
    void anInstantDoesNotFireAgainEvenIfItsScheduleIsSetBack() {
        Node node = node();
        node.engine.sweep();
        Instant instant = next(Duration.ofMillis(-10));
        node.engine.sweep();

        jdbc.sql("UPDATE saga_schedule SET next_at = ?")
                .param(instant.atOffset(ZoneOffset.UTC))
                .update();
        gate = new CountDownLatch(0);
        awaitEnd(node, lastRun(node));
        node.engine.sweep();

        assertThat(runs()).isOne();
        assertThat(firings).hasSize(1);
    }

    /**
     * The row of the schedule is the first guard. After the retention, the run and its key have been removed, and the
     * instant still does not fire again.
     */
    @Test
    void anInstantDoesNotFireAgainAfterItsRunHasBeenRemoved() {
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

    /** Other nodes may be slow and still fire the late instants. If they do not, no node was up. */
    @Test
    void aNodeThatHasJustStartedFirstLeavesLateInstantsToOtherNodes() {
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

    /** On a busy machine, each search of a young node may find that the next instant has come. */
    @Test
    void aNodeMissesNothingIfAnInstantComesBetweenItsFirstTwoSearches() {
        node(null, Overlap.ALLOW, null).engine.sweep();
        next(Duration.ofMillis(-10));
        patience = Duration.ofHours(1);
        AtomicInteger searches = new AtomicInteger();
        beforeLook = () -> {
            if (searches.incrementAndGet() == 2) {
                comeAndPass();
            }
        };

        node(null, Overlap.ALLOW, null).engine.sweep();

        assertThat(runs()).isEqualTo(2);
    }

    @Test
    void aNodeMissesNothingIfAnInstantComesBetweenTheDeclarationAndTheFirstSearch() {
        patience = Duration.ofHours(1);
        AtomicInteger searches = new AtomicInteger();
        beforeLook = () -> {
            if (searches.incrementAndGet() == 1) {
                comeAndPass();
            }
        };

        node().engine.sweep();

        assertThat(runs()).isOne();
    }

    @Test
    void aChangedExpressionNeverFiresAnInstantOfThePast() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofHours(-50));

        Node deployed = new Node(new Of("0 0 0 * * *", "UTC", null, null, null, null, null, null, null));
        deployed.engine.sweep();

        assertThat(runs()).isZero();
        assertThat(deployed.view().next()).isAfter(databaseTime());
        assertThat(deployed.view().times()).isEqualTo("0 0 0 * * * in UTC");
    }

    /** The last instant may be in the past, or, if the database clock was set back, in the future. */
    @ParameterizedTest
    @CsvSource({
        "2026-05-01T00:00:30Z, 2026-05-01T12:01:00Z",
        "2026-05-01T12:00:00Z, 2026-05-01T12:01:00Z",
        "2026-05-01T13:00:00Z, 2026-05-01T13:01:00Z",
    })
    void changedTimesBeginAfterTheCurrentTimeAndAfterTheLastInstant(Instant last, Instant expected) {
        Instant now = Instant.parse("2026-05-01T12:00:30Z");
        ScheduleState state = new ScheduleState(last.minusSeconds(1), last, null, null, null, false, Skips.NONE, null);
        ScheduleRow stored = new ScheduleRow("tick", terms(Duration.ofHours(1)), state, 1, new Change(last, "node"));

        assertThat(ScheduleEngine.first(terms(Duration.ofMinutes(1)), stored, now)
                        .nextAt())
                .isEqualTo(expected);
        assertThat(ScheduleEngine.first(stored.terms(), stored, now)).isEqualTo(state);
    }

    private static ScheduleTerms terms(Duration rate) {
        return new ScheduleTerms(
                "tick", new ScheduleSpec.Rate(rate), Missed.LATEST, Duration.ofDays(1), Overlap.SKIP, null);
    }

    @Test
    void aDeploymentThatKeepsTheTimesStillFiresTheLatestMissedInstant() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofHours(-50));

        Node deployed = node(null, Overlap.ALLOW, null);
        deployed.engine.sweep();

        assertThat(runs()).isOne();
    }

    /** A node of the old version computes the next instant from the row, not from its own annotation. */
    @Test
    void aNodeOfTheOldVersionUsesTheTimesInTheRow() {
        Node old = node();
        old.engine.sweep();
        Node deployed = new Node(new Of("0 17 3 * * *", "UTC", null, null, null, null, null, null, null));
        deployed.engine.sweep();
        next(Duration.ofMillis(-10));

        old.engine.sweep();

        assertThat(runs()).isOne();
        assertThat(Objects.requireNonNull(old.view().next())
                        .atOffset(ZoneOffset.UTC)
                        .getMinute())
                .isEqualTo(17);
        assertThat(old.view().times()).isEqualTo("0 17 3 * * * in UTC");
    }

    /** During a deployment, an older node declares the schedule, but not the queue that the stored schedule names. */
    @Test
    void aNodeThatDoesNotDeclareTheQueueOfAScheduleLeavesItToOthers() {
        Node old = node();
        old.engine.sweep();
        next(Duration.ofMillis(-10));
        jdbc.sql("UPDATE saga_schedule SET queue = 'slow'").update();

        assertThat(old.engine.sweep()).isZero();

        assertThat(runs()).isZero();
    }

    @Test
    void aScheduleThatNoNodeDeclaresDoesNotFire() {
        Node node = node();
        node.engine.sweep();
        next(Duration.ofMillis(-10));

        Node without = new Node(new Of(null, null, "off", null, null, null, null, null, null));
        without.engine.sweep();

        assertThat(runs()).isZero();
        assertThat(without.view().known()).isFalse();
    }
}
