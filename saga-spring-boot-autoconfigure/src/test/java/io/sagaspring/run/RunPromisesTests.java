package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.RunStore.NewRun;
import io.sagaspring.run.RunStore.Started;
import io.sagaspring.run.RunStore.Taken;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is promised holds at bad moments, too: while nodes close, answers are lost, and code catches what it should not. */
class RunPromisesTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final HikariDataSource connections = Pool.of(database);
    private static final SagaSchema schema = new SchemaInstaller(connections, null).migrate();
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final TransactionTemplate transaction =
            new TransactionTemplate(new JdbcTransactionManager(connections));
    private static final Duration SOON = Duration.ofSeconds(15);

    private final List<RunNode> nodes = new ArrayList<>();
    private final List<String> effects = new CopyOnWriteArrayList<>();

    @AfterAll
    static void drop() {
        connections.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        jdbc.sql("TRUNCATE saga_run, saga_step, saga_signal").update();
        jdbc.sql("CREATE TABLE IF NOT EXISTS effect (what text PRIMARY KEY)").update();
        jdbc.sql("TRUNCATE effect").update();
    }

    @AfterEach
    void close() {
        nodes.forEach(RunNode::close);
    }

    private RunNode node(Tale... tales) {
        return quietNode(tales).opened();
    }

    private RunNode quietNode(Tale... tales) {
        return added(new RunNode(schema, connections, "node-" + nodes.size(), tales));
    }

    private RunNode added(RunNode node) {
        nodes.add(node);
        return node;
    }

    private Tale tale(Tale.Code code) {
        return new Tale("tale", code);
    }

    private String effect(String what) {
        effects.add(what);
        return what;
    }

    private static long written() {
        return jdbc.sql("SELECT count(*) FROM effect").query(Long.class).single();
    }

    private static RunState stateOf(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().state();
    }

    private static void awaitState(RunNode node, RunId id, RunState state) {
        await().atMost(SOON).until(() -> stateOf(node, id) == state);
    }

    private static long count(RunNode node, RunEvent event) {
        return node.events.stream().filter(event::equals).count();
    }

    /** As if its node had died, and its lease were over. */
    private static void leaseIsOver(RunId id) {
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ?")
                .param(id.value())
                .update();
    }

    private static Stored stored(String json) {
        return new Stored("json", json.getBytes(StandardCharsets.UTF_8));
    }

    private static NewRun drivenHere() {
        return new NewRun(RunId.next(), "tale", null, stored("\"\""), stored("{}"), null, true);
    }

    private static Driven driven(Started started) {
        return new Driven(started.id(), Objects.requireNonNull(started.token()));
    }

    /** On connections of their own, since one of the nodes finds another clock on them. */
    @Test
    void whoTakesARunSeesWhatWasCommittedWhileItLooked() throws Exception {
        DataSource own = database.dataSource();
        RunNode late = added(new RunNode(schema, own, "late", tale((run, input) -> "")));
        RunNode next = added(new RunNode(schema, new Halting(own), "next", tale((run, input) -> "")));
        Driven driven = driven(late.store.start(drivenHere()));
        leaseIsOver(driven.id());

        CompletableFuture<List<Taken>> looking;
        try (Connection halting = own.getConnection();
                Statement halt = halting.createStatement()) {
            halt.execute("SELECT pg_advisory_lock(7)");
            looking = new TransactionTemplate(new JdbcTransactionManager(own)).execute(status -> {
                Standing unused = late.store.checkpoint(driven, List.of(Entry.done(0, "one", Call.STEP, null)));
                CompletableFuture<List<Taken>> taking =
                        CompletableFuture.supplyAsync(() -> next.store.take(Set.of("tale"), 1, 3));
                await().atMost(SOON).until(RunPromisesTests::hasBegunToLook);
                return taking;
            });
        }

        assertThat(looking.get(20, TimeUnit.SECONDS))
                .singleElement()
                .satisfies(each ->
                        assertThat(each.journal()).extracting(Entry::step).containsExactly("one"));
    }

    /**
     * Who looks asks the clock first, after its statement has begun and before it has found a row. Here that function waits:
     * the statement goes on when the lock is free.
     */
    private static final class Halting extends DelegatingDataSource {

        Halting(DataSource real) {
            super(real);
            jdbc.sql("CREATE SCHEMA IF NOT EXISTS halting").update();
            jdbc.sql("""
                    CREATE OR REPLACE FUNCTION halting.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
                    BEGIN
                        PERFORM pg_advisory_lock_shared(7), pg_advisory_unlock_shared(7);
                        RETURN pg_catalog.clock_timestamp();
                    END $$""").update();
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection open = super.getConnection();
            try (Statement first = open.createStatement()) {
                first.execute("SET search_path = halting, pg_catalog, public");
            }
            return open;
        }
    }

    private static boolean hasBegunToLook() {
        return jdbc.sql("""
                        SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database
                        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()""").query(Long.class).single() == 1;
    }

    @Test
    void whoIsToldThatItStartedARunWhichAnotherHasTakenDoesNotDriveIt() {
        RunNode first = quietNode(tale((run, input) -> ""));
        RunNode next = quietNode(tale((run, input) -> ""));
        NewRun asked = drivenHere();
        Started unheard = first.store.start(asked);
        assertThat(first.store.start(asked).token()).isEqualTo(unheard.token());
        leaseIsOver(asked.id());
        assertThat(next.store.take(Set.of("tale"), 1, 3)).hasSize(1);

        Started again = first.store.start(asked);

        assertThat(again.id()).isEqualTo(asked.id());
        assertThat(again.token()).isNull();
    }

    @Test
    void aStepIsRetriedAlthoughTheCodeHasLookedAtItsFailure() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            try {
                run.step("one", () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("no stock");
                    }
                });
            } catch (StepFailedException failed) {
                throw new IllegalStateException("failed at " + run.now(), failed);
            }
            return run.step("two", String.class, () -> effect("two"));
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.FAILED);

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("two");
        assertThat(tries).hasValue(2);
    }

    @Test
    void aStepIsRetriedAlthoughItsFailureWasNoCauseOfTheEnd() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            try {
                run.step("one", () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("no stock");
                    }
                });
            } catch (StepFailedException failed) {
                throw new IllegalStateException("sold out");
            }
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.FAILED);

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    @Test
    void whoTidiesUpAfterItsDeadlineWaitsAsLongAsItAsksFor() {
        RunNode node = node(tale((run, input) -> {
            try {
                run.awaitSignal("never", String.class);
            } catch (RunStoppedException stopped) {
                run.sleep("settle", Duration.ofMillis(500));
            }
            return "";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(100)));

        awaitState(node, handle.id(), RunState.FAILED);
        assertThat(count(node, RunEvent.TAKEN_UP)).isLessThan(5);
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunIsBlockedHoweverOftenItIsLookedAt() throws Exception {
        Tale.Code code = (run, input) -> run.awaitSignal("go", String.class);
        Tale tale = tale(code);
        RunNode node = node(tale);
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);
        tale.becomes((run, input) -> run.step("renamed", String.class, () -> effect("renamed")));
        node.runs.signal(handle.id(), "go", "went");
        awaitState(node, handle.id(), RunState.BLOCKED);

        await().atMost(SOON).until(() -> {
            RunState unused = node.runs.resume(handle.id());
            return count(node, RunEvent.TAKEN_UP) > 6 || stateOf(node, handle.id()) == RunState.PARKED;
        });
        tale.becomes(code);
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("went");
        assertThat(node.events).doesNotContain(RunEvent.PARKED);
    }

    /** Nodes of two versions work side by side while one is deployed, and when it is rolled back. */
    @Test
    @ExpectsErrors("Blocked run")
    void aJournalOfALaterVersionIsLeftToItAndHoldsUpNobody() throws Exception {
        Tale tale = tale((run, input) -> run.awaitSignal("go", String.class));
        RunNode node = node(tale);
        RunHandle<String> call = node.runs.start(Tale.class, "");
        RunHandle<String> mark = node.runs.start(Tale.class, "");
        RunHandle<String> readable = node.runs.start(Tale.class, "");
        Stream.of(call, mark, readable).forEach(each -> awaitState(node, each.id(), RunState.WAITING));
        jdbc.sql("UPDATE saga_step SET call = 'FORK' WHERE run_id = ?")
                .param(call.id().value())
                .update();
        jdbc.sql("UPDATE saga_step SET mark = 'FORKED' WHERE run_id = ?")
                .param(mark.id().value())
                .update();

        Stream.of(call, mark, readable).forEach(each -> node.runs.signal(each.id(), "go", "went"));

        assertThat(readable.await(SOON)).isEqualTo("went");
        awaitState(node, call.id(), RunState.BLOCKED);
        awaitState(node, mark.id(), RunState.BLOCKED);
        assertThat(node.runs.find(call.id()).orElseThrow().error()).contains("a later version");
        jdbc.sql("UPDATE saga_step SET call = 'SIGNAL', mark = 'WAITING' WHERE position = 0")
                .update();
        await().atMost(SOON).until(() -> {
            node.runs.resume(call.id());
            return stateOf(node, call.id()) == RunState.COMPLETED;
        });
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunThatWasToldToStopInALaterVersionsWayIsLeftToIt() {
        RunNode node = node(tale((run, input) -> {
            run.awaitSignal("go", String.class);
            return run.step("two", String.class, () -> effect("two"));
        }));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);
        jdbc.sql("UPDATE saga_step SET call = 'STOP', mark = 'PAUSED' WHERE run_id = ?")
                .param(id.value())
                .update();

        node.runs.signal(id, "go", "went");

        awaitState(node, id, RunState.BLOCKED);
    }

    @Test
    void aRunThatWasNotOverInTimeGoesOnWhenItIsRetried() throws Exception {
        RunNode node = node(tale((run, input) -> run.awaitSignal("late", String.class)));
        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(100)));
        awaitState(node, handle.id(), RunState.FAILED);

        assertThat(node.runs.retry(handle.id())).isTrue();
        awaitState(node, handle.id(), RunState.WAITING);
        node.runs.signal(handle.id(), "late", "better late than never");

        assertThat(handle.await(SOON)).isEqualTo("better late than never");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoClosesEndsTheStepThatItIsInAndLeavesTheNextToAnother(boolean transactional) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        RunNode closing = added(RunNode.patient(schema, connections, "closing", tale((run, input) -> {
            run.step("one", () -> {
                entered.countDown();
                ends.await();
                effect("one");
            });
            return next(run, transactional, "two, by who closes");
        })));
        RunHandle<String> handle = closing.opened().runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        Thread closer = new Thread(closing.runs::close);
        closer.start();
        // Only while it waits for what is driven.
        await().atMost(SOON).until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        assertThat(effects).isEmpty();
        ends.countDown();
        closer.join(SOON.toMillis());
        assertThat(closer.isAlive()).isFalse();
        assertThat(effects).containsExactly("one");
        // Told when the slot is free again, for which the close has waited.
        awaitEvent(closing, RunEvent.LEFT);

        RunNode next = node(tale((run, input) -> {
            run.step("one", () -> effect("one again"));
            return next(run, transactional, "two, by the next");
        }));
        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("two, by the next");
        assertThat(effects).containsExactly("one", "two, by the next");
        assertThat(next.runs.find(handle.id()).orElseThrow().attempt()).isOne();
    }

    @Test
    void whoseSlotsAreAllTakenIsGivenTimeToEndItsSteps() throws Exception {
        CountDownLatch entered = new CountDownLatch(4);
        CountDownLatch ends = new CountDownLatch(1);
        RunNode closing = added(RunNode.patient(schema, connections, "full", tale((run, input) -> {
            run.step("slow", () -> {
                entered.countDown();
                ends.await();
                effect("ended");
            });
            return "";
        })));
        closing.runs.stop();
        for (int each = 0; each < 5; each++) {
            closing.runs.start(Tale.class, "");
        }
        // Picked up, so that it looks for more and has no slot for the fifth.
        closing.opened();
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(closing.runs::close);
        assertThatThrownBy(() -> closed.get(1_500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(effects).isEmpty();
        ends.countDown();

        assertThat(closed).succeedsWithin(SOON);
        assertThat(effects).containsExactly("ended", "ended", "ended", "ended");
    }

    @Test
    void whoHasClosedTakesUpNothing() {
        RunNode closed = node(tale((run, input) -> run.step("one", String.class, () -> effect("one"))));
        closed.runs.close();
        RunId id = closed.runs.start(Tale.class, "").id();

        assertThat(closed.runs.sweep()).isZero();

        assertThat(stateOf(closed, id)).isEqualTo(RunState.PENDING);
    }

    private String next(RunContext run, boolean transactional, String what) {
        return transactional
                ? run.transactionalStep("two", String.class, () -> effect(what))
                : run.step("two", String.class, () -> effect(what));
    }

    @Test
    void whoClosesBeforeAStepBeginsLeavesNoDoubtAboutIt() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            if (entered.getCount() > 0) {
                entered.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException goesOn) {
                    effect("interrupted");
                }
            }
            return run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"));
        };
        RunNode closing = node(tale(code));
        RunHandle<String> handle = closing.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        closing.runs.close();
        assertThat(effects).containsExactly("interrupted");

        RunNode next = node(tale(code));

        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("wired");
    }

    @Test
    void anIntentThatCouldNotBeWrittenAtOnceLeavesNoDoubt() throws Exception {
        jdbc.sql("CREATE SEQUENCE hiccup").update();
        jdbc.sql("""
                CREATE FUNCTION hiccup() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN IF nextval('hiccup') = 1 THEN RAISE EXCEPTION 'hiccup'; END IF; RETURN NEW; END $$""").update();
        jdbc.sql("CREATE TRIGGER hiccup BEFORE INSERT ON saga_step FOR EACH ROW EXECUTE FUNCTION hiccup()")
                .update();
        try {
            RunNode node = node(tale(
                    (run, input) -> run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"))));
            RunHandle<String> handle = node.runs.start(Tale.class, "");
            Passing.pauseOf(handle.id(), jdbc);

            assertThat(handle.await(SOON)).isEqualTo("wired");
        } finally {
            jdbc.sql("DROP TRIGGER hiccup ON saga_step").update();
            jdbc.sql("DROP FUNCTION hiccup").update();
            jdbc.sql("DROP SEQUENCE hiccup").update();
        }
    }

    @Test
    void aDeadlineBeforeAStepBeginsLeavesNoDoubtAboutIt() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("slow", () -> late.await());
            return run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"));
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(10)));
        await().atMost(SOON)
                .until(() -> jdbc.sql("SELECT deadline_at < clock_timestamp() FROM saga_run")
                        .query(Boolean.class)
                        .single());
        late.countDown();
        awaitState(node, handle.id(), RunState.FAILED);

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("wired");
    }

    /** A run whose node has died in a step that must not be repeated. */
    private RunId diedIn(Tale.Code code, CountDownLatch begun) throws InterruptedException {
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        dead.runs.stop();
        leaseIsOver(id);
        return id;
    }

    private static Tale.Code wiring(CountDownLatch begun, Step.Resolver resolver) {
        return (run, input) -> run.step(Step.of("wire").notRepeatable(resolver), String.class, () -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        });
    }

    @Test
    void whoClosesWhileAResolverAsksLeavesNoDoubt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Tale.Code code = wiring(begun, key -> {
            if (asked.getCount() > 0) {
                asked.countDown();
                new CountDownLatch(1).await();
            }
            return Optional.of("found");
        });
        RunId id = diedIn(code, begun);
        RunNode closing = node(tale(code));
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        closing.runs.close();

        RunNode next = node(tale(code));

        assertThat(next.runs.handle(id, Tale.class).await(SOON)).isEqualTo("found");
        assertThat(closing.events).doesNotContain(RunEvent.IN_DOUBT);
    }

    @Test
    @ExpectsErrors("is in doubt")
    void aRunInDoubtCanBeCancelledAlthoughItsResolverKnowsNothing() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Tale.Code code = wiring(begun, key -> {
            throw new IllegalStateException("the bank does not answer");
        });
        RunId id = diedIn(code, begun);
        RunNode node = node(tale(code));
        awaitState(node, id, RunState.IN_DOUBT);

        assertThat(node.runs.cancel(id, "never mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
    }

    @Test
    void aResultIsDurableBeforeATransactionalStepBegins() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            run.transactionalStep("two", () -> {
                if (begun.incrementAndGet() == 1) {
                    hangs.await();
                }
            });
            return "done";
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> begun.get() == 1);
        RunNode alive = node(tale(code));

        leaseIsOver(id);

        assertThat(alive.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");
        hangs.countDown();
        assertThat(effects).containsExactly("one");
    }

    @Test
    void aTransactionalStepAfterACancellationIsNotBegun() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> {
                entered.countDown();
                told.await();
            });
            run.transactionalStep("two", () -> effect("two"));
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(node.runs.cancel(handle.id(), "stop")).isTrue();
        told.countDown();

        awaitState(node, handle.id(), RunState.CANCELLED);
        assertThat(effects).isEmpty();
    }

    @Test
    void aLookThatFailsKeepsNoSlot() throws Exception {
        RunNode node = added(new RunNode(
                schema, connections, "small", 1, Duration.ofMillis(50), tale((run, input) -> effect("driven"))));
        node.opened();
        jdbc.sql("ALTER TABLE saga_run RENAME TO saga_run_away").update();
        try {
            assertThatThrownBy(() -> node.runs.resume(RunId.next())).isNotInstanceOf(NoSuchRunException.class);
        } finally {
            jdbc.sql("ALTER TABLE saga_run_away RENAME TO saga_run").update();
        }

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("driven");
    }

    @ParameterizedTest
    @ValueSource(classes = {StackOverflowError.class, AssertionError.class, NoClassDefFoundError.class})
    void anErrorOfTheStepsOwnFailsItAtOnce(Class<? extends Error> error) {
        for (boolean transactional : List.of(true, false)) {
            AtomicInteger tries = new AtomicInteger();
            RunNode node = node(tale((run, input) -> {
                thrower(run, transactional, () -> {
                    tries.incrementAndGet();
                    throw error.getDeclaredConstructor().newInstance();
                });
                return "done";
            }));

            RunHandle<String> failed = node.runs.start(Tale.class, "");

            assertThatThrownBy(() -> failed.await(SOON))
                    .isInstanceOf(RunNotCompletedException.class)
                    .hasMessageContaining("failed")
                    .hasMessageContaining(error.getName());
            assertThat(tries).hasValue(1);
            node.close();
        }
    }

    private interface Throwing {
        void run() throws Exception;
    }

    private static void thrower(RunContext run, boolean transactional, Throwing body) {
        if (transactional) {
            run.transactionalStep("throwing", body::run);
        } else {
            run.step("throwing", body::run);
        }
    }

    @Test
    void anErrorBetweenStepsThatIsTheCodesOwnFailsTheRun() {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            tries.incrementAndGet();
            throw new StackOverflowError();
        }));

        RunHandle<String> failed = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> failed.await(SOON)).hasMessageContaining("StackOverflowError");
        assertThat(tries).hasValue(1);
    }

    /** Another node may have what this one lacks. */
    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, InternalError.class})
    @SuppressWarnings("EmptyCatch")
    void aStepOnANodeInTroubleIsNotPassedOver(Class<? extends Error> error) throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            try {
                run.step("one", () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw error.getDeclaredConstructor().newInstance();
                    }
                    effect("one");
                });
            } catch (Throwable caught) {
                effect("caught");
            }
            run.step("two", () -> effect("two"));
            return "done";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("caught", "one", "two");
    }

    @Test
    void aTransactionIsRefusedEachTime() throws Exception {
        RunNode node = node(tale((run, input) -> {
            try {
                transaction.executeWithoutResult(status -> run.step("inside", () -> effect("inside")));
            } catch (IllegalTransactionStateException refused) {
                run.log().info("As expected", refused);
            }
            run.step("outside", () -> effect("outside"));
            run.sleep("nap", Duration.ofMillis(1));
            return "done";
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("outside");
    }

    @Test
    void whatIsJournaledIsNotRolledBackWithATransactionAroundIt() {
        RunNode node = node(tale((run, input) -> {
            transaction.executeWithoutResult(status -> {
                for (int asked = 0; asked < 100; asked++) {
                    effect(run.now().toString());
                }
                status.setRollbackOnly();
            });
            run.sleep("nap", Duration.ofMillis(1));
            return "done";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("inside a transaction");
    }

    @Test
    void aTransactionThatIsToBeRolledBackAtTheLastMomentIsNotCommitted() throws Exception {
        RunNode node = node(tale((run, input) -> {
            try {
                run.transactionalStep("write", () -> {
                    jdbc.sql("INSERT INTO effect VALUES ('row')").update();
                    TransactionSynchronizationManager.registerSynchronization(new FailingWithin());
                });
            } catch (StepFailedException failed) {
                return "failed";
            }
            return "done";
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("failed");
        assertThat(written()).isZero();
    }

    @Test
    void whatIsThrownBeforeTheCommitCommitsNothing() throws Exception {
        RunNode node = node(tale((run, input) -> {
            run.transactionalStep("write", () -> {
                jdbc.sql("INSERT INTO effect VALUES ('row')").update();
                effect("tried");
                if (effects.size() == 1) {
                    TransactionSynchronizationManager.registerSynchronization(new Refusing());
                }
            });
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.FAILED);
        assertThat(written()).isZero();

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(written()).isOne();
    }

    /** As what must not be called in a transaction does, such as {@link Runs#signal}. */
    private static final class Refusing implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            throw new IllegalTransactionStateException("refused in a transaction");
        }
    }

    private static final class FailingWithin implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        throw new IllegalStateException("within");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void whatIsDrawnInAStepIsNotMissingWhenItIsNotRunAgain() throws Exception {
        RunNode node = node(tale((run, input) -> {
            int inside =
                    run.step(Step.of("draw"), Integer.class, () -> run.random().nextInt());
            effect(inside + " " + run.random().nextInt());
            run.sleep("nap", Duration.ofMillis(1));
            return "done";
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");

        assertThat(effects).hasSize(2);
        assertThat(effects.get(1)).isEqualTo(effects.get(0));
    }

    @Test
    void whoSleptUnderTheNameOfASignalIsStoppedWhereItWas() {
        RunNode node = node(tale((run, input) -> {
            run.sleep("approval", Duration.ofMillis(1));
            try {
                run.awaitSignal("approval", String.class);
            } catch (RunStoppedException stopped) {
                run.sleep("settle", Duration.ofMillis(1));
                run.step("tidy", () -> effect("tidy"));
            }
            return "";
        }));
        node.runs.stop();
        RunId id = node.runs.start(Tale.class, "").id();
        assertThat(node.runs.sweep()).isOne();
        awaitState(node, id, RunState.WAITING);
        await().atMost(SOON)
                .until(() -> jdbc.sql("SELECT due_at < clock_timestamp() FROM saga_run")
                        .query(Boolean.class)
                        .single());
        assertThat(node.runs.cancel(id, "stop")).isTrue();

        node.runs.open();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).containsExactly("tidy");
    }

    @Test
    void whoWaitsForLongerThanAnybodyLivesWaits() {
        RunNode node = node(tale((run, input) -> {
            Optional<String> said = run.awaitSignal("news", Duration.ofSeconds(Long.MAX_VALUE), String.class);
            run.sleep("for ever", Duration.ofSeconds(Long.MAX_VALUE));
            return said.orElse("nobody");
        }));
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        RunId id = node.runs.start(Tale.class, "", RunOptions.within(forEver)).id();
        awaitState(node, id, RunState.WAITING);
        node.runs.signal(id, "news", "none");
        await().atMost(SOON)
                .until(() -> node.runs.find(id).orElseThrow().steps().size() == 3);

        awaitState(node, id, RunState.WAITING);
    }

    @Test
    void whatAnotherNodeHasLetSleepIsOverInTimeHoweverSeldomThisOneLooks() throws Exception {
        Tale tale = tale((run, input) -> {
            run.sleep("nap", Duration.ofHours(1));
            return "slept";
        });
        RunNode first = node(tale);
        RunHandle<String> handle = first.runs.start(Tale.class, "");
        awaitState(first, handle.id(), RunState.WAITING);
        first.runs.close();
        jdbc.sql("UPDATE saga_step SET until = clock_timestamp() + INTERVAL '300 milliseconds'")
                .update();
        jdbc.sql("UPDATE saga_run SET due_at = (SELECT until FROM saga_step)").update();

        RunNode seldom = added(new RunNode(schema, connections, "seldom", 4, Duration.ofMinutes(1), tale));
        seldom.opened();

        assertThat(seldom.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("slept");
    }

    @Test
    void aShortSleepIsOverInTimeHoweverSeldomTheNodeLooks() throws Exception {
        RunNode node = added(new RunNode(schema, connections, "seldom", 4, Duration.ofMinutes(1), tale((run, input) -> {
            run.sleep("nap", Duration.ofMillis(100));
            return "slept";
        })));
        node.opened();

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("slept");
    }

    @Test
    void aTransactionThatCannotBeginIsNoFailureOfItsStep() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        // Only the step's thread gets no connection: the test reads through the same pool.
        AtomicReference<@Nullable Thread> exhausted = new AtomicReference<>();
        DataSource pool = new DelegatingDataSource(connections) {
            @Override
            public Connection getConnection() throws SQLException {
                if (exhausted.compareAndSet(Thread.currentThread(), null)) {
                    throw new SQLException("There is no connection");
                }
                return super.getConnection();
            }
        };
        RunNode node = added(new RunNode(schema, pool, "exhausted", 4, Duration.ofMinutes(1), tale((run, input) -> {
            if (begun.incrementAndGet() == 1) {
                exhausted.set(Thread.currentThread());
            }
            run.transactionalStep("write", () -> effect("written"));
            return "done";
        })));
        node.opened();
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        await().atMost(SOON).until(() -> stateOf(node, handle.id()) != RunState.RUNNING);
        RunState resumed = node.runs.resume(handle.id());
        assertThat(resumed).isNotEqualTo(RunState.FAILED);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("written");
        assertThat(begun).hasValueGreaterThan(1);
    }

    @Test
    void theContextOfARunThatIsOverDoesNothingMore() {
        List<RunContext> kept = new CopyOnWriteArrayList<>();
        RunNode node = node(tale((run, input) -> {
            kept.add(run);
            if (kept.size() > 1) {
                kept.get(0).step(input, () -> effect(input));
            }
            return "done";
        }));
        RunId first = node.runs.start(Tale.class, "first").id();
        awaitEvent(node, RunEvent.COMPLETED);

        // One of them is driven on the thread of the first.
        for (int later = 0; later < 10; later++) {
            awaitState(node, node.runs.start(Tale.class, "later " + later).id(), RunState.FAILED);
        }

        assertThat(stateOf(node, first)).isEqualTo(RunState.COMPLETED);
        assertThat(effects).isEmpty();
    }

    private static void awaitEvent(RunNode node, RunEvent event) {
        await().atMost(SOON).until(() -> node.events.contains(event));
    }

    @Test
    void whyARunFailedIsSaidAlthoughItWasToBeCancelled() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> run.step("one", String.class, () -> {
            entered.countDown();
            told.await();
            throw new IllegalStateException("no stock");
        })));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(node.runs.cancel(handle.id(), "changed my mind")).isTrue();
        told.countDown();
        awaitState(node, handle.id(), RunState.FAILED);
        RunHandle<String> elsewhere = quietNode(tale((run, input) -> "")).runs.handle(handle.id(), Tale.class);

        assertThatThrownBy(() -> elsewhere.await(SOON)).hasMessageContaining("no stock");
    }
}
