package io.sagaspring.due;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.due.DueWork.Settings;
import io.sagaspring.fence.Hold;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Background work is done by one node at a time. Another node takes over when the first node shuts down or loses its
 * lease.
 */
class DueWorkHandoverTests extends DueWorkOnPostgres {

    /**
     * A deployment is not a failure. The attempt is not counted, and the next node waits for neither a pause nor a
     * lease.
     */
    @Test
    void workThatAClosingNodeInterruptsIsDoneByAnotherNodeAtOnce() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        DueWork closing = node(item -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        schedule(closing, "mail", "a");
        closing.start();
        assertThat(begun.await(20, SECONDS)).isTrue();

        closing.close();
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        node(item -> attempts.add(item.attempt())).start();

        await().until(() -> rows() == 0);
        assertThat(attempts).containsExactly(1);
    }

    @Test
    void aClosingNodeWaitsForWorkThatEndsInTime() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        Settings patient = new Settings(
                2, Duration.ofMillis(20), Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofMinutes(1), RARELY);
        DueWork closing = node(patient, threads, item -> {
            begun.countDown();
            mayEnd.await();
            done.incrementAndGet();
        });
        schedule(closing, "mail", "a");
        closing.start();
        assertThat(begun.await(20, SECONDS)).isTrue();

        Future<?> close = threads.submit(closing::close);
        assertThat(done).hasValue(0);
        mayEnd.countDown();
        close.get(20, SECONDS);

        assertThat(done).hasValue(1);
        assertThat(rows()).isZero();
    }

    @Test
    void aLeaseIsRenewedWhileItsWorkRuns() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        DueWork node = node(item -> {
            begun.countDown();
            goOn.await();
        });
        schedule(node, "mail", "a");
        node.start();
        begun.await();
        jdbc.sql("UPDATE saga_due SET due_at = clock_timestamp() + INTERVAL '1 second'")
                .update();

        keeper.beat();

        assertThat(pause()).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(30));
        goOn.countDown();
        await().until(() -> rows() == 0);
    }

    @Test
    void workIsInterruptedWhenAnotherNodeTakesOverItsExpiredLease() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        DueWork frozen = node(1, Duration.ofSeconds(30), RARELY, threads, item -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupted.countDown();
            }
        });
        schedule(frozen, "mail", "a");
        frozen.start();
        begun.await();
        frozen.stop();
        Hold hold = keeper.holds().iterator().next();
        CountDownLatch again = new CountDownLatch(1);
        AtomicInteger attempt = new AtomicInteger();
        DueWork other = node(item -> {
            attempt.set(item.attempt());
            again.countDown();
        });
        makeDue();
        other.start();
        again.await();
        await().until(() -> rows() == 0);

        keeper.beat();

        assertThat(hold.stop()).isEqualTo(Hold.Stop.TAKEN);
        assertThat(interrupted.await(10, SECONDS)).isTrue();
        assertThat(attempt).hasValue(2);
        // The late result of the first node has no effect.
        await().until(() -> keeper.holds().isEmpty());
        assertThat(rows()).isZero();
    }

    @Test
    void aStoppedNodePicksUpNoWorkWhenASlotBecomesFree() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        DueWork node = node(1, Duration.ofSeconds(30), RARELY, threads, item -> {
            begun.countDown();
            goOn.await();
        });
        schedule(node, "mail", "first");
        node.start();
        begun.await();
        schedule(node, "mail", "second");

        node.stop();
        goOn.countDown();
        node.close();

        assertThat(keys()).containsExactly("second");
        assertThat(pickedUp()).isZero();
    }
}
