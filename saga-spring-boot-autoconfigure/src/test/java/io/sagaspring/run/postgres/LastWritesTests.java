package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.RunExecutions;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.Change.Release;
import io.sagaspring.run.postgres.Change.Start;
import io.sagaspring.run.postgres.Change.Write;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A batch reads no journal. It writes an entry only to the server that has accepted the preceding entry of the run. */
class LastWritesTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.verify(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final OwnTransactions own = new OwnTransactions(connections);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final OffsetDateTime FIRST = OffsetDateTime.parse("2026-01-01T00:00:00.000001Z");
    private static final OffsetDateTime SECOND = OffsetDateTime.parse("2026-01-01T00:00:00.000002Z");

    private final LastWrites lastWrites = new LastWrites("(SELECT name FROM public.server)");
    private final RunBatch batch = new RunBatch(schema, "one", LEASE, lastWrites);
    private final RunTable alone = new RunTable(schema, LEASE, lastWrites);
    private final DueRuns due = new DueRuns(schema, "one", LEASE, lastWrites);

    @BeforeAll
    static void create() {
        jdbc.sql("CREATE TABLE server (name timestamptz)").update();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void begin() {
        jdbc.sql("TRUNCATE server, saga_run, saga_step").update();
        jdbc.sql("INSERT INTO server VALUES (?)").param(FIRST).update();
    }

    private static void failOverTo(OffsetDateTime server) {
        jdbc.sql("UPDATE server SET name = ?").param(server).update();
    }

    private RunLease started() throws SQLException {
        Start start = new Start(new NewRun(
                RunId.next(),
                "kind",
                null,
                null,
                new StoredValue("json", "1".getBytes(StandardCharsets.UTF_8)),
                null,
                null,
                true));
        make(start);
        RunExecutions.Started given = Objects.requireNonNull(start.answer());
        return new RunLease(given.id(), Objects.requireNonNull(given.token()));
    }

    private void make(Change<?>... changes) {
        int unused = own.single(connection -> batch.make(connection, List.of(changes)));
    }

    private static Write entry(RunLease runLease, int position) {
        return write(runLease, position, null);
    }

    private static Write write(RunLease runLease, int position, @Nullable Release release) {
        return new Write(runLease, List.of(done(position)), release);
    }

    private static JournalEntry done(int position) {
        return new JournalEntry(position, "step-" + position, Call.STEP, Mark.DONE, null, null, null, null, null);
    }

    private boolean isMade(Write write) {
        make(write);
        return write.answer() != null;
    }

    private Optional<ControlState> writtenAlone(RunLease runLease, int position) {
        return own.single(connection -> alone.checkpoint(connection, runLease, List.of(done(position)), false));
    }

    private static List<Integer> journal(RunLease runLease) {
        return jdbc.sql("SELECT position FROM saga_step WHERE run_id = ? ORDER BY position")
                .param(runLease.id().value())
                .query(Integer.class)
                .list();
    }

    @Test
    void aServerThatAcceptedAnEntryAcceptsTheNextEntry() throws SQLException {
        RunLease run = started();

        assertThat(isMade(entry(run, 0))).isTrue();
        assertThat(isMade(entry(run, 1))).isTrue();
        assertThat(isMade(write(run, 2, new Release(new Ending(RunState.COMPLETED, null, null, null), null))))
                .isTrue();
        assertThat(journal(run)).containsExactly(0, 1, 2);
    }

    @Test
    void noEntryIsWrittenToAnotherServerIfThePreviousEntryMayBeMissing() throws SQLException {
        RunLease run = started();
        make(entry(run, 0));
        make(entry(run, 1));

        failOverTo(SECOND);
        jdbc.sql("DELETE FROM saga_step WHERE position = 1").update();

        assertThat(isMade(entry(run, 2))).isFalse();
        assertThat(isMade(write(run, 2, new Release(new Ending(RunState.COMPLETED, null, null, null), null))))
                .isFalse();
        assertThat(writtenAlone(run, 2)).isEmpty();
        assertThat(journal(run)).containsExactly(0);
    }

    @Test
    void afterAFailoverOnlyTheFirstEntryIsWrittenAlone() throws SQLException {
        RunLease run = started();
        make(entry(run, 0));
        failOverTo(SECOND);
        assertThat(isMade(entry(run, 1))).isFalse();

        assertThat(writtenAlone(run, 1)).isPresent();

        assertThat(isMade(entry(run, 2))).isTrue();
        failOverTo(FIRST);
        assertThat(isMade(entry(run, 3))).isFalse();
    }

    /** An old primary may still reply after a replica has been promoted. */
    @Test
    void aBatchLeavesOutRunsThatWereLastWrittenOnAnotherServer() throws SQLException {
        RunLease onFirst = started();
        RunLease onSecond = started();
        RunLease fresh = started();
        make(entry(onFirst, 0));
        failOverTo(SECOND);
        make(entry(onSecond, 0));

        Write toFirst = entry(onFirst, 1);
        Write toSecond = entry(onSecond, 1);
        make(toSecond, toFirst);
        assertThat(toSecond.answer()).isNotNull();
        assertThat(toFirst.answer()).isNull();

        Write beginning = entry(fresh, 0);
        Write onOld = entry(onFirst, 1);
        make(onOld, beginning);
        assertThat(onOld.answer()).isNull();
        assertThat(beginning.answer()).isNull();
    }

    /**
     * Another writer may have written to the journal, for example a transaction of the caller. In that case, this node
     * does not know how much of the journal the server has.
     */
    @Test
    void aJournalThatThisNodeDoesNotKnowIsNotWrittenInABatch() throws SQLException {
        RunLease run = started();
        make(entry(run, 0));

        assertThat(isMade(entry(run, 2))).isFalse();
        assertThat(isMade(entry(
                        new RunLease(run.id(), new FencingToken(run.token().value() + 1)), 1)))
                .isFalse();
    }

    @Test
    void aBatchWritesAPickedUpRunOnlyToTheServerOfItsPickup() throws SQLException {
        RunLease run = started();
        make(entry(run, 0));
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp()").update();

        RunLease again = own.single(connection -> due.take(connection, run.id(), Set.of("kind"), 5))
                .orElseThrow()
                .runLease();

        assertThat(isMade(entry(again, 2))).isFalse();
        assertThat(isMade(entry(again, 1))).isTrue();
        failOverTo(SECOND);
        assertThat(isMade(entry(again, 2))).isFalse();
    }

    @Test
    void theFirstEntryAfterAWaitIsWrittenInABatch() throws SQLException {
        RunLease run = started();

        boolean concluded = own.single(connection ->
                alone.conclude(connection, run, List.of(done(0)), new ControlState(0, null, false), false));

        assertThat(concluded).isTrue();
        assertThat(isMade(entry(run, 1))).isTrue();
    }

    @Test
    void theServerOfACompletedRunIsForgotten() throws SQLException {
        RunLease run = started();
        make(entry(run, 0));
        assertThat(lastWrites.serverWith(run, 0)).isEqualTo(FIRST);

        make(write(run, 1, new Release(new Ending(RunState.COMPLETED, null, null, null), null)));

        assertThat(lastWrites.serverWith(run, 0)).isNull();
    }

    @Test
    void above10000RunsTheServersOfAllEarlierRunsAreForgotten() {
        RunLease first = new RunLease(RunId.next(), new FencingToken(1));
        lastWrites.wrote(first, 1, FIRST);
        for (int token = 2; token <= 10_000; token++) {
            lastWrites.wrote(new RunLease(RunId.next(), new FencingToken(token)), 1, FIRST);
        }
        assertThat(lastWrites.serverWith(first, 0)).isEqualTo(FIRST);
        RunLease last = new RunLease(RunId.next(), new FencingToken(10_001));

        lastWrites.wrote(last, 1, FIRST);

        assertThat(lastWrites.serverWith(first, 0)).isNull();
        assertThat(lastWrites.serverWith(last, 0)).isEqualTo(FIRST);
    }

    /** Checks the name that production code uses. */
    @Test
    void aServerHasTheSameNameOnEachConnection() throws SQLException {
        String name = "SELECT " + new LastWrites().server();

        assertThat(jdbc.sql(name).query(OffsetDateTime.class).single())
                .isEqualTo(jdbc.sql(name).query(OffsetDateTime.class).single());
    }
}
