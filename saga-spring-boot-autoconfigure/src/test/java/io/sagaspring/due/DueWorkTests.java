package io.sagaspring.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Background work is done at least once, with a limited number of attempts. */
class DueWorkTests extends DueWorkOnPostgres {

    @Test
    void dueWorkIsDoneOnceAndRemoved() {
        AtomicInteger done = new AtomicInteger();
        DueWork node = node(item -> {
            assertThat(item.key()).isEqualTo("a");
            assertThat(item.payload()).isEqualTo("payload of a");
            assertThat(item.attempt()).isOne();
            done.incrementAndGet();
        });
        schedule(node, "mail", "a");
        node.start();

        await().until(() -> rows() == 0);
        assertThat(done).hasValue(1);
    }

    @Test
    @ExpectsErrors("no attempt is left")
    void failedWorkIsRetriedAfterGrowingPausesAndFinallyParked() {
        DueWork node = node(item -> {
            throw new IllegalStateException("attempt " + item.attempt());
        });
        schedule(node, "mail", "a");
        node.start();

        awaitError("attempt 1");
        assertThat(pause()).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(60));
        makeDue();
        awaitError("attempt 2");
        assertThat(pause()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(120));
        makeDue();
        awaitError("attempt 3");
        assertThat(node.parked(null, 10)).singleElement().satisfies(parked -> {
            assertThat(parked.attempts()).isEqualTo(3);
            assertThat(parked.lastError()).contains("attempt 3").contains("DueWorkTests");
        });
    }

    @Test
    @ExpectsErrors("no attempt is left")
    void parkedWorkIsDoneWhenAPersonRetriesIt() {
        AtomicInteger attempts = new AtomicInteger();
        DueWork node = node(
                2, Duration.ofSeconds(30), new Retries(1, Duration.ofHours(1), Duration.ofHours(1)), threads, item -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("offline");
                    }
                });
        schedule(node, "mail", "a");
        node.start();
        await().until(() -> node.parked(null, 1).size() == 1);

        assertThat(node.retry(node.parked(null, 1).get(0).id(), null, "a test")).isTrue();

        await().until(() -> rows() == 0);
        assertThat(node.retry(1, null, "a test")).isFalse();
    }

    @Test
    @ExpectsErrors("no attempt is left")
    void givingUpParkedWorkRemovesIt() {
        DueWork node = node(
                2, Duration.ofSeconds(30), new Retries(1, Duration.ofHours(1), Duration.ofHours(1)), threads, item -> {
                    throw new IllegalStateException("offline");
                });
        schedule(node, "mail", "a");
        long waiting = jdbc.sql("SELECT id FROM saga_due").query(Long.class).single();
        assertThat(node.giveUp(waiting, null, "'ada'")).isEmpty();
        node.start();
        await().until(() -> node.parked(null, 1).size() == 1);

        assertThat(node.giveUp(waiting, null, "'ada'"))
                .hasValueSatisfying(work -> assertThat(work.lastError()).contains("offline"));

        assertThat(rows()).isZero();
        assertThat(node.giveUp(waiting, null, "'ada'")).isEmpty();
    }

    @Test
    @ExpectsErrors("its node died or lost the lease")
    void workThatKillsItsNodeEveryTimeIsParked() {
        AtomicInteger begun = new AtomicInteger();
        // The executor drops the work. This looks as if the node had died before it reported a result.
        DueWork node = node(10, Duration.ofMillis(50), RARELY, work -> begun.incrementAndGet(), item -> {});
        schedule(node, "mail", "a");
        node.start();

        await().until(() -> node.parked(null, 10).size() == 1);
        assertThat(begun).hasValue(3);
        assertThat(node.parked(null, 10).get(0).attempts()).isEqualTo(3);
    }

    @Test
    void errorTextsAreStoredShortenedAndWithoutNulCharacters() {
        DueWork node = node(item -> {
            switch (item.key()) {
                case "nul" -> throw new IllegalStateException("before\0after");
                case "long" -> throw new IllegalStateException("x".repeat(1_000_000));
                case "surrogates" -> throw new IllegalStateException("\uD83D\uDE00".repeat(10_000));
                default -> throw new AssertionError("not an Exception");
            }
        });
        List.of("nul", "long", "surrogates", "error").forEach(key -> schedule(node, "mail", key));
        node.start();

        await().until(() -> failed() == 4);
        assertThat(error("nul")).contains("before after");
        assertThat(error("long")).hasSize(8_000);
        assertThat(error("surrogates")).contains("\uD83D\uDE00");
        assertThat(error("error")).contains("not an Exception");
    }

    @Test
    void anExceptionWithoutAReadableMessageCountsAsAFailure() {
        DueWork node = node(item -> {
            throw new IllegalStateException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    throw new IllegalStateException("no message either");
                }
            };
        });
        schedule(node, "mail", "a");
        node.start();

        await().until(() -> failed() == 1);
        assertThat(pause()).isGreaterThan(Duration.ofMinutes(25));
    }

    @Test
    void workWhoseTransactionRollsBackIsNeverDue() throws SQLException {
        DueWork node = node(item -> {});
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            node.schedule(connection, "mail", "never", "");
            connection.rollback();
        }

        assertThat(rows()).isZero();
    }

    private static int failed() {
        return jdbc.sql("SELECT count(*) FROM saga_due WHERE last_error IS NOT NULL")
                .query(Integer.class)
                .single();
    }

    private static String error(String key) {
        return jdbc.sql("SELECT last_error FROM saga_due WHERE work_key = ?")
                .param(key)
                .query(String.class)
                .single();
    }

    private static void awaitError(String text) {
        await().until(() -> jdbc.sql("SELECT count(*) FROM saga_due WHERE last_error LIKE ?")
                        .param("%" + text + "%")
                        .query(Integer.class)
                        .single()
                == 1);
    }
}
