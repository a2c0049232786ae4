package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the ranges from the previous firing to the instant of a firing join without a gap and without an overlap. */
class ScheduleRangesTests extends SchedulesOnPostgres {

    private Instant fireAt(Node node, Duration fromNow) {
        Instant at = next(fromNow);
        node.engine.sweep();
        return at;
    }

    private Firing awaitFiring(int number) {
        await().atMost(SOON).until(() -> firings.size() >= number);
        return firings.get(number - 1);
    }

    private void awaitEndOfLastRun(Node node) {
        gate.countDown();
        awaitEnd(node, lastRun(node));
    }

    @Test
    void aFiringNamesTheInstantThatFiredBefore() {
        Node node = node();
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        assertThat(awaitFiring(1).previous()).isNull();
        awaitEndOfLastRun(node);

        fireAt(node, Duration.ofMillis(-20));

        assertThat(awaitFiring(2).previous()).isEqualTo(first);
    }

    @ParameterizedTest
    @EnumSource(names = {"QUEUE_ONE", "CANCEL"})
    void theRangeOfAnInstantThatWaitedBeginsAtTheFiringBefore(Overlap overlap) {
        gate = new CountDownLatch(1);
        Node node = node(null, overlap, null);
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-40));
        awaitFiring(1);
        fireAt(node, Duration.ofMillis(-30));
        Instant waits = fireAt(node, Duration.ofMillis(-20));
        assertThat(node.view().skipped()).isOne();

        awaitEndOfLastRun(node);
        node.engine.sweep();

        assertThat(awaitFiring(2)).isEqualTo(new Firing("tick", waits, false, first));
        awaitEndOfLastRun(node);
        fireAt(node, Duration.ofMillis(-10));
        assertThat(awaitFiring(3).previous()).isEqualTo(waits);
    }

    @Test
    void theRangeAfterASkippedInstantBeginsAtTheFiringBefore() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.SKIP, null);
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        fireAt(node, Duration.ofMillis(-20));
        assertThat(node.view().skipped()).isOne();
        awaitEndOfLastRun(node);

        fireAt(node, Duration.ofMillis(-10));

        assertThat(awaitFiring(2).previous()).isEqualTo(first);
    }

    @Test
    void theRangeAfterMissedInstantsBeginsAtTheFiringBefore() {
        Node node = node(Missed.NONE, null, null);
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        awaitFiring(1);
        awaitEndOfLastRun(node);
        fireAt(node, Duration.ofHours(-3));
        assertThat(node.view().skipped()).isPositive();

        fireAt(node, Duration.ofMillis(-10));

        assertThat(awaitFiring(2).previous()).isEqualTo(first);
    }

    @Test
    void theFirstFiringHasNoPreviousOneEvenIfInstantsWereSkipped() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.SKIP, null);
        node.engine.sweep();
        node.schedules.trigger("tick", "ada");
        assertThat(awaitFiring(1).previous()).isNull();
        fireAt(node, Duration.ofMillis(-20));
        assertThat(node.view().skipped()).isOne();
        awaitEndOfLastRun(node);

        fireAt(node, Duration.ofMillis(-10));

        assertThat(awaitFiring(2).previous()).isNull();
    }

    /** A node with an older version of the library does not store which instant has fired. */
    @Test
    void theRangeAfterAnUpgradeBeginsAtTheLatestInstant() {
        Node node = node();
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        awaitFiring(1);
        awaitEndOfLastRun(node);
        jdbc.sql("UPDATE saga_schedule SET fired_at = NULL").update();

        fireAt(node, Duration.ofMillis(-20));

        assertThat(awaitFiring(2).previous()).isEqualTo(first);
    }

    @Test
    void aTriggerDoesNotDivideARange() {
        gate = new CountDownLatch(1);
        Node node = node();
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        fireAt(node, Duration.ofMillis(-20));
        assertThat(node.view().skipped()).isOne();
        awaitEndOfLastRun(node);

        node.schedules.trigger("tick", "ada");
        assertThat(awaitFiring(2).previous()).isEqualTo(first);
        awaitEndOfLastRun(node);
        fireAt(node, Duration.ofMillis(-10));

        assertThat(awaitFiring(3).previous()).isEqualTo(first);
    }

    @Test
    void aTriggerThatWaitedDoesNotDivideARange() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.QUEUE_ONE, null);
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        Instant second = fireAt(node, Duration.ofMillis(-20));
        node.schedules.trigger("tick", "ada");
        awaitEndOfLastRun(node);

        node.engine.sweep();
        assertThat(awaitFiring(2)).isEqualTo(new Firing("tick", second, false, first));
        awaitEndOfLastRun(node);
        node.engine.sweep();

        assertThat(awaitFiring(3).triggered()).isTrue();
        assertThat(firings.get(2).previous()).isEqualTo(second);
        awaitEndOfLastRun(node);
        fireAt(node, Duration.ofMillis(-10));
        assertThat(awaitFiring(4).previous()).isEqualTo(second);
    }

    @ParameterizedTest
    @EnumSource(names = {"ALLOW", "QUEUE_ONE"})
    void theRangesOfABackfillJoinAndTheNextFiringIgnoresThem(Overlap overlap) {
        Node node = node();
        node.engine.sweep();
        Instant first = fireAt(node, Duration.ofMillis(-30));
        awaitFiring(1);
        awaitEndOfLastRun(node);
        Instant now = databaseTime();

        node.schedules.backfill("tick", now.minus(Duration.ofHours(3)), now, overlap, "ada");
        await().atMost(SOON).until(() -> {
            node.engine.sweep();
            return firings.size() == 4;
        });

        assertThat(firings.subList(1, 4)).allSatisfy(each -> {
            boolean isFirst = each.at().isBefore(now.minus(Duration.ofHours(2)));
            assertThat(each.previous()).isEqualTo(isFirst ? null : each.at().minus(Duration.ofHours(1)));
        });
        awaitEndOfLastRun(node);
        fireAt(node, Duration.ofMillis(-10));
        assertThat(awaitFiring(5).previous()).isEqualTo(first);
    }
}
