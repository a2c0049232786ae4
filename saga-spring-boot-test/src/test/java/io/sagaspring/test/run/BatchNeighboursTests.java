package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The calls of one batch are rejected, blocked and answered independently of each other. */
class BatchNeighboursTests extends BatchedRuns {

    private static List<String> journal(RunLease runLease) {
        return RunStoreContract.texts(single.find(runLease.id()).orElseThrow().journal());
    }

    private static RunState state(RunLease runLease) {
        return single.findRow(runLease.id()).orElseThrow().state();
    }

    private static void assertFails(CompletableFuture<?> call, Class<? extends Exception> by) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> call.get(60, SECONDS))
                .withCauseInstanceOf(by);
    }

    private Supplier<ControlState> checkpoint(RunLease runLease, List<JournalEntry> entries) {
        return () -> shared.checkpoint(runLease, entries);
    }

    @Test
    void onlyTheFencedOffOwnerOfABatchIsRefused() throws Exception {
        RunLease before = runLease();
        RunLease fencedOff = runLease();
        RunLease after = runLease();
        database.jdbc()
                .sql("UPDATE saga_run SET token = token + 1000 WHERE id = ?")
                .param(fencedOff.id().value())
                .update();

        List<CompletableFuture<ControlState>> answers = gathering.together(List.of(
                checkpoint(before, done(0, 1)), checkpoint(fencedOff, done(0, 1)), checkpoint(after, done(0, 3))));

        assertFails(answers.get(1), FencedException.class);
        assertThat(answer(answers.get(0))).isEqualTo(afterSignals(0));
        assertThat(answer(answers.get(2))).isEqualTo(afterSignals(0));
        assertWereOneBatch();
        assertThat(journal(before)).isEqualTo(RunStoreContract.texts(done(0, 1)));
        assertThat(journal(fencedOff)).isEmpty();
        assertThat(journal(after)).isEqualTo(RunStoreContract.texts(done(0, 3)));
    }

    /** Another store wrote the first entries, so this store does not know which server has them. */
    @Test
    void onlyCallersWhoseRunOrJournalTheDatabaseHasLostAreRefused() throws Exception {
        RunLease good = runLease();
        RunLease forgotten = runLease();
        RunLease older = runLease();
        RunLease gone = runLease();
        RunLease ending = runLease();
        for (RunLease each : List.of(good, forgotten, older, gone, ending)) {
            assertThat(single.checkpoint(each, done(0, 3))).isEqualTo(afterSignals(0));
        }
        database.jdbc()
                .sql("DELETE FROM saga_step WHERE run_id IN (?, ?) AND position > 0")
                .params(forgotten.id().value(), ending.id().value())
                .update();
        database.jdbc()
                .sql("UPDATE saga_run SET token = token - 1 WHERE id = ?")
                .param(older.id().value())
                .update();
        database.jdbc()
                .sql("DELETE FROM saga_run WHERE id = ?")
                .param(gone.id().value())
                .update();

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.checkpoint(forgotten, done(3, 5)),
                () -> shared.checkpoint(good, done(3, 5)),
                () -> shared.checkpoint(older, done(3, 4)),
                () -> shared.checkpoint(gone, done(3, 4)),
                () -> {
                    RunLease knowing = new RunLease(ending.id(), ending.token(), 3);
                    shared.end(knowing, List.of(), new Ending(RunState.FAILED, null, null, null));
                    return "ended";
                }));

        assertThat(answer(answers.get(1))).isEqualTo(afterSignals(0));
        for (int refused : List.of(0, 2, 3, 4)) {
            assertFails(answers.get(refused), FencedException.class);
        }
        assertThat(gathering.batches()).isEmpty();
        assertThat(journal(good)).isEqualTo(RunStoreContract.texts(done(0, 5)));
        assertThat(journal(forgotten)).isEqualTo(RunStoreContract.texts(done(0, 1)));
        assertThat(state(ending)).isEqualTo(RunState.RUNNING);
    }

    @Test
    void onlyAPreviousOwnerThatReleasedItsRunIsRefused() throws Exception {
        RunLease good = runLease();
        RunLease released = runLease();
        assertThat(single.suspend(released, List.of(), null, afterSignals(0))).isTrue();

        List<CompletableFuture<ControlState>> answers =
                gathering.together(List.of(checkpoint(released, done(0, 1)), checkpoint(good, List.of())));

        assertFails(answers.get(0), FencedException.class);
        assertThat(answer(answers.get(1))).isEqualTo(afterSignals(0));
        assertWereOneBatch();
        assertThat(journal(released)).isEmpty();
    }

    @Test
    void aDuplicatePositionDoesNotAffectOtherCallsOfTheBatch() throws Exception {
        RunLease good = runLease();
        RunLease twice = runLease();
        RunLease starting = runLease();
        List<JournalEntry> same = List.of(done(0, 1).get(0), done(0, 1).get(0));
        NewRun run = newRun(null, true);

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.checkpoint(good, done(0, 2)),
                () -> shared.checkpoint(twice, same),
                () -> shared.start(run),
                () -> shared.suspend(starting, done(0, 1), HOUR, afterSignals(0))));

        assertThat(answer(answers.get(0))).isEqualTo(afterSignals(0));
        assertThat(((Started) answer(answers.get(2))).token()).isNotNull();
        assertThat(answer(answers.get(3))).isEqualTo(true);
        // The store repeats this checkpoint alone, in the same way as after a lost reply.
        assertThat(answer(answers.get(1))).isEqualTo(afterSignals(0));
        assertWereOneBatch();
        assertThat(journal(good)).hasSize(2);
        assertThat(journal(twice)).hasSize(1);
        assertThat(state(starting)).isEqualTo(RunState.WAITING);
    }

    @Test
    void onlyTheCallWithAnEntryThatCannotBeStoredFails() throws Exception {
        RunLease good = runLease();
        RunLease bad = runLease();
        JournalEntry unstorable = RunStoreContract.entry(0, "nul\0", Call.STEP, Mark.DONE, null);
        RunLease ending = runLease();

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.checkpoint(good, done(0, 2)),
                () -> shared.checkpoint(bad, List.of(unstorable)),
                () -> shared.endUnlessChanged(
                        ending, done(0, 1), new Ending(RunState.COMPLETED, null, null, null), afterSignals(0))));

        assertFails(answers.get(1), DataAccessException.class);
        assertThat(answer(answers.get(0))).isEqualTo(afterSignals(0));
        assertThat(answer(answers.get(2))).isEqualTo(true);
        assertThat(journal(good)).hasSize(2);
        assertThat(journal(bad)).isEmpty();
        assertThat(journal(ending)).hasSize(1);
        assertThat(state(ending)).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void aLockedRowBlocksOnlyTheCallThatWritesIt() throws Exception {
        RunLease good = runLease();
        RunLease locked = runLease();
        RunLease waiting = runLease();
        try (Connection locking = database.connect()) {
            locking.setAutoCommit(false);
            lock(locking, locked);

            List<CompletableFuture<Object>> answers = gathering.together(List.of(
                    () -> shared.checkpoint(locked, done(0, 1)),
                    () -> shared.checkpoint(good, done(0, 1)),
                    () -> shared.suspend(waiting, List.of(), null, afterSignals(0))));

            assertThat(answer(answers.get(1))).isEqualTo(afterSignals(0));
            assertThat(answer(answers.get(2))).isEqualTo(true);
            assertThat(answers.get(0)).isNotDone();
            assertThat(journal(good)).hasSize(1);
            locking.rollback();
            assertThat(answer(answers.get(0))).isEqualTo(afterSignals(0));
            assertThat(journal(locked)).hasSize(1);
        }
        assertWereOneBatch();
    }

    private static void lock(Connection connection, RunLease runLease) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT id FROM saga_run WHERE id = ? FOR UPDATE")) {
            statement.setObject(1, runLease.id().value());
            assertThat(statement.execute()).isTrue();
        }
    }

    @Test
    void aSignalledRunContinuesWhileOtherRunsOfTheBatchWaitOrEnd() throws Exception {
        RunLease waits = runLease();
        RunLease signalled = runLease();
        RunLease ends = runLease();
        RunLease doesNotEnd = runLease();
        for (RunLease each : List.of(signalled, doesNotEnd)) {
            assertThat(single.signal(each.id(), "paid", "1", RunStoreContract.stored("1")))
                    .isEqualTo(RunInbox.Answer.ACCEPTED);
        }
        Ending completed = new Ending(RunState.COMPLETED, null, null, null);

        List<CompletableFuture<Boolean>> answers = gathering.together(List.of(
                () -> shared.suspend(waits, done(0, 1), null, afterSignals(0)),
                () -> shared.suspend(signalled, done(0, 1), null, afterSignals(0)),
                () -> shared.endUnlessChanged(ends, done(0, 3), completed, afterSignals(0)),
                () -> shared.endUnlessChanged(doesNotEnd, done(0, 3), completed, afterSignals(0))));

        assertThat(answer(answers.get(0))).isTrue();
        assertThat(answer(answers.get(1))).isFalse();
        assertThat(answer(answers.get(2))).isTrue();
        assertThat(answer(answers.get(3))).isFalse();
        assertThat(Stream.of(waits, signalled, ends, doesNotEnd).map(BatchNeighboursTests::state))
                .containsExactly(RunState.WAITING, RunState.RUNNING, RunState.COMPLETED, RunState.RUNNING);
        assertThat(Stream.of(waits, signalled, ends, doesNotEnd)
                        .map(each -> journal(each).size()))
                .containsExactly(1, 0, 3, 0);
    }

    @Test
    void onlyARunThatDoesNotKnowOfItsPassedDeadlineContinues() throws Exception {
        RunLease late = RunStoreContract.granted(single.start(newRun(Duration.ZERO, true)));
        RunLease inTime = RunStoreContract.granted(single.start(newRun(HOUR, true)));
        RunLease knows = RunStoreContract.granted(single.start(newRun(Duration.ZERO, true)));
        Ending completed = new Ending(RunState.COMPLETED, null, null, null);

        List<CompletableFuture<Boolean>> answers = gathering.together(List.of(
                () -> shared.endUnlessChanged(late, List.of(), completed, afterSignals(0)),
                () -> shared.endUnlessChanged(inTime, List.of(), completed, afterSignals(0)),
                () -> shared.endUnlessChanged(knows, List.of(), completed, new ControlState(0, null, true))));

        assertThat(answer(answers.get(0))).isFalse();
        assertThat(answer(answers.get(1))).isTrue();
        assertThat(answer(answers.get(2))).isTrue();
    }

    /** A reply must not contain the signal, cancellation or deadline of another run in the batch. */
    @Test
    void eachCallOfABatchGetsItsOwnAnswer() throws Exception {
        RunLease quiet = runLease();
        RunLease late = RunStoreContract.granted(single.start(newRun(Duration.ZERO, true)));
        RunLease cancelled = runLease();
        assertThat(single.cancel(cancelled.id(), "enough")).isEqualTo(RunInbox.Answer.ACCEPTED);
        NewRun here = newRun(HOUR, true);
        NewRun elsewhere = newRun(null, false);

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.start(elsewhere),
                () -> shared.checkpoint(quiet, List.of()),
                () -> shared.checkpoint(late, done(0, 3)),
                () -> shared.start(here),
                () -> shared.checkpoint(cancelled, done(0, 1))));

        assertThat(answer(answers.get(1))).isEqualTo(afterSignals(0));
        assertThat(answer(answers.get(2))).isEqualTo(new ControlState(0, null, true));
        assertThat(answer(answers.get(4))).isEqualTo(new ControlState(1, "enough", false));
        Started startedElsewhere = (Started) answer(answers.get(0));
        assertThat(startedElsewhere.id()).isEqualTo(elsewhere.id());
        assertThat(startedElsewhere.token()).isNull();
        Started startedHere = (Started) answer(answers.get(3));
        assertThat(startedHere.id()).isEqualTo(here.id());
        assertWereOneBatch();
        assertThat(single.checkpoint(RunStoreContract.granted(startedHere), List.of()))
                .isEqualTo(afterSignals(0));
        for (Started each : List.of(startedHere, startedElsewhere)) {
            assertThat(single.findRow(each.id()).orElseThrow().startedAt()).isEqualTo(each.at());
        }
        assertThat(Stream.of(quiet, late, cancelled).map(each -> journal(each).size()))
                .containsExactly(0, 3, 1);
    }

    /**
     * If the database rolls back a commit because of another transaction, the store repeats the batch and returns the
     * new results.
     */
    @Test
    void theResultsOfARolledBackBatchAreDiscarded() throws Exception {
        RunLease fencedOff = runLease();
        RunLease good = runLease();
        try (HikariDataSource committing = database.newPool()) {
            committing.setAutoCommit(false);
            AtomicInteger commits = new AtomicInteger();
            DelegatingDataSource rollingBack = new DelegatingDataSource(committing) {
                @Override
                public Connection getConnection() throws SQLException {
                    return rollingBackOnce(
                            super.getConnection(),
                            commits,
                            () -> database.jdbc()
                                    .sql("UPDATE saga_run SET token = token + 1000 WHERE id = ?")
                                    .param(fencedOff.id().value())
                                    .update());
                }
            };
            try (Gathering rolledBack = new Gathering(database, rollingBack, "one")) {
                RunStore store = rolledBack.store();

                List<CompletableFuture<ControlState>> answers = rolledBack.together(List.of(
                        () -> store.checkpoint(fencedOff, done(0, 1)), () -> store.checkpoint(good, done(0, 1))));

                assertFails(answers.get(0), FencedException.class);
                assertThat(answer(answers.get(1))).isEqualTo(afterSignals(0));
            }
        }
        assertThat(journal(fencedOff)).isEmpty();
        assertThat(journal(good)).hasSize(1);
    }

    private static Connection rollingBackOnce(Connection real, AtomicInteger commits, Runnable meanwhile) {
        boolean[] isBatch = new boolean[1];
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
                    if (method.getName().equals("prepareStatement")) {
                        isBatch[0] = given[0].toString().contains("saga:run.write-many */")
                                && Gathering.isGathered(Thread.currentThread());
                    }
                    try {
                        if (method.getName().equals("commit") && isBatch[0] && commits.getAndIncrement() == 0) {
                            real.rollback();
                            meanwhile.run();
                            throw new SQLException("could not serialize access", "40001");
                        }
                        return method.invoke(real, given);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
