package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests what a person can do with a schedule. */
class ScheduleOperationsTests extends SchedulesOnPostgres {

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
        await().atMost(SOON).until(() -> {
            node.engine.sweep();
            return runs() == 3;
        });
        awaitEnd(node, lastRun(node));
        assertThat(firings).hasSize(3).extracting(Firing::at).isSorted();
        assertThat(jdbc.sql(
                                "SELECT count(*) FROM saga_run a JOIN saga_run b ON a.started_at < b.started_at AND b.started_at < a.ended_at")
                        .query(Long.class)
                        .single())
                .isZero();
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
                .isThrownBy(() -> node.schedules.backfill("tick", now, now.plusSeconds(600), Overlap.ALLOW, "ada"))
                .withMessageContaining("which is in the future");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        node.schedules.backfill("tick", now.minus(Duration.ofDays(100)), now, Overlap.ALLOW, "ada"))
                .withMessageContaining("more than 1,000 instants");
        for (Instant from : List.of(now.plusSeconds(1), Instant.MIN)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> node.schedules.backfill("tick", from, now, Overlap.ALLOW, "ada"))
                    .withMessage(
                            "The backfill begins at %s and ends at %s. Give a begin from 1970 or later that is not after the end.",
                            from, now);
        }
        assertThat(runs()).isZero();
    }

    /** The clock of the caller may be ahead of the database clock. */
    @Test
    void aBackfillNeverFiresAnInstantOfTheFuture() {
        Node node = node();
        node.engine.sweep();
        jdbc.sql("UPDATE saga_schedule SET spec = 'rate PT10S'").update();
        Instant now = databaseTime();

        node.schedules.backfill("tick", now, now.plusSeconds(50), Overlap.ALLOW, "ada");

        assertThat(runs()).isLessThanOrEqualTo(1);
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
}
