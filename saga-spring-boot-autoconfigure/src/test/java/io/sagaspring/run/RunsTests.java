package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionTemplate;

/** What is journaled is not done again, and what is not is done: whoever drives, however often. */
class RunsTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final HikariDataSource connections = Pool.of(database);
    private static final SagaSchema schema = new SchemaInstaller(connections, null).migrate();
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final Duration SOON = Duration.ofSeconds(20);

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
        RunNode node = new RunNode(schema, connections, "node-" + nodes.size(), tales);
        nodes.add(node);
        return node.opened();
    }

    private Tale tale(Tale.Code code) {
        return new Tale("tale", code);
    }

    private String effect(String what) {
        effects.add(what);
        return what;
    }

    private static RunState stateOf(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().state();
    }

    private static void awaitState(RunNode node, RunId id, RunState state) {
        await().atMost(SOON).until(() -> stateOf(node, id) == state);
    }

    /** They are told when it is written, which others may have read before. */
    private static void awaitEvents(RunNode node, RunEvent... events) {
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events).containsExactly(events));
    }

    /** As if its node had died, and its lease were over. */
    private static void leaseIsOver(RunId id) {
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ?")
                .param(id.value())
                .update();
    }

    @Test
    void aRunReturnsWhatItsCodeReturns() throws Exception {
        RunNode node = node(tale((run, input) -> {
            String one = run.step("one", String.class, () -> effect(input + " one"));
            String two = run.transactionalStep("two", String.class, () -> effect(one + " two"));
            run.step("three", () -> effect(two + " three"));
            return two;
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "zero");

        assertThat(handle.await(SOON)).isEqualTo("zero one two");
        assertThat(effects).containsExactly("zero one", "zero one two", "zero one two three");
        assertThat(node.runs.find(handle.id()).orElseThrow().steps())
                .extracting(RunView.StepView::step)
                .containsExactly("one", "two", "three");
        awaitEvents(node, RunEvent.STARTED, RunEvent.COMPLETED);
    }

    @Test
    void whatIsJournaledIsNotDoneAgain() throws Exception {
        AtomicInteger driven = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            run.transactionalStep("two", () -> effect("two"));
            run.step("three", () -> {
                if (driven.incrementAndGet() == 1) {
                    hangs.await();
                }
                effect("three");
            });
            return "done";
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> driven.get() == 1);
        RunNode alive = node(tale(code));

        leaseIsOver(id);

        assertThat(alive.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");
        hangs.countDown();
        await().atMost(SOON).until(() -> dead.events.contains(RunEvent.LEFT));
        assertThat(effects.stream().filter(each -> !each.equals("three"))).containsExactly("one", "two");
        assertThat(stateOf(alive, id)).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void whoFindsBetweenStepsThatAnotherNodeDrivesTheRunHasLeftItAndDoesNotWait() throws Exception {
        AtomicInteger driven = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> {
                if (driven.incrementAndGet() == 1) {
                    hangs.await();
                }
            });
            run.step("two", () -> effect("two"));
            return "done";
        };
        RunNode slow = node(tale(code));
        RunId id = slow.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> driven.get() == 1);
        RunNode other = node(tale(code));
        leaseIsOver(id);
        assertThat(other.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");

        hangs.countDown();

        await().atMost(SOON).until(() -> slow.events.contains(RunEvent.LEFT));
        assertThat(slow.events).doesNotContain(RunEvent.SUSPENDED);
        assertThat(effects).containsExactly("two");
    }

    @Test
    void aStepThatThrowsFailsTheRunWhichCanBeRetriedFromThere() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> {
                if (tries.incrementAndGet() == 1) {
                    throw new IllegalStateException("no stock");
                }
                effect("two");
            });
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON))
                .isInstanceOf(RunNotCompletedException.class)
                .hasMessageContaining("failed")
                .hasMessageContaining("no stock");
        assertThat(node.runs.retry(handle.id())).isTrue();

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one", "two");
        assertThat(node.runs.retry(handle.id())).isFalse();
    }

    @Test
    void aFailureThatTheCodeHasCaughtFailsAgain() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            String how;
            try {
                how = run.step("one", String.class, () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("declined");
                    }
                    return "paid";
                });
            } catch (StepFailedException failed) {
                how = failed.step() + " failed";
            }
            run.sleep("pause", Duration.ofMillis(1));
            return how;
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("one failed");
        assertThat(tries).hasValue(1);
    }

    @Test
    void aDatabaseThatIsLostDuringATransactionalStepDoesNotFailTheRun() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.transactionalStep("write", () -> {
                jdbc.sql("INSERT INTO effect VALUES ('row')").update();
                if (tries.incrementAndGet() == 1) {
                    jdbc.sql("SELECT pg_terminate_backend(pg_backend_pid())")
                            .query(Boolean.class)
                            .single();
                }
            });
            return "done";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(2);
        assertThat(jdbc.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isOne();
    }

    @Test
    void aTransactionalStepThatFailsLeavesNothing() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.transactionalStep("write", () -> {
                jdbc.sql("INSERT INTO effect VALUES ('row')").update();
                if (tries.incrementAndGet() == 1) {
                    throw new IllegalStateException("after the write");
                }
            });
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.FAILED);
        assertThat(jdbc.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isZero();

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(jdbc.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isOne();
    }

    @Test
    void whoSleepsUsesNoThreadAndGoesOn() throws Exception {
        RunNode node = node(tale((run, input) -> {
            Instant before = run.now();
            run.sleep("nap", Duration.ofMillis(300));
            return Duration.between(before, run.now()).toMillis() >= 300 ? "slept" : "woke too early";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo("slept");
        awaitEvents(node, RunEvent.STARTED, RunEvent.SUSPENDED, RunEvent.TAKEN_UP, RunEvent.COMPLETED);
    }

    @Test
    void aSignalIsGivenOnceHoweverEarlyItComes() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("wait", () -> told.await());
            return run.awaitSignal("approval", String.class) + run.awaitSignal("approval", String.class);
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(node.runs.signal(handle.id(), "approval", "first", "a")).isEqualTo(SignalAnswer.ACCEPTED);
        assertThat(node.runs.signal(handle.id(), "approval", "first", "a")).isEqualTo(SignalAnswer.REPEATED);
        told.countDown();
        awaitState(node, handle.id(), RunState.WAITING);
        assertThat(node.runs.signal(handle.id(), "approval", "second", "b")).isEqualTo(SignalAnswer.ACCEPTED);

        assertThat(handle.await(SOON)).isEqualTo("ab");
        assertThat(node.runs.signal(handle.id(), "approval", "third", "c")).isEqualTo(SignalAnswer.TOO_LATE);
        assertThatThrownBy(() -> node.runs.signal(RunId.next(), "approval", "x"))
                .isInstanceOf(NoSuchRunException.class);
    }

    @Test
    void whoWaitsForASignalDoesNotWaitForEver() throws Exception {
        RunNode node = node(tale((run, input) -> {
            Optional<String> said = run.awaitSignal("approval", Duration.ofMillis(200), String.class);
            run.step("after", () -> effect("after"));
            return said.orElse("nobody");
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("nobody");
        assertThat(effects).containsExactly("after");
    }

    @Test
    void aCancelledRunIsToldSoOnceAndMayTidyUp() throws Exception {
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            try {
                run.awaitSignal("never", String.class);
            } catch (RunStoppedException stopped) {
                run.step("tidy", () -> effect(String.valueOf(stopped.getMessage())));
                run.sleep("settle", Duration.ofMillis(1));
                run.step("tidier", () -> effect("tidier"));
            }
            return "over";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.WAITING);

        assertThat(node.runs.cancel(handle.id(), "changed my mind")).isTrue();

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("changed my mind");
        assertThat(stateOf(node, handle.id())).isEqualTo(RunState.CANCELLED);
        assertThat(effects).containsExactly("one", "The run was cancelled: changed my mind", "tidier");
        assertThat(node.runs.cancel(handle.id(), "again")).isFalse();
    }

    @Test
    void aRunThatIsNotOverInTimeFails() {
        RunNode node = node(tale((run, input) -> {
            run.awaitSignal("never", String.class);
            return "over";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(200)));

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("deadline");
        assertThat(stateOf(node, handle.id())).isEqualTo(RunState.FAILED);
    }

    @Test
    void thereIsOneRunForAKey() throws Exception {
        RunNode node = node(tale((run, input) -> input));

        RunHandle<String> first = node.runs.start(Tale.class, "first", RunOptions.withKey("k"));
        RunHandle<String> second = node.runs.start(Tale.class, "second", RunOptions.withKey("k"));

        assertThat(first.isNew()).isTrue();
        assertThat(second.isNew()).isFalse();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.await(SOON)).isEqualTo("first");
    }

    @Test
    void nothingStartsIfTheCallerRollsBack() throws Exception {
        RunNode node = node(tale((run, input) -> effect(input)));
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(connections));

        RunId rolledBack = transaction.execute(status -> {
            status.setRollbackOnly();
            return node.runs.start(Tale.class, "rolled back").id();
        });
        RunHandle<String> committed = transaction.execute(status -> node.runs.start(Tale.class, "committed"));

        assertThat(committed.await(SOON)).isEqualTo("committed");
        assertThat(node.runs.find(rolledBack)).isEmpty();
        assertThat(effects).containsExactly("committed");
    }

    @Test
    @ExpectsErrors("Blocked run")
    void codeThatDoesNotFitBlocksTheRunUntilItDoes() throws Exception {
        AtomicInteger driven = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> {
                if (driven.incrementAndGet() == 1) {
                    hangs.await();
                }
            });
            return "done";
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> driven.get() == 1);
        Tale changed = tale((run, input) -> {
            run.step("renamed", () -> effect("renamed"));
            return "done";
        });
        dead.engine.stop();
        RunNode next = node(changed);

        leaseIsOver(id);
        awaitState(next, id, RunState.BLOCKED);
        assertThat(next.runs.find(id).orElseThrow().error())
                .contains("'renamed'")
                .contains("'one'");
        assertThat(effects).containsExactly("one");
        changed.becomes(code);
        Passing.pauseOf(id, jdbc);

        assertThat(next.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");
        hangs.countDown();
    }

    @Test
    @ExpectsErrors("is in doubt")
    void aStepThatMustNotBeRepeatedLeavesTheRunInDoubt() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            String done = run.step(Step.of("wire").notRepeatable(), String.class, () -> {
                if (begun.incrementAndGet() == 1) {
                    hangs.await();
                }
                return effect("wired");
            });
            return done;
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> begun.get() == 1);
        dead.engine.stop();
        RunNode next = node(tale(code));

        leaseIsOver(id);
        awaitState(next, id, RunState.IN_DOUBT);
        assertThat(effects).isEmpty();
        assertThat(next.store.troubled()).containsEntry(RunState.IN_DOUBT, 1L);
        assertThat(next.runs.resolveAsDone(id, "another", "x")).isFalse();
        assertThat(next.runs.resolveAsNotDone(id, "wire")).isTrue();

        assertThat(next.runs.handle(id, Tale.class).await(SOON)).isEqualTo("wired");
        assertThat(begun).hasValue(2);
        hangs.countDown();
    }

    @Test
    @ExpectsErrors("Parked run")
    void aRunThatKillsItsNodesIsParked() {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Tale.Code code = (run, input) -> {
            run.step("poison", () -> {
                begun.incrementAndGet();
                hangs.await();
            });
            return "survived";
        };
        RunNode node = node(tale(code));
        RunId id = node.runs.start(Tale.class, "").id();
        for (int death = 1; death <= 3; death++) {
            int deaths = death;
            await().atMost(SOON).until(() -> begun.get() == deaths);
            leaseIsOver(id);
        }

        awaitState(node, id, RunState.PARKED);
        await().atMost(SOON).until(() -> node.events.contains(RunEvent.PARKED));
        hangs.countDown();
        assertThat(begun).hasValue(3);
    }

    @Test
    void aNameThatIsThereTwiceIsRefusedWithAProposal() {
        RunNode node = node(tale((run, input) -> {
            run.step("mail", () -> {});
            run.step("mail", () -> {});
            return "";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("Step.of(\"mail\", invoice.id())");
    }

    @Test
    void theKeyOfAStepStaysAndIsThereOnlyInside() throws Exception {
        RunNode node = node(tale((run, input) -> {
            try {
                run.idempotencyKey();
            } catch (IllegalStateException outside) {
                effect("refused");
            }
            return run.step(Step.of("mail", 7), String.class, run::idempotencyKey);
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo(handle.id() + ":mail:7");
        assertThat(effects).containsExactly("refused");
    }

    @Test
    void aTransactionAroundARunIsRefused() {
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(connections));
        RunNode node = node(tale((run, input) -> transaction.execute(status -> {
            run.step("inside", () -> effect("inside"));
            return "";
        })));

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("inside a transaction");
        assertThat(effects).isEmpty();
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> node.runs.signal(handle.id(), "x", "y")))
                .isInstanceOf(IllegalTransactionStateException.class);
    }

    @Test
    void whoClosesGivesBackAndWritesWhatWasDone() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            run.step("one", () -> effect("one"));
            if (entered.getCount() > 0) {
                entered.countDown();
                new CountDownLatch(1).await();
            }
            run.step("two", () -> effect("two"));
            return "done";
        };
        RunNode closing = node(tale(code));
        RunHandle<String> handle = closing.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        closing.engine.close();
        RunNode next = node(tale(code));

        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("one", "two");
        assertThat(next.runs.find(handle.id()).orElseThrow().attempt()).isOne();
    }

    @Test
    void aRunGoesOnWhenNobodyWaitsForIt() {
        CountDownLatch hangs = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("slow", () -> hangs.await());
            return "";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(Duration.ofMillis(50)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("It goes on");
        hangs.countDown();

        awaitState(node, handle.id(), RunState.COMPLETED);
    }

    @Test
    void codeOfAnotherNodeIsLeftToIt() throws Exception {
        RunNode starting = node(new Tale("known", (run, input) -> ""));
        RunNode other = node(tale((run, input) -> "mine"));
        other.engine.stop();

        RunId id = other.runs.start(Tale.class, "").id();
        assertThat(starting.engine.sweep()).isZero();
        assertThat(stateOf(starting, id)).isEqualTo(RunState.PENDING);
    }
}
