package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests pauses, changed limits, declarations, lost permits and the depth of a queue. */
abstract class QueueControlContract extends QueueReplaceContract {

    @Test
    void nothingBeginsWhileAQueueIsPaused() {
        declare(RunQueue.named(queue).atOnce(2));
        RunId first = queued("", 0);
        RunId second = queued("", 0);
        assertThat(ids(take(1))).containsExactly(first);

        assertThat(queues().pause(queue, "maintenance", "ada")).isTrue();
        assertThat(queues().pause(queue, "again", "bob")).isFalse();
        assertThat(take(1)).isEmpty();
        assertThat(queues().untilNext(Set.of(queue), LONG)).isEmpty();
        QueueDepth.Decision pause = Objects.requireNonNull(depth().pause());
        assertThat(pause.by() + ": " + pause.why()).isEqualTo("ada: maintenance");
        assertThat(queues().resume(queue)).isTrue();
        assertThat(queues().resume(queue)).isFalse();
        assertThat(depth().isPaused()).isFalse();
        assertThat(ids(take(1))).containsExactly(second);
        assertThat(queues().pause(queue + "-unknown", "", "")).isFalse();
        assertThat(queues().resume(queue + "-unknown")).isFalse();
    }

    @Test
    void afterALimitWasLoweredNothingBeginsWhileMoreRunsExecute() {
        declare(RunQueue.named(queue).atOnce(5));
        List<RunId> started = queued(10);
        List<PickedUpRun> begun = take(10);
        assertThat(begun).hasSize(5);

        assertThat(queues().limits(queue, QueueLimits.atOnce(2), "slow", "ada")).isTrue();
        for (int each = 0; each < 3; each++) {
            end(begun.get(each));
            assertThat(take(10)).as("%d execute", 4 - each).isEmpty();
        }
        end(begun.get(3));
        assertThat(ids(take(10))).isEqualTo(started.subList(5, 6));
        assertThat(queues().limits(queue, QueueLimits.atOnce(4), "fast", "ada")).isTrue();
        assertThat(take(10)).hasSize(2);
        assertThat(depth().inUse()).isEqualTo(4);
        assertThat(queues().limits(queue + "-unknown", QueueLimits.atOnce(1), "", ""))
                .isFalse();
    }

    @Test
    void aNewLimitForEachKeyCountsTheRunsThatExecuteAlready() {
        declare(RunQueue.named(queue).atOnce(10));
        for (int each = 0; each < 6; each++) {
            RunId unused = queued("k", 0);
        }
        List<PickedUpRun> begun = take(3);
        assertThat(begun).hasSize(3);

        assertThat(queues().limits(queue, QueueLimits.atOnce(10).atOnceForEach(2), "slow", "ada"))
                .isTrue();
        assertThat(take(10)).isEmpty();
        end(begun.get(0));
        assertThat(take(10)).isEmpty();
        end(begun.get(1));
        assertThat(take(10)).hasSize(1);
        assertThat(take(10)).isEmpty();
    }

    @Test
    void onlyAChangedDeclarationReplacesAnOperatorsLimits() {
        RunQueue declaration = RunQueue.named(queue).atOnce(3);
        assertThat(queues().declare(declaration)).isEmpty();
        assertThat(queues().limits(queue, QueueLimits.atOnce(1), "slow", "ada")).isTrue();

        assertThat(queues().declare(declaration)).isEmpty();
        assertThat(depth().limits()).isEqualTo(QueueLimits.atOnce(1));
        assertThat(queues().declare(declaration.atOnce(4))).contains("at-once=1 by ada");
        assertThat(depth().limits()).isEqualTo(QueueLimits.atOnce(4));
        assertThat(depth().change()).isNull();
        RunId unused = queued("", 0);
        assertThat(take(1)).hasSize(1);
    }

    @Test
    void thePermitsOfRunsThatNoNodeContinuesAreFreed() {
        declare(RunQueue.named(queue).atOnce(1).atOnceForEach(1));
        RunId lost = queued("k", 0);
        RunLease dead = take(1).get(0).runLease();
        assertThat(queues().reclaim(Set.of(queue), LEASE)).isZero();
        pass(LEASE.plusSeconds(1));
        assertThat(queues().reclaim(Set.of(queue), LEASE)).isZero();
        pass(LEASE.plusSeconds(1));

        assertThat(queues().reclaim(Set.of(queue), LEASE)).isEqualTo(1);
        assertThat(depth().inUse()).isZero();
        assertThat(ended(dead)).isFalse();
        PickedUpRun again = take(1).get(0);
        assertThat(again.runLease().id()).isEqualTo(lost);
        assertThat(again.interrupted()).isTrue();
    }

    @Test
    void theDepthCountsWaitingAndExecutingRuns() {
        declare(RunQueue.named(queue).atOnce(2));
        assertThat(depth().oldest()).isZero();
        List<RunId> unused = queued(5);
        pass(LONG);
        assertThat(take(1)).hasSize(1);

        assertThat(depth().inUse()).isEqualTo(1);
        assertThat(depth().waiting()).isEqualTo(4);
        assertThat(depth().oldest()).isBetween(LONG, LONG.plusMinutes(1));
    }
}
