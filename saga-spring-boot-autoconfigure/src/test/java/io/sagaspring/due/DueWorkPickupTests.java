package io.sagaspring.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A node picks up only work for which it has a handler and a free slot. The backlog counts all due work. */
class DueWorkPickupTests extends DueWorkOnPostgres {

    @Test
    void workWithoutAHandlerCanBeGivenUpUnlessANodeExecutesIt() {
        DueWork node = node(item -> {});
        schedule(node, "mail", "a");
        schedule(node, "gone", "b");
        schedule(node, "gone", "c");
        jdbc.sql("UPDATE saga_due SET due_at = clock_timestamp() + INTERVAL '1 minute' WHERE work_key = 'c'")
                .update();
        long known = id("a");
        long unhandled = id("b");
        long executed = id("c");

        assertThat(node.unhandled(null, 10))
                .extracting(DueWork.Unhandled::id, DueWork.Unhandled::kind, DueWork.Unhandled::key)
                .containsExactly(tuple(unhandled, "gone", "b"));
        assertThat(node.unhandled(null, 0)).isEmpty();
        assertThat(node.giveUp(known, null, "'ada'")).isEmpty();
        assertThat(node.giveUp(executed, null, "'ada'")).isEmpty();
        assertThat(node.giveUp(unhandled, null, "'ada'"))
                .hasValueSatisfying(work -> assertThat(work.kind()).isEqualTo("gone"));

        assertThat(node.unhandled(null, 10)).isEmpty();
        assertThat(rows()).isEqualTo(2);
    }

    private long id(String key) {
        return jdbc.sql("SELECT id FROM saga_due WHERE work_key = ?")
                .param(key)
                .query(Long.class)
                .single();
    }

    @Test
    void theBacklogCountsWorkWithoutAHandler() {
        DueWork node = node(item -> {});
        schedule(node, "mail", "a");
        schedule(node, "gone", "b");
        schedule(node, "gone", "c");
        jdbc.sql("UPDATE saga_due SET due_at = due_at - INTERVAL '1 hour' WHERE queue = 'gone'")
                .update();

        assertThat(node.backlog())
                .extracting(Backlog::kind, Backlog::known, Backlog::due)
                .containsExactlyInAnyOrder(tuple("mail", true, 1), tuple("gone", false, 2));
        assertThat(node.backlog().stream().map(Backlog::oldest).max(Comparator.naturalOrder()))
                .hasValueSatisfying(oldest -> assertThat(oldest).isGreaterThan(Duration.ofMinutes(59)));
        assertThat(node.freeSlots()).isEqualTo(2);
        node.start();
        await().until(() -> rows() == 2);
        assertThat(node.backlog()).extracting(Backlog::kind).containsExactly("gone");
    }

    @Test
    void aLargeQueueDoesNotHideASmallQueue() {
        DueWork node = node(item -> {});
        for (String queue : List.of("mail", "gone")) {
            jdbc.sql("""
                    INSERT INTO saga_due (queue, work_key, payload, due_at)
                    SELECT ?, n, '', now() - INTERVAL '1 hour' FROM generate_series(1, 1500) AS n""").param(queue).update();
        }
        schedule(node, "also gone", "a");

        assertThat(node.backlog())
                .extracting(Backlog::kind, Backlog::known, Backlog::due)
                .containsExactlyInAnyOrder(
                        tuple("mail", true, 1_000), tuple("gone", false, 1_000), tuple("also gone", false, 1));
    }

    @Test
    void aNodePicksUpNoMoreWorkThanItHasFreeSlots() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        DueWork node = node(item -> {
            begun.countDown();
            goOn.await();
        });
        for (int number = 0; number < 5; number++) {
            schedule(node, "mail", "a" + number);
        }
        node.start();
        begun.await();

        assertThat(pickedUp()).isEqualTo(2);
        goOn.countDown();
        await().until(() -> rows() == 0);
    }

    @Test
    void workThatTheExecutorRefusesIsReleasedWithoutCostingAnAttempt() {
        AtomicInteger refused = new AtomicInteger();
        DueWork node = node(
                3,
                Duration.ofMinutes(10),
                RARELY,
                work -> {
                    refused.incrementAndGet();
                    throw new RejectedExecutionException("full");
                },
                item -> {});
        for (int number = 0; number < 3; number++) {
            schedule(node, "mail", "a" + number);
        }
        node.start();
        await().until(() -> refused.get() == 3);
        passPause();

        await().until(() -> refused.get() >= 6);
        node.close();
        assertThat(pickedUp()).isZero();
        assertThat(jdbc.sql("SELECT max(attempts) FROM saga_due")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void aFailedThreadCreationDoesNotEndTheSearchForWork() {
        AtomicInteger tries = new AtomicInteger();
        DueWork node = node(
                2,
                Duration.ofMinutes(10),
                RARELY,
                work -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    threads.execute(work);
                },
                item -> {});
        schedule(node, "mail", "a");
        node.start();
        passPause();

        await().until(() -> rows() == 0);
    }

    @Test
    void workWithoutAHandlerIsLeftToOtherNodes() {
        DueWork node = node(item -> {});
        schedule(node, "unknown", "other");
        schedule(node, "mail", "a");
        node.start();

        await().until(() -> keys().equals(List.of("other")));
        assertThat(pickedUp()).isZero();
    }

    /** Ends the pause that a node makes before it picks up rejected work again. */
    private static void passPause() {
        await().until(() -> jdbc.sql(
                        "SELECT count(*) = 0 FROM saga_due WHERE token IS NOT NULL OR due_at <= clock_timestamp()")
                .query(Boolean.class)
                .single());
        makeDue();
    }
}
