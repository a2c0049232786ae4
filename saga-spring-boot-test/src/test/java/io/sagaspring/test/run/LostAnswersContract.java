package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StoredValue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** On PostgreSQL, losing the reply to a statement or a commit does not change the outcome. */
abstract class LostAnswersContract extends RunStoreContract {

    static final StoredValue NOTHING = new StoredValue("none", new byte[0]);

    final RunDatabase database;

    LostAnswersContract(RunDatabase database) {
        this.database = database;
    }

    /** The calls that lose their reply in these tests. */
    enum Call {
        START,
        CHECKPOINT,
        SUSPEND,
        END
    }

    /** Returns a part of the SQL that identifies the statement of a call. */
    abstract String statement(Call call);

    /** Opens a store that writes in the tested way: directly or in batches. */
    abstract RunStore open(DataSource connections, String node) throws Exception;

    @BeforeEach
    void empty() {
        database.empty();
    }

    @AfterEach
    void resetKeeperConnection() throws SQLException {
        database.resetKeeperConnection();
    }

    @Override
    protected void pass(Duration duration) {
        database.pass(duration);
    }

    @Override
    protected RenewableLeases.Connecting connecting() {
        return database::keeperConnection;
    }

    /**
     * A pool that loses the reply to one statement. The statement is executed, and something else happens before the
     * caller notices the loss.
     */
    final class LosingDataSource extends DelegatingDataSource {

        private final String lost;
        private final Runnable meanwhile;
        final AtomicBoolean isLost = new AtomicBoolean();

        LosingDataSource(String lost, Runnable meanwhile) {
            super(database.pool());
            this.lost = lost;
            this.meanwhile = meanwhile;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return proxy(Connection.class, real, "COMMIT");
        }

        private <T> T proxy(Class<T> type, T real, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
                        Object answer;
                        try {
                            answer = method.invoke(real, given);
                        } catch (InvocationTargetException failed) {
                            throw failed.getCause();
                        }
                        boolean isExecuted = method.getName().startsWith("execute")
                                || method.getName().equals("commit");
                        if (isExecuted && sql.contains(lost) && isLost.compareAndSet(false, true)) {
                            meanwhile.run();
                            throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
                        }
                        return answer instanceof PreparedStatement statement
                                ? proxy(PreparedStatement.class, statement, (String) given[0])
                                : answer;
                    }));
        }

        RunStore store() throws Exception {
            return open(this, "one");
        }
    }

    private static final String CONCLUSION = "saga:run.conclude */";

    private RunLease begun() {
        return granted(store().start(
                        new RunExecutions.NewRun(RunId.next(), "lost", null, null, NOTHING, NOTHING, null, true)));
    }

    @Test
    void theEndOfAWaitWithALostAnswerSucceedsDespiteALaterReply() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = new LosingDataSource(
                CONCLUSION,
                () -> assertThat(another().reply(runLease.id(), last("answer", "1", "1")))
                        .isEqualTo(RunInbox.Answer.ACCEPTED));

        assertThat(losing.store().conclude(runLease, done(0, 2), afterSignals(0)))
                .isTrue();

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another().find(runLease.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(1));
    }

    @Test
    void theEndOfAWaitWithALostAnswerIsRefusedAfterATakeover() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = new LosingDataSource(CONCLUSION, () -> {
            pass(LEASE);
            assertThat(another().take(runLease.id(), Set.of("lost"), MANY))
                    .hasValueSatisfying(
                            pickedUp -> assertThat(texts(pickedUp.journal())).isEqualTo(texts(done(0, 1))));
        });

        assertThatThrownBy(() -> losing.store().conclude(runLease, done(0, 1), afterSignals(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void theStartOfACompensationIsRepeatedAfterALostAnswer() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = new LosingDataSource("saga:run.compensate */", () -> {});

        assertThat(losing.store().compensate(runLease, done(0, 2))).isEqualTo(afterSignals(0));

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another().find(runLease.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
    }

    @Test
    void labelsAreWrittenOnceDespiteLostAnswers() throws Exception {
        RunExecutions.NewRun labelled = new RunExecutions.NewRun(
                RunId.next(), "lost", null, null, NOTHING, NOTHING, null, null, true, null, Map.of("customer", "1"));
        LosingDataSource losingStart = new LosingDataSource("saga:run.start */", () -> {});
        RunLease runLease = granted(losingStart.store().start(labelled));
        assertThat(losingStart.isLost).isTrue();
        LosingDataSource losing = new LosingDataSource("saga:run.checkpoint */", () -> {});

        assertThat(losing.store().checkpoint(runLease, List.of(LabelContract.label(0, "customer", "2"))))
                .isEqualTo(afterSignals(0));

        assertThat(losing.isLost).isTrue();
        assertThat(row(runLease.id()).labels()).isEqualTo(Map.of("customer", "2"));
        assertThat(row(runLease.id()).journal()).hasSize(1);
    }

    /** The next owner sets the label before the previous owner notices that its reply is lost. */
    @Test
    void aRepeatedWriteDoesNotReplaceALabelOfTheNextOwner() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = new LosingDataSource("saga:run.checkpoint */", () -> {
            pass(LEASE);
            RunLease next = another()
                    .take(runLease.id(), Set.of("lost"), MANY)
                    .orElseThrow()
                    .runLease();
            ControlState unused = another().checkpoint(next, List.of(LabelContract.label(1, "customer", "2")));
        });

        assertThatThrownBy(() -> losing.store().checkpoint(runLease, List.of(LabelContract.label(0, "customer", "1"))))
                .isInstanceOf(FencedException.class);

        assertThat(losing.isLost).isTrue();
        assertThat(row(runLease.id()).labels()).isEqualTo(Map.of("customer", "2"));
    }

    /** The reply has no key by which a repeated call could be recognized. */
    @Test
    void aReplyWhoseCommitIsNotAcknowledgedIsAcceptedOnce() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = new LosingDataSource("COMMIT", () -> {});

        assertThat(losing.store().reply(runLease.id(), last("answer", null, "1")))
                .isEqualTo(RunInbox.Answer.ACCEPTED);

        assertThat(losing.isLost).isTrue();
        assertThat(store().signals(runLease.id(), "answer")).hasSize(1);
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(1));
    }

    private LosingDataSource losing(Call call, Runnable meanwhile) {
        return new LosingDataSource(statement(call), meanwhile);
    }

    private static RunExecutions.NewRun newRunHere() {
        return new RunExecutions.NewRun(RunId.next(), "lost", null, null, NOTHING, NOTHING, null, true);
    }

    private void signal(RunLease runLease) {
        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(RunInbox.Answer.ACCEPTED);
    }

    PickedUpRun pickUp(RunId id) {
        return another().take(id, Set.of("lost"), MANY).orElseThrow();
    }

    @Test
    void aStartWithALostAnswerStillReturnsTheToken() throws Exception {
        LosingDataSource losing = losing(Call.START, () -> {});
        RunExecutions.NewRun run = newRunHere();

        RunLease runLease = granted(losing.store().start(run));

        assertThat(losing.isLost).isTrue();
        assertThat(runLease.id()).isEqualTo(run.id());
        assertThat(store().checkpoint(runLease, done(0, 1))).isEqualTo(afterSignals(0));
    }

    @Test
    void aStartWithALostAnswerReturnsNoTokenAfterATakeover() throws Exception {
        RunExecutions.NewRun run = newRunHere();
        LosingDataSource losing = losing(Call.START, () -> {
            pass(LEASE);
            assertThat(pickUp(run.id()).journal()).isEmpty();
        });

        RunExecutions.Started started = losing.store().start(run);

        assertThat(losing.isLost).isTrue();
        assertThat(started.id()).isEqualTo(run.id());
        assertThat(started.token()).isNull();
    }

    @Test
    void aCheckpointWithALostAnswerIsWrittenOnceAndReportsALaterSignal() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(Call.CHECKPOINT, () -> signal(runLease));

        assertThat(losing.store().checkpoint(runLease, done(0, 2))).isEqualTo(afterSignals(1));

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another().find(runLease.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
    }

    @Test
    void theNextOwnerGetsTheEntriesOfACheckpointWithALostAnswer() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(Call.CHECKPOINT, () -> {
            pass(LEASE);
            assertThat(texts(pickUp(runLease.id()).journal())).isEqualTo(texts(done(0, 2)));
        });

        assertThatThrownBy(() -> losing.store().checkpoint(runLease, done(0, 2)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void aSuspensionWithALostAnswerSucceedsDespiteALaterSignal() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(Call.SUSPEND, () -> signal(runLease));

        assertThat(losing.store().suspend(runLease, done(0, 1), Duration.ofHours(1), afterSignals(0)))
                .isTrue();

        assertThat(losing.isLost).isTrue();
        PickedUpRun pickedUp = pickUp(runLease.id());
        assertThat(pickedUp.controlState()).isEqualTo(afterSignals(1));
        assertThat(texts(pickedUp.journal())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void aRepeatedSuspensionIsRefusedAfterTheRunWasPickedUp() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(Call.SUSPEND, () -> {
            signal(runLease);
            assertThat(texts(pickUp(runLease.id()).journal())).isEqualTo(texts(done(0, 1)));
        });

        assertThatThrownBy(() -> losing.store().suspend(runLease, done(0, 1), null, afterSignals(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void aRunEndsAlthoughTheAnswerIsLost() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(
                Call.END,
                () -> assertThat(another().signal(runLease.id(), "paid", "1", stored("1")))
                        .isEqualTo(RunInbox.Answer.TOO_LATE));

        losing.store()
                .end(runLease, done(0, 2), new RunExecutions.Ending(RunState.COMPLETED, stored("result"), null, null));

        assertThat(losing.isLost).isTrue();
        RunRow row = another().find(runLease.id()).orElseThrow();
        assertThat(row.state()).isEqualTo(RunState.COMPLETED);
        assertThat(texts(row.journal())).isEqualTo(texts(done(0, 2)));
    }

    @Test
    void aRepeatedEndIsRefusedAfterTheRunWasRetried() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(Call.END, () -> {
            assertThat(another().retry(runLease.id())).isTrue();
            assertThat(pickUp(runLease.id()).attempt()).isOne();
        });

        assertThatThrownBy(() -> losing.store()
                        .end(runLease, List.of(), new RunExecutions.Ending(RunState.FAILED, null, "an error", null)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void aConditionalEndWithALostAnswerSucceedsDespiteALaterSignal() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(Call.END, () -> signal(runLease));

        assertThat(losing.store()
                        .endUnlessChanged(
                                runLease,
                                done(0, 1),
                                new RunExecutions.Ending(RunState.BLOCKED, null, "an error", Duration.ofHours(1)),
                                afterSignals(0)))
                .isTrue();

        assertThat(losing.isLost).isTrue();
        assertThat(another().find(runLease.id()).orElseThrow().state()).isEqualTo(RunState.BLOCKED);
    }

    @Test
    void aRepeatedConditionalEndIsRefusedAfterTheRunWasPickedUp() throws Exception {
        RunLease runLease = begun();
        LosingDataSource losing = losing(
                Call.END,
                () -> assertThat(texts(pickUp(runLease.id()).journal())).isEqualTo(texts(done(0, 1))));

        assertThatThrownBy(() -> losing.store()
                        .endUnlessChanged(
                                runLease,
                                done(0, 1),
                                new RunExecutions.Ending(RunState.BLOCKED, null, "an error", Duration.ZERO),
                                afterSignals(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }
}
