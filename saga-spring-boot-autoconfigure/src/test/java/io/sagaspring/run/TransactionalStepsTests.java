package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transactional step and its entry in the journal are committed together, or neither is. */
class TransactionalStepsTests extends RunsOnPostgres {

    private static long written() {
        return jdbc.sql("SELECT count(*) FROM effect").query(Long.class).single();
    }

    @Test
    void theResultOfAnEarlierStepIsDurableBeforeATransactionalStepBegins() throws Exception {
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

        endLease(id);

        assertThat(alive.runs.handle(id, Tale.class).await(SOON)).isEqualTo("done");
        hangs.countDown();
        assertThat(effects).containsExactly("one");
    }

    @Test
    void aCancelledRunDoesNotBeginItsNextTransactionalStep() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("one", () -> {
                entered.countDown();
                cancelled.await();
            });
            run.transactionalStep("two", () -> effect("two"));
            return "done";
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(node.runs.cancel(handle.id(), "stop")).isTrue();
        cancelled.countDown();

        awaitState(node, handle.id(), RunState.CANCELLED);
        assertThat(effects).isEmpty();
    }

    @Test
    void aTransactionAroundAStepIsRefusedOnEachReplay() throws Exception {
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
    void aRunFailsIfItJournalsManyCallsInsideATransaction() {
        RunNode node = node(tale((run, input) -> {
            transaction.executeWithoutResult(status -> {
                for (int call = 0; call < 100; call++) {
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
    void aTransactionThatIsMarkedAsRollbackOnlyBeforeItsCommitIsNotCommitted() throws Exception {
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
    void anExceptionBeforeTheCommitRollsBackTheStep() throws Exception {
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

    /**
     * Throws an exception, like {@link Runs#signal} and every other method that must not be called in a transaction.
     */
    private static final class Refusing implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            throw new IllegalTransactionStateException("refused in a transaction");
        }
    }

    /** The step is not at fault if no connection is available or if a transaction cannot begin. */
    @Test
    void aStepIsRepeatedIfABeforeCommitCallbackGetsNoConnection() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        RunNode node = node(tale((run, input) -> {
            run.transactionalStep("write", () -> {
                jdbc.sql("INSERT INTO effect VALUES ('row')").update();
                if (tries.incrementAndGet() == 1) {
                    TransactionSynchronizationManager.registerSynchronization(new Unconnected());
                }
            });
            return "done";
        }));

        RunHandle<String> handle = node.runs.start(Tale.class, "");
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(2);
        assertThat(written()).isOne();
    }

    private static final class Unconnected implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            throw new CannotGetJdbcConnectionException("the pool has none in time", new SQLException("timed out"));
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
    void aStepDoesNotFailIfItsTransactionCannotBegin() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        // Only the step's thread gets no connection, because the test reads through the same pool.
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
        RunNode node = added(RunNode.on(schema, pool, "exhausted")
                .poll(Duration.ofMinutes(1))
                .tales(tale((run, input) -> {
                    if (begun.incrementAndGet() == 1) {
                        exhausted.set(Thread.currentThread());
                    }
                    run.transactionalStep("write", () -> effect("written"));
                    return "done";
                })));
        node.opened();
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        await().atMost(SOON).until(() -> stateOf(node, handle.id()) != RunState.RUNNING);
        RunState resumed = node.engine.resume(handle.id());
        assertThat(resumed).isNotEqualTo(RunState.FAILED);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).containsExactly("written");
        assertThat(begun).hasValueGreaterThan(1);
    }

    @Test
    void aRunDoesNotFailIfItsTransactionalStepLosesTheConnection() throws Exception {
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
    void aFailedTransactionalStepLeavesNothingInTheDatabase() throws Exception {
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
    void aTransactionAroundAStepOrASignalIsRefused() {
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
}
