package io.sagaspring.due;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.due.DueWork.Settings;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Ticks;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Due work is done at least once, by one node at a time, and never tried for ever. */
class DueWorkTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final HikariDataSource connections = Pool.of(database);
    private static final SagaSchema schema = new SchemaInstaller(connections, null).migrate();
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final Retries RARELY = new Retries(3, Duration.ofHours(1), Duration.ofHours(2));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<DueWork> nodes = new ArrayList<>();
    private final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), Ticks.OF_THIS_MACHINE);

    @AfterAll
    static void drop() {
        connections.close();
        database.close();
    }

    @BeforeEach
    void nothingIsDue() {
        jdbc.sql("DELETE FROM saga_due").update();
    }

    @AfterEach
    void stop() {
        nodes.forEach(DueWork::stop);
        threads.shutdownNow();
        keeper.close();
    }

    private interface Work {
        void on(DueItem item) throws Exception;
    }

    private DueWork node(Work work) {
        return node(2, Duration.ofSeconds(30), RARELY, threads, work);
    }

    private DueWork node(int concurrency, Duration lease, Retries retries, Executor executor, Work work) {
        return node(
                new Settings(
                        concurrency,
                        Duration.ofMillis(20),
                        lease,
                        Duration.ofMinutes(1),
                        Duration.ofMillis(10),
                        retries),
                executor,
                work);
    }

    private DueWork node(Settings settings, Executor executor, Work work) {
        DueHandler handler = new DueHandler() {
            @Override
            public Set<String> queues() {
                return Set.of("mail");
            }

            @Override
            public void handle(DueItem item) throws Exception {
                work.on(item);
            }
        };
        DueWork made = new DueWork(
                schema, "node", new OwnTransactions(connections), keeper, List.of(handler), executor, settings);
        nodes.add(made);
        return made;
    }

    private static void schedule(DueWork node, String queue, String key) {
        try (Connection connection = connections.getConnection()) {
            node.schedule(connection, queue, key, "payload of " + key);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    void whatIsDueIsDoneOnceAndRemoved() {
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
    void whatFailsIsTriedAgainAfterGrowingPausesAndParkedAtLast() {
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
        assertThat(node.parked(10)).singleElement().satisfies(parked -> {
            assertThat(parked.attempts()).isEqualTo(3);
            assertThat(parked.lastError()).contains("attempt 3").contains("DueWorkTests");
        });
    }

    /** A deployment is nobody's fault: no pause, no attempt lost, no waiting for a lease. */
    @Test
    void whatAClosingNodeInterruptsIsDoneByAnotherAtOnce() throws Exception {
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
    void aClosingNodeWaitsForWhatEndsInTime() throws Exception {
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
    @ExpectsErrors("no attempt is left")
    void whatWasParkedIsDoneWhenAPersonRetriesIt() {
        AtomicInteger attempts = new AtomicInteger();
        DueWork node = node(
                2, Duration.ofSeconds(30), new Retries(1, Duration.ofHours(1), Duration.ofHours(1)), threads, item -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("offline");
                    }
                });
        schedule(node, "mail", "a");
        node.start();
        await().until(() -> node.parked(1).size() == 1);

        assertThat(node.retry(node.parked(1).get(0).id())).isTrue();

        await().until(() -> rows() == 0);
        assertThat(node.retry(1)).isFalse();
    }

    @Test
    @ExpectsErrors("no attempt is left")
    void parkedWorkThatIsGivenUpIsNeverDone() {
        DueWork node = node(
                2, Duration.ofSeconds(30), new Retries(1, Duration.ofHours(1), Duration.ofHours(1)), threads, item -> {
                    throw new IllegalStateException("offline");
                });
        schedule(node, "mail", "a");
        long waiting = jdbc.sql("SELECT id FROM saga_due").query(Long.class).single();
        assertThat(node.giveUp(waiting, "'ada'")).isEmpty();
        node.start();
        await().until(() -> node.parked(1).size() == 1);

        assertThat(node.giveUp(waiting, "'ada'"))
                .hasValueSatisfying(work -> assertThat(work.lastError()).contains("offline"));

        assertThat(rows()).isZero();
        assertThat(node.giveUp(waiting, "'ada'")).isEmpty();
    }

    @Test
    void workWithoutAHandlerIsListedAndGivenUpWhileNoNodeExecutesIt() {
        DueWork node = node(item -> {});
        schedule(node, "mail", "a");
        schedule(node, "gone", "b");
        schedule(node, "gone", "c");
        jdbc.sql("UPDATE saga_due SET due_at = clock_timestamp() + INTERVAL '1 minute' WHERE work_key = 'c'")
                .update();
        long known = id("a");
        long unhandled = id("b");
        long executed = id("c");

        assertThat(node.unhandled(10))
                .extracting(UnhandledWork::id, UnhandledWork::queue, UnhandledWork::key)
                .containsExactly(tuple(unhandled, "gone", "b"));
        assertThat(node.unhandled(0)).isEmpty();
        assertThat(node.giveUp(known, "'ada'")).isEmpty();
        assertThat(node.giveUp(executed, "'ada'")).isEmpty();
        assertThat(node.giveUp(unhandled, "'ada'"))
                .hasValueSatisfying(work -> assertThat(work.queue()).isEqualTo("gone"));

        assertThat(node.unhandled(10)).isEmpty();
        assertThat(rows()).isEqualTo(2);
    }

    private long id(String key) {
        return jdbc.sql("SELECT id FROM saga_due WHERE work_key = ?")
                .param(key)
                .query(Long.class)
                .single();
    }

    @Test
    void dueWorkThatNobodyKnowsIsCounted() {
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
    void aLargeQueueHidesNoSmallOne() {
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
    @ExpectsErrors("every attempt ended with its node")
    void whatKillsItsNodeEveryTimeIsParked() {
        AtomicInteger begun = new AtomicInteger();
        // Each time the node is gone before it could say anything.
        DueWork node = node(10, Duration.ofMillis(50), RARELY, work -> begun.incrementAndGet(), item -> {});
        schedule(node, "mail", "a");
        node.start();

        await().until(() -> node.parked(10).size() == 1);
        assertThat(begun).hasValue(3);
        assertThat(node.parked(10).get(0).attempts()).isEqualTo(3);
    }

    @Test
    void aLeaseIsKeptWhileItsWorkRuns() throws Exception {
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
    void anotherNodeTakesOverWhenTheLeaseIsOverAndTheFirstIsTold() throws Exception {
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
        // What the first one says in the end changes nothing.
        await().until(() -> keeper.holds().isEmpty());
        assertThat(rows()).isZero();
    }

    @Test
    void onlyAsMuchIsPickedUpAsThereAreFreeSlots() throws Exception {
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
    void afterAStopNothingMoreIsPickedUpAlsoWhenASlotBecomesFree() throws Exception {
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

    @Test
    void whatTheExecutorRefusesIsGivenBackAsIfNobodyHadPickedItUp() {
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
    void aThreadThatCannotBeMadeDoesNotEndTheSearchForWork() {
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
    void whatThisNodeDoesNotKnowIsLeftToOthers() {
        DueWork node = node(item -> {});
        schedule(node, "unknown", "other");
        schedule(node, "mail", "a");
        node.start();

        await().until(() -> keys().equals(List.of("other")));
        assertThat(pickedUp()).isZero();
    }

    @Test
    void errorsThatCannotBeStoredAsTheyAreAreStoredAsFarAsTheyCan() {
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
    void aFailureThatCannotEvenBePrintedIsAFailure() {
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
    void whatRollsBackIsNeverDue() throws SQLException {
        DueWork node = node(item -> {});
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            node.schedule(connection, "mail", "never", "");
            connection.rollback();
        }

        assertThat(rows()).isZero();
    }

    private static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_due").query(Integer.class).single();
    }

    private static List<String> keys() {
        return jdbc.sql("SELECT work_key FROM saga_due").query(String.class).list();
    }

    private static int pickedUp() {
        return jdbc.sql("SELECT count(*) FROM saga_due WHERE token IS NOT NULL")
                .query(Integer.class)
                .single();
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

    private static Duration pause() {
        return Duration.ofMillis(
                jdbc.sql("SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::bigint FROM saga_due")
                        .query(Long.class)
                        .single());
    }

    private static void makeDue() {
        jdbc.sql("UPDATE saga_due SET due_at = clock_timestamp()").update();
    }

    /** As if the pause were over after which all that was refused is picked up again. */
    private static void passPause() {
        await().until(() -> jdbc.sql(
                        "SELECT count(*) = 0 FROM saga_due WHERE token IS NOT NULL OR due_at <= clock_timestamp()")
                .query(Boolean.class)
                .single());
        makeDue();
    }

    private static void awaitError(String text) {
        await().until(() -> jdbc.sql("SELECT count(*) FROM saga_due WHERE last_error LIKE ?")
                        .param("%" + text + "%")
                        .query(Integer.class)
                        .single()
                == 1);
    }
}
