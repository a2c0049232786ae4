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
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Several runs in one batch, and that it writes what the statements of a single run write. */
class RunBatchTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final RunDatabase database = new RunDatabase();
    private static final RunStore single = database.store(database.pool(), "one", Commits.SEPARATE);

    private Gathering gathering;
    private RunStore shared;

    @BeforeEach
    void gather() throws Exception {
        database.empty();
        gathering = new Gathering(database, database.pool(), "one");
        shared = gathering.store();
    }

    @AfterEach
    void letGo() {
        gathering.close();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private static NewRun asked(@Nullable Duration deadline, boolean here) {
        return new NewRun(
                RunId.next(), "batch", null, RunStoreContract.INPUT, RunStoreContract.CARRIED, deadline, here);
    }

    private static RunLease runLease() {
        return RunStoreContract.granted(single.start(asked(null, true)));
    }

    private static ControlState told(int signals) {
        return RunStoreContract.told(signals);
    }

    private static List<JournalEntry> done(int from, int to) {
        return RunStoreContract.done(from, to);
    }

    private static List<String> journal(RunLease runLease) {
        return RunStoreContract.texts(single.find(runLease.id()).orElseThrow().journal());
    }

    private static RunState state(RunLease runLease) {
        return single.look(runLease.id()).orElseThrow().state();
    }

    private static <T> T answer(CompletableFuture<T> call) throws Exception {
        return call.get(60, SECONDS);
    }

    private static void assertFails(CompletableFuture<?> call, Class<? extends Exception> by) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> call.get(60, SECONDS))
                .withCauseInstanceOf(by);
    }

    private Supplier<ControlState> checkpoint(RunLease runLease, List<JournalEntry> entries) {
        return () -> shared.checkpoint(runLease, entries);
    }

    private void assertWereOneBatch() {
        assertThat(gathering.batches()).hasSize(1);
    }

    // Neighbours.

    @Test
    void aFencedOffOwnerIsRefusedAlone() throws Exception {
        RunLease before = runLease();
        RunLease overtaken = runLease();
        RunLease after = runLease();
        database.jdbc()
                .sql("UPDATE saga_run SET token = token + 1000 WHERE id = ?")
                .param(overtaken.id().value())
                .update();

        List<CompletableFuture<ControlState>> answers = gathering.together(List.of(
                checkpoint(before, done(0, 1)), checkpoint(overtaken, done(0, 1)), checkpoint(after, done(0, 3))));

        assertFails(answers.get(1), FencedException.class);
        assertThat(answer(answers.get(0))).isEqualTo(told(0));
        assertThat(answer(answers.get(2))).isEqualTo(told(0));
        assertWereOneBatch();
        assertThat(journal(before)).isEqualTo(RunStoreContract.texts(done(0, 1)));
        assertThat(journal(overtaken)).isEmpty();
        assertThat(journal(after)).isEqualTo(RunStoreContract.texts(done(0, 3)));
    }

    /** Their first entries were written through another store: this one does not know which server has them. */
    @Test
    void aWriterWhoseJournalTheDatabaseHasLostIsRefusedAlone() throws Exception {
        RunLease good = runLease();
        RunLease forgotten = runLease();
        RunLease older = runLease();
        RunLease gone = runLease();
        RunLease ending = runLease();
        for (RunLease each : List.of(good, forgotten, older, gone, ending)) {
            assertThat(single.checkpoint(each, done(0, 3))).isEqualTo(told(0));
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

        assertThat(answer(answers.get(1))).isEqualTo(told(0));
        for (int refused : List.of(0, 2, 3, 4)) {
            assertFails(answers.get(refused), FencedException.class);
        }
        assertThat(gathering.batches()).isEmpty();
        assertThat(journal(good)).isEqualTo(RunStoreContract.texts(done(0, 5)));
        assertThat(journal(forgotten)).isEqualTo(RunStoreContract.texts(done(0, 1)));
        assertThat(state(ending)).isEqualTo(RunState.RUNNING);
    }

    @Test
    void aPreviousOwnerThatReleasedItsRunIsRefusedAlone() throws Exception {
        RunLease good = runLease();
        RunLease givenUp = runLease();
        assertThat(single.suspend(givenUp, List.of(), null, told(0))).isTrue();

        List<CompletableFuture<ControlState>> answers =
                gathering.together(List.of(checkpoint(givenUp, done(0, 1)), checkpoint(good, List.of())));

        assertFails(answers.get(0), FencedException.class);
        assertThat(answer(answers.get(1))).isEqualTo(told(0));
        assertWereOneBatch();
        assertThat(journal(givenUp)).isEmpty();
    }

    @Test
    void aPositionThatIsTakenHurtsNobodyElse() throws Exception {
        RunLease good = runLease();
        RunLease twice = runLease();
        RunLease starting = runLease();
        List<JournalEntry> same = List.of(done(0, 1).get(0), done(0, 1).get(0));
        NewRun run = asked(null, true);

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.checkpoint(good, done(0, 2)),
                () -> shared.checkpoint(twice, same),
                () -> shared.start(run),
                () -> shared.suspend(starting, done(0, 1), HOUR, told(0))));

        assertThat(answer(answers.get(0))).isEqualTo(told(0));
        assertThat(((Started) answer(answers.get(2))).token()).isNotNull();
        assertThat(answer(answers.get(3))).isEqualTo(true);
        // Said alone, it is as if its answer had been lost.
        assertThat(answer(answers.get(1))).isEqualTo(told(0));
        assertWereOneBatch();
        assertThat(journal(good)).hasSize(2);
        assertThat(journal(twice)).hasSize(1);
        assertThat(state(starting)).isEqualTo(RunState.WAITING);
    }

    @Test
    void anUnstorableChangeFailsAlone() throws Exception {
        RunLease good = runLease();
        RunLease bad = runLease();
        JournalEntry unstorable = RunStoreContract.entry(0, "nul\0", Call.STEP, Mark.DONE, null);
        RunLease ending = runLease();

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.checkpoint(good, done(0, 2)),
                () -> shared.checkpoint(bad, List.of(unstorable)),
                () -> shared.endUnlessTold(
                        ending, done(0, 1), new Ending(RunState.COMPLETED, null, null, null), told(0))));

        assertFails(answers.get(1), DataAccessException.class);
        assertThat(answer(answers.get(0))).isEqualTo(told(0));
        assertThat(answer(answers.get(2))).isEqualTo(true);
        assertThat(journal(good)).hasSize(2);
        assertThat(journal(bad)).isEmpty();
        assertThat(journal(ending)).hasSize(1);
        assertThat(state(ending)).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void aRowThatIsLockedBlocksWhoWritesItAndNobodyElse() throws Exception {
        RunLease good = runLease();
        RunLease locked = runLease();
        RunLease waiting = runLease();
        try (Connection locking = database.connect()) {
            locking.setAutoCommit(false);
            lock(locking, locked);

            List<CompletableFuture<Object>> answers = gathering.together(List.of(
                    () -> shared.checkpoint(locked, done(0, 1)),
                    () -> shared.checkpoint(good, done(0, 1)),
                    () -> shared.suspend(waiting, List.of(), null, told(0))));

            assertThat(answer(answers.get(1))).isEqualTo(told(0));
            assertThat(answer(answers.get(2))).isEqualTo(true);
            assertThat(answers.get(0)).isNotDone();
            assertThat(journal(good)).hasSize(1);
            locking.rollback();
            assertThat(answer(answers.get(0))).isEqualTo(told(0));
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
    void aSignalledRunStaysAndTheOthersWaitOrEnd() throws Exception {
        RunLease waits = runLease();
        RunLease isTold = runLease();
        RunLease ends = runLease();
        RunLease doesNotEnd = runLease();
        for (RunLease each : List.of(isTold, doesNotEnd)) {
            assertThat(single.signal(each.id(), "paid", "1", RunStoreContract.stored("1")))
                    .isEqualTo(RunInbox.Answer.ACCEPTED);
        }
        Ending completed = new Ending(RunState.COMPLETED, null, null, null);

        List<CompletableFuture<Boolean>> answers = gathering.together(List.of(
                () -> shared.suspend(waits, done(0, 1), null, told(0)),
                () -> shared.suspend(isTold, done(0, 1), null, told(0)),
                () -> shared.endUnlessTold(ends, done(0, 3), completed, told(0)),
                () -> shared.endUnlessTold(doesNotEnd, done(0, 3), completed, told(0))));

        assertThat(answer(answers.get(0))).isTrue();
        assertThat(answer(answers.get(1))).isFalse();
        assertThat(answer(answers.get(2))).isTrue();
        assertThat(answer(answers.get(3))).isFalse();
        assertThat(Stream.of(waits, isTold, ends, doesNotEnd).map(RunBatchTests::state))
                .containsExactly(RunState.WAITING, RunState.RUNNING, RunState.COMPLETED, RunState.RUNNING);
        assertThat(Stream.of(waits, isTold, ends, doesNotEnd)
                        .map(each -> journal(each).size()))
                .containsExactly(1, 0, 3, 0);
    }

    @Test
    void aRunWhoseDeadlinePassesMeanwhileDoesNotEndAndTheOthersDo() throws Exception {
        RunLease late = RunStoreContract.granted(single.start(asked(Duration.ZERO, true)));
        RunLease inTime = RunStoreContract.granted(single.start(asked(HOUR, true)));
        RunLease knows = RunStoreContract.granted(single.start(asked(Duration.ZERO, true)));
        Ending completed = new Ending(RunState.COMPLETED, null, null, null);

        List<CompletableFuture<Boolean>> answers = gathering.together(List.of(
                () -> shared.endUnlessTold(late, List.of(), completed, told(0)),
                () -> shared.endUnlessTold(inTime, List.of(), completed, told(0)),
                () -> shared.endUnlessTold(knows, List.of(), completed, new ControlState(0, null, true))));

        assertThat(answer(answers.get(0))).isFalse();
        assertThat(answer(answers.get(1))).isTrue();
        assertThat(answer(answers.get(2))).isTrue();
    }

    /** Each is told what it was told, and not what its neighbour was. */
    @Test
    void eachIsAnsweredAboutItself() throws Exception {
        RunLease quiet = runLease();
        RunLease late = RunStoreContract.granted(single.start(asked(Duration.ZERO, true)));
        RunLease cancelled = runLease();
        assertThat(single.cancel(cancelled.id(), "enough")).isEqualTo(RunInbox.Answer.ACCEPTED);
        NewRun here = asked(HOUR, true);
        NewRun elsewhere = asked(null, false);

        List<CompletableFuture<Object>> answers = gathering.together(List.of(
                () -> shared.start(elsewhere),
                () -> shared.checkpoint(quiet, List.of()),
                () -> shared.checkpoint(late, done(0, 3)),
                () -> shared.start(here),
                () -> shared.checkpoint(cancelled, done(0, 1))));

        assertThat(answer(answers.get(1))).isEqualTo(told(0));
        assertThat(answer(answers.get(2))).isEqualTo(new ControlState(0, null, true));
        assertThat(answer(answers.get(4))).isEqualTo(new ControlState(1, "enough", false));
        Started startedElsewhere = (Started) answer(answers.get(0));
        assertThat(startedElsewhere.id()).isEqualTo(elsewhere.id());
        assertThat(startedElsewhere.token()).isNull();
        Started startedHere = (Started) answer(answers.get(3));
        assertThat(startedHere.id()).isEqualTo(here.id());
        assertWereOneBatch();
        assertThat(single.checkpoint(RunStoreContract.granted(startedHere), List.of()))
                .isEqualTo(told(0));
        for (Started each : List.of(startedHere, startedElsewhere)) {
            assertThat(single.look(each.id()).orElseThrow().startedAt()).isEqualTo(each.at());
        }
        assertThat(Stream.of(quiet, late, cancelled).map(each -> journal(each).size()))
                .containsExactly(0, 3, 1);
    }

    /** A database that rolls a commit back for the sake of another one is asked again, and answers anew. */
    @Test
    void anAnswerBeforeARollbackIsDiscarded() throws Exception {
        RunLease overtaken = runLease();
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
                                    .param(overtaken.id().value())
                                    .update());
                }
            };
            try (Gathering rolledBack = new Gathering(database, rollingBack, "one")) {
                RunStore store = rolledBack.store();

                List<CompletableFuture<ControlState>> answers = rolledBack.together(List.of(
                        () -> store.checkpoint(overtaken, done(0, 1)), () -> store.checkpoint(good, done(0, 1))));

                assertFails(answers.get(0), FencedException.class);
                assertThat(answer(answers.get(1))).isEqualTo(told(0));
            }
        }
        assertThat(journal(overtaken)).isEmpty();
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

    // The same as alone.

    /** How a run stands before it is written. */
    private enum Before {
        NEW {
            @Override
            RunLease runLease(@Nullable Duration deadline) {
                return RunStoreContract.granted(single.start(asked(deadline, true)));
            }
        },
        /** It was left in trouble, with what that leaves in its row, and was taken up again. */
        TAKEN_AGAIN {
            @Override
            RunLease runLease(@Nullable Duration deadline) {
                RunLease before = NEW.runLease(deadline);
                single.end(
                        before,
                        List.of(),
                        new Ending(RunState.PENDING, RunStoreContract.stored("old"), "an old error", Duration.ZERO));
                RunLease again = single.take(before.id(), Set.of("batch"), 1_000)
                        .orElseThrow()
                        .runLease();
                ControlState unused = single.compensate(again, List.of());
                return again;
            }
        };

        abstract RunLease runLease(@Nullable Duration deadline);
    }

    /** What is written, on any store. */
    private interface Writing {
        Object by(RunStore store, RunLease runLease);
    }

    private record Case(
            String name, Before before, @Nullable Duration deadline, Writing writing) {}

    private static List<List<JournalEntry>> journals() {
        JournalEntry withAll = new JournalEntry(
                0, "all", Call.SIGNAL, Mark.WAITING, RunStoreContract.stored("ü\0"), "a\0detail", HOUR, null, null);
        JournalEntry withNothing = RunStoreContract.entry(1, "nothing", Call.STOP_MID_STEP, Mark.ABSENT, null);
        JournalEntry forEver = RunStoreContract.entry(2, "", Call.SLEEP, Mark.WAITING, Duration.ofDays(1_000_000));
        JournalEntry empty = new JournalEntry(
                2, "empty", Call.STEP, Mark.DONE, new StoredValue("none", new byte[0]), "", Duration.ZERO, null, null);
        return List.of(
                List.of(),
                List.of(withAll),
                List.of(withAll, withNothing, forEver),
                List.of(withAll, withNothing, empty));
    }

    private static List<@Nullable Duration> maybe(Duration... durations) {
        List<@Nullable Duration> all = new ArrayList<>(Arrays.asList(durations));
        all.add(null);
        return all;
    }

    private static List<Case> checkpoints() {
        List<Case> cases = new ArrayList<>();
        for (List<JournalEntry> entries : journals()) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR)) {
                add(cases, "checkpoint", deadline, entries, (store, runLease) -> store.checkpoint(runLease, entries));
            }
        }
        return cases;
    }

    private static List<Case> suspensions() {
        List<Case> cases = new ArrayList<>();
        for (List<JournalEntry> entries : journals()) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR, HOUR.multipliedBy(3))) {
                for (Duration pause : maybe(Duration.ZERO, HOUR.multipliedBy(2), Duration.ofDays(1_000_000))) {
                    for (ControlState known : List.of(told(0), new ControlState(0, null, true), told(1))) {
                        add(
                                cases,
                                "suspend for %s knowing %s".formatted(pause, known),
                                deadline,
                                entries,
                                (store, runLease) -> store.suspend(runLease, entries, pause, known));
                    }
                }
            }
        }
        return cases;
    }

    private static List<Ending> endings() {
        List<Ending> endings = new ArrayList<>();
        // Nobody ends a run by letting it wait: that is to suspend it.
        for (RunState state : EnumSet.complementOf(EnumSet.of(RunState.WAITING))) {
            for (Duration again : maybe(Duration.ZERO, HOUR)) {
                endings.add(new Ending(state, null, null, again));
                endings.add(new Ending(state, RunStoreContract.stored("result"), null, again));
                endings.add(new Ending(state, null, "an\0error" + "r".repeat(9_000), again));
                endings.add(new Ending(state, new StoredValue("none", new byte[0]), "", again));
            }
        }
        return endings;
    }

    private static String text(Ending ending) {
        String error = ending.error();
        return "%s %s error %s again %s"
                .formatted(ending.state(), ending.result(), error == null ? null : error.length(), ending.again());
    }

    /** Each ending with one of the journals, and each state with all of them. */
    private static List<Case> ends() {
        List<Case> cases = new ArrayList<>();
        List<List<JournalEntry>> journals = journals();
        List<Ending> endings = endings();
        for (int each = 0; each < endings.size(); each++) {
            addEnd(cases, endings.get(each), journals.get(each % journals.size()));
        }
        for (Ending ending : oneOfEachState(endings)) {
            for (List<JournalEntry> entries : journals) {
                addEnd(cases, ending, entries);
            }
        }
        return cases;
    }

    private static void addEnd(List<Case> cases, Ending ending, List<JournalEntry> entries) {
        add(cases, "end " + text(ending), HOUR, entries, (store, runLease) -> {
            store.end(runLease, entries, ending);
            return "ended";
        });
    }

    /** Each ending once, and one of each state with all deadlines and all that may be known. */
    private static List<Case> endsUnlessTold() {
        List<Case> cases = new ArrayList<>();
        List<Ending> endings =
                endings().stream().filter(each -> HOUR.equals(each.again())).toList();
        for (Ending ending : endings) {
            addEndUnlessTold(cases, ending, null, told(0));
        }
        for (Ending ending : oneOfEachState(endings)) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR.dividedBy(2))) {
                for (ControlState known : List.of(told(0), new ControlState(0, null, true), told(1))) {
                    addEndUnlessTold(cases, ending, deadline, known);
                }
            }
        }
        return cases;
    }

    private static void addEndUnlessTold(
            List<Case> cases, Ending ending, @Nullable Duration deadline, ControlState known) {
        List<JournalEntry> entries = journals().get(1);
        add(
                cases,
                "end %s unless told, knowing %s".formatted(text(ending), known),
                deadline,
                entries,
                (store, runLease) -> store.endUnlessTold(runLease, entries, ending, known));
    }

    private static List<Ending> oneOfEachState(List<Ending> endings) {
        Map<RunState, Ending> one = new EnumMap<>(RunState.class);
        endings.forEach(each -> one.put(each.state(), each));
        return List.copyOf(one.values());
    }

    private static void add(
            List<Case> cases, String name, @Nullable Duration deadline, List<JournalEntry> entries, Writing writing) {
        for (Before before : Before.values()) {
            cases.add(new Case(
                    "%s, %s, deadline %s, %d entries".formatted(before, name, deadline, entries.size()),
                    before,
                    deadline,
                    writing));
        }
    }

    @Test
    void aCheckpointIsWrittenAsAlone() throws Exception {
        assertAreWrittenAsAlone(checkpoints());
    }

    @Test
    void aRunWaitsAsAlone() throws Exception {
        assertAreWrittenAsAlone(suspensions());
    }

    @Test
    void aRunEndsAsAlone() throws Exception {
        assertAreWrittenAsAlone(ends());
    }

    @Test
    void aRunEndsUnlessToldAsAlone() throws Exception {
        assertAreWrittenAsAlone(endsUnlessTold());
    }

    @Test
    void aRunIsStartedAsAlone() throws Exception {
        List<NewRun> runs = new ArrayList<>();
        for (boolean here : List.of(true, false)) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR, Duration.ofDays(1_000_000))) {
                for (StoredValue input :
                        List.of(RunStoreContract.stored("ü\0"), new StoredValue("none", new byte[0]))) {
                    for (StoredValue carried : Arrays.asList(RunStoreContract.CARRIED, null)) {
                        runs.add(new NewRun(RunId.next(), "batch", null, input, carried, deadline, here));
                    }
                }
            }
        }
        List<Map<String, @Nullable Object>> alone = new ArrayList<>();
        for (NewRun run : runs) {
            Started started = single.start(again(run));
            assertThat(started.token() != null).isEqualTo(run.here());
            alone.add(row(started.id()));
        }

        List<CompletableFuture<Started>> answers = gathering.together(runs.stream()
                .<Supplier<Started>>map(run -> () -> shared.start(run))
                .toList());

        for (int each = 0; each < runs.size(); each++) {
            NewRun run = runs.get(each);
            Started started = answer(answers.get(each));
            assertThat(started.id()).isEqualTo(run.id());
            assertThat(started.token() != null).isEqualTo(run.here());
            Map<String, @Nullable Object> row = row(run.id());
            assertThat(row.get("token"))
                    .isEqualTo(started.token() == null ? null : started.token().value());
            assertThat(differences(alone.get(each), row)).as("%s", run).isEmpty();
        }
        assertWereOneBatch();
    }

    private static NewRun again(NewRun run) {
        return new NewRun(RunId.next(), run.run(), null, run.input(), run.carried(), run.deadline(), run.here());
    }

    private void assertAreWrittenAsAlone(List<Case> cases) throws Exception {
        Map<String, String> different = new LinkedHashMap<>();
        for (int from = 0; from < cases.size(); from += 100) {
            List<Case> some = cases.subList(from, Math.min(cases.size(), from + 100));
            List<RunLease> alone = new ArrayList<>();
            List<RunLease> together = new ArrayList<>();
            for (Case each : some) {
                alone.add(each.before().runLease(each.deadline()));
                together.add(each.before().runLease(each.deadline()));
            }
            List<Object> expected = new ArrayList<>();
            List<Supplier<Object>> calls = new ArrayList<>();
            for (int each = 0; each < some.size(); each++) {
                Writing writing = some.get(each).writing();
                RunLease runLease = together.get(each);
                expected.add(writing.by(single, alone.get(each)));
                calls.add(() -> writing.by(shared, runLease));
            }
            List<CompletableFuture<Object>> answers = gathering.together(calls);
            List<Object> answered = new ArrayList<>();
            for (CompletableFuture<Object> each : answers) {
                answered.add(answer(each));
            }
            Written all =
                    new Written(Stream.concat(alone.stream(), together.stream()).toList());
            for (int each = 0; each < some.size(); each++) {
                List<String> found = new ArrayList<>();
                Object given = answered.get(each);
                if (!given.equals(expected.get(each))) {
                    found.add("answered %s instead of %s".formatted(given, expected.get(each)));
                }
                found.addAll(differences(all, alone.get(each), together.get(each)));
                if (!found.isEmpty()) {
                    different.put(some.get(each).name(), found.toString());
                }
            }
        }
        assertThat(different).isEmpty();
    }

    /** All that is stored of some runs: one query reads the rows of all of them, and one their entries. */
    private static final class Written {

        private final Map<Object, List<Map<String, @Nullable Object>>> runs;
        private final Map<Object, List<Map<String, @Nullable Object>>> steps;

        Written(List<RunLease> runLease) {
            UUID[] ids = runLease.stream().map(each -> each.id().value()).toArray(UUID[]::new);
            this.runs = read("SELECT * FROM saga_run WHERE id = ANY (?)", "id", ids);
            this.steps = read("SELECT * FROM saga_step WHERE run_id = ANY (?) ORDER BY position", "run_id", ids);
        }

        private static Map<Object, List<Map<String, @Nullable Object>>> read(String sql, String id, UUID[] ids) {
            return database.jdbc().sql(sql).param(ids).query((row, number) -> columns(row)).list().stream()
                    .collect(Collectors.groupingBy(row -> Objects.requireNonNull(row.get(id))));
        }

        Map<String, @Nullable Object> row(RunLease runLease) {
            return Objects.requireNonNull(runs.get(runLease.id().value())).get(0);
        }

        List<Map<String, @Nullable Object>> steps(RunLease runLease) {
            return steps.getOrDefault(runLease.id().value(), List.of());
        }
    }

    private static List<String> differences(Written all, RunLease alone, RunLease together) {
        List<String> found = new ArrayList<>(differences(all.row(alone), all.row(together)));
        List<Map<String, @Nullable Object>> expected = all.steps(alone);
        List<Map<String, @Nullable Object>> written = all.steps(together);
        if (expected.size() != written.size()) {
            found.add("%d entries instead of %d".formatted(written.size(), expected.size()));
            return found;
        }
        for (int each = 0; each < expected.size(); each++) {
            found.addAll(differences(expected.get(each), written.get(each)));
            if (!Objects.equals(written.get(each).get("token"), together.token().value())) {
                found.add("token of an entry");
            }
        }
        return found;
    }

    private static List<String> differences(
            Map<String, @Nullable Object> expected, Map<String, @Nullable Object> written) {
        return expected.keySet().stream()
                .filter(column -> !Set.of("id", "run_id", "token").contains(column))
                .filter(column -> !isSame(expected.get(column), written.get(column)))
                .map(column -> "%s is %s instead of %s".formatted(column, written.get(column), expected.get(column)))
                .toList();
    }

    private static boolean isSame(@Nullable Object expected, @Nullable Object written) {
        if (expected instanceof Timestamp one && written instanceof Timestamp other) {
            return Duration.between(one.toInstant(), other.toInstant()).abs().compareTo(Duration.ofMinutes(10)) < 0;
        }
        return Objects.deepEquals(expected, written);
    }

    private static Map<String, @Nullable Object> row(RunId id) {
        return database.jdbc()
                .sql("SELECT * FROM saga_run WHERE id = ?")
                .param(id.value())
                .query((row, number) -> columns(row))
                .single();
    }

    private static Map<String, @Nullable Object> columns(ResultSet row) throws SQLException {
        Map<String, @Nullable Object> columns = new LinkedHashMap<>();
        for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
            columns.put(row.getMetaData().getColumnName(column), row.getObject(column));
        }
        return columns;
    }
}
