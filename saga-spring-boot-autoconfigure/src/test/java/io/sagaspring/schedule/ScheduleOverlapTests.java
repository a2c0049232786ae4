package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what a schedule does while the run of its last firing has not ended. */
class ScheduleOverlapTests extends SchedulesOnPostgres {

    @Test
    void anInstantIsSkippedWhileTheLastRunHasNotEnded() {
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
        jdbc.sql("UPDATE saga_run SET state = ?, ended_at = NULL, due_at = NULL")
                .param(state.text())
                .update();
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
        // Another node fires the waiting instant, as after a crash of the first node.
        node(null, Overlap.QUEUE_ONE, null).engine.sweep();

        await().atMost(SOON).until(() -> firings.size() == 2);
        assertThat(firings.get(1).at()).isEqualTo(latest);
        assertThat(node.view().queued()).isNull();
        assertThat(node.view().skipped()).isOne();
    }

    @Test
    void anInstantCancelsTheLastRunAndFiresAfterTheRunHasEnded() {
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
    void withOverlapAllowTheRunsOverlap() {
        gate = new CountDownLatch(1);
        Node node = node(null, Overlap.ALLOW, null);
        node.engine.sweep();
        for (int each = 1; each <= 3; each++) {
            next(Duration.ofMillis(-10L * each));
            node.engine.sweep();
        }

        assertThat(runs()).isEqualTo(3);
    }

    @Test
    void aFixedDelayCountsFromTheEndOfTheLastRun() {
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

    @ParameterizedTest
    @EnumSource
    void theOverlapSettingDecidesWhatATriggerDoesDuringARun(Overlap overlap) {
        gate = new CountDownLatch(1);
        Node node = node(null, overlap, null);
        node.engine.sweep();
        RunId first =
                Objects.requireNonNull(node.schedules.trigger("tick", "ada").run());
        await().atMost(SOON).until(() -> firings.size() == 1);

        TriggerResult second = node.schedules.trigger("tick", "eve");

        switch (overlap) {
            case ALLOW -> assertThat(second.run()).isNotNull();
            case SKIP ->
                assertThat(second.because())
                        .isEqualTo(
                                "Run %s of the previous firing has not ended, and overlap is SKIP.".formatted(first));
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
}
