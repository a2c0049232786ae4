package io.sagaspring.run.postgres;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.HeldRows;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.KindCounts;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StoredValue;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stores runs in PostgreSQL. The store uses the database clock. Most changes need one statement. Starts of runs, and
 * writes of executing nodes, can share a statement and a commit if they are ready at the same time. {@link #start},
 * {@link #startAll} and {@link #checkpoint} join the caller's transaction, if there is one. Every other change is
 * committed when the method returns.
 *
 * @since 0.1.0
 */
public final class PostgresRunStore implements RunStore, RenewableRows {

    /** The way to commit changes of runs that are ready at the same time. */
    public enum Commits {
        /** One caller commits all of them together. */
        SHARED,
        /** Each change has a commit of its own. */
        SEPARATE
    }

    private final LastWrites lastWrites = new LastWrites();
    private final RunTable table;
    private final Starts starts;
    private final DueRuns due;
    private final RunRows rows;
    private final RunLists lists;
    private final RunKinds kinds;
    private final ReplyRows replies;
    private final HeldRows held;
    private final QueueStore queues;
    private final OwnTransactions own;
    private final CallersTransaction callers;
    private final @Nullable GroupCommit group;

    /**
     * Creates a store on the given schema.
     *
     * @param schema the schema of the tables
     * @param node the name of this node, for display
     * @param own the library's own transactions on the schema's data source
     * @param dataSource the data source whose transactions the store joins
     * @param lease the duration of a run's lease after its node's last heartbeat
     * @param retention the time after which an ended run is removed
     * @param commits the way to commit changes that are ready at the same time
     */
    public PostgresRunStore(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            DataSource dataSource,
            Duration lease,
            Duration retention,
            Commits commits) {
        this.table = new RunTable(schema, lease, lastWrites);
        this.due = new DueRuns(schema, node, lease, lastWrites);
        this.rows = new RunRows(schema, retention);
        this.lists = new RunLists(schema);
        this.kinds = new RunKinds(schema);
        this.replies = new ReplyRows(schema);
        this.held = RunLoads.of(schema, lease);
        this.queues =
                new PostgresQueueStore(new QueuePick(schema, node, lease, lastWrites, due), new QueueRows(schema), own);
        this.own = own;
        this.callers = new CallersTransaction(dataSource, own.guard());
        this.group = commits == Commits.SHARED
                ? new GroupCommit(makingAll(own, new RunBatch(schema, node, lease, lastWrites)))
                : null;
        this.starts = new Starts(new StartRows(schema, node, lease), own, callers, group);
    }

    private static Consumer<List<? extends Change<?>>> makingAll(OwnTransactions own, RunBatch batch) {
        return changes -> own.single(connection -> batch.make(connection, changes));
    }

    /**
     * Makes a change together with others that are ready now. A change in the caller's transaction is made alone, and so is a change that
     * writes labels.
     */
    private <A, T> T together(Change<A> change, Function<A, T> made, Supplier<T> alone) {
        return group == null || callers.isActive() || change.writesLabels()
                ? alone.get()
                : group.make(change, made, alone);
    }

    /**
     * Returns the part of this store that lets runs of queues begin.
     *
     * @return the store of the queues
     */
    public QueueStore queues() {
        return queues;
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.EXACT;
    }

    @Override
    public Started start(NewRun run) {
        return starts.start(run);
    }

    @Override
    public List<Started> startAll(List<NewRun> runs) {
        return starts.startAll(runs);
    }

    @Override
    public Optional<Duration> untilDue(Set<String> runs, Duration within) {
        return own.single(connection -> due.untilDue(connection, runs, within));
    }

    @Override
    public List<PickedUpRun> take(Set<String> runs, int slots, int attempts) {
        return own.together(connection -> due.take(connection, runs, slots, attempts));
    }

    @Override
    public Optional<PickedUpRun> take(RunId id, Set<String> runs, int attempts) {
        return own.together(connection -> due.take(connection, id, runs, attempts));
    }

    @Override
    public ControlState checkpoint(RunLease runLease, List<JournalEntry> entries) {
        Change.Write write = new Change.Write(runLease, entries, null);
        return together(
                write,
                Function.identity(),
                () -> joining(
                                write::activity,
                                (connection, again) -> table.checkpoint(connection, runLease, entries, again))
                        .orElseThrow(() -> new FencedException(runLease)));
    }

    @Override
    public ControlState compensate(RunLease runLease, List<JournalEntry> entries) {
        return own.adding(
                        () -> "Beginning the compensation of " + runLease,
                        (connection, again) -> table.compensate(connection, runLease, entries, again))
                .orElseThrow(() -> new FencedException(runLease));
    }

    @Override
    public boolean conclude(RunLease runLease, List<JournalEntry> entries, ControlState known) {
        boolean concluded = own.adding(
                () -> "Recording the end of a wait of " + runLease,
                (connection, again) -> table.conclude(connection, runLease, entries, known, again));
        if (concluded) {
            return true;
        }
        // If this node is fenced off, the checkpoint throws an exception. Otherwise a signal or a cancellation has
        // arrived. It may have arrived after an attempt that added the entries but whose reply was lost.
        ControlState unused = checkpoint(runLease, List.of());
        JournalEntry last = entries.get(entries.size() - 1);
        return own.single(connection -> table.wasAdded(connection, runLease, last));
    }

    @Override
    public boolean suspend(
            RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, ControlState known) {
        Change.Write write = new Change.Write(runLease, entries, Change.Release.waiting(pause, known));
        return runLease.freesPermitWhileWaiting()
                ? suspendAlone(write, pause, known)
                : together(write, made -> true, () -> suspendAlone(write, pause, known));
    }

    private boolean suspendAlone(Change.Write write, @Nullable Duration pause, ControlState known) {
        RunLease runLease = write.runLease();
        boolean suspended = own.adding(
                write::activity,
                (connection, again) -> table.suspend(connection, runLease, write.entries(), pause, known, again));
        if (suspended || wasLeftIn(runLease, RunState.WAITING)) {
            lastWrites.forget(runLease);
            return true;
        }
        // Either a signal or a cancellation has arrived, or this node is fenced off. In the second case, the checkpoint
        // throws an exception.
        ControlState unused = checkpoint(runLease, List.of());
        return false;
    }

    @Override
    public void end(RunLease runLease, List<JournalEntry> entries, Ending ending) {
        if (!ended(runLease, entries, ending, null)) {
            throw new FencedException(runLease);
        }
    }

    @Override
    public boolean endUnlessChanged(RunLease runLease, List<JournalEntry> entries, Ending ending, ControlState known) {
        if (ended(runLease, entries, ending, known)) {
            return true;
        }
        // Either a signal or a cancellation has arrived, or the deadline has passed, or this node is fenced off. In the
        // last case, the checkpoint throws an exception.
        ControlState unused = checkpoint(runLease, List.of());
        return false;
    }

    private boolean ended(RunLease runLease, List<JournalEntry> entries, Ending ending, @Nullable ControlState known) {
        Change.Write write = new Change.Write(runLease, entries, new Change.Release(ending, known));
        return runLease.freesPermitIn(ending.state())
                ? endedAlone(write, ending, known)
                : together(write, made -> true, () -> endedAlone(write, ending, known));
    }

    private boolean endedAlone(Change.Write write, Ending ending, @Nullable ControlState known) {
        RunLease runLease = write.runLease();
        boolean ended = own.adding(
                        write::activity,
                        (connection, again) -> table.end(connection, runLease, write.entries(), ending, known, again))
                || wasLeftIn(runLease, ending.state());
        if (ended) {
            lastWrites.forget(runLease);
        }
        return ended;
    }

    private boolean wasLeftIn(RunLease runLease, RunState state) {
        return own.single(connection -> table.wasLeftIn(connection, runLease, state));
    }

    @Override
    public boolean release(RunLease runLease, Duration pause) {
        lastWrites.forget(runLease);
        return own.single(connection -> table.release(connection, runLease, pause));
    }

    @Override
    public List<Signal> signals(RunId id, String name) {
        return own.single(connection -> rows.signals(connection, id, name));
    }

    @Override
    public Answer signal(RunId id, String name, String key, StoredValue value) {
        return own.repeatable(
                () -> "Signalling run %s with '%s'".formatted(id, name),
                connection -> rows.signal(connection, id, name, key, value));
    }

    @Override
    public Answer reply(RunId id, RunReply reply) {
        return own.decided(
                "Replying to the wait '%s' of run %s".formatted(reply.signal(), id),
                connection -> replies.reply(connection, id, reply));
    }

    @Override
    public boolean note(RunId id, String name, String key) {
        return own.repeatable(
                () -> "Recording the note '%s' for run %s".formatted(name, id),
                connection -> replies.note(connection, id, name, key));
    }

    @Override
    public List<Note> notes(RunId id) {
        return reading(connection -> replies.notes(connection, id));
    }

    @Override
    public List<Note> notes(String name, String key) {
        return reading(connection -> replies.notes(connection, name, key));
    }

    @Override
    public Answer cancel(RunId id, String reason) {
        return own.repeatable(
                () -> "Cancelling run %s".formatted(id), connection -> rows.cancel(connection, id, reason));
    }

    @Override
    public boolean retry(RunId id) {
        return rows.retry(own, id);
    }

    @Override
    public boolean resolve(RunId id, JournalEntry entry) {
        return own.single(connection -> rows.resolve(connection, id, entry));
    }

    @Override
    public boolean giveUp(RunId id, String reason, boolean orphaned) {
        return own.single(connection -> rows.giveUp(connection, id, reason, orphaned));
    }

    @Override
    public Optional<RunRow> findRow(RunId id) {
        return reading(connection -> lists.find(connection, id));
    }

    @Override
    public List<RunRow> findRows(Collection<RunId> ids) {
        return ids.isEmpty() ? List.of() : reading(connection -> lists.findAll(connection, ids));
    }

    /** Finds the run, and then its journal, which may contain entries that were added in between. */
    @Override
    public Optional<RunRow> find(RunId id) {
        return reading(connection -> lists.findWithLabels(connection, id))
                .map(row -> row.with(reading(connection -> due.journals(connection, List.of(id.value())))
                        .getOrDefault(id, List.of())));
    }

    @Override
    public List<RunRow> list(RunQuery query) {
        return reading(connection -> lists.list(connection, query));
    }

    @Override
    public RunCount count(RunQuery query, int most) {
        return RunCount.of(reading(connection -> lists.count(connection, query, most + 1)), most);
    }

    @Override
    public Map<RunState, Long> troubled() {
        return own.single(lists::troubled);
    }

    @Override
    public List<KindCounts> kinds(int most, Set<String> known) {
        return own.single(connection -> kinds.count(connection, most, known));
    }

    @Override
    public List<Backlog> backlog(Set<String> known) {
        return own.single(connection -> lists.backlog(connection, known));
    }

    @Override
    public NodeLoads loads() {
        return own.single(held::on);
    }

    @Override
    public int purge(int limit) {
        return own.single(connection -> rows.purge(connection, limit));
    }

    @Override
    public RenewalStatements renewals() {
        return table.held();
    }

    /**
     * Reads on the connection of the caller's transaction, if there is one, so that the caller sees the runs that it
     * has started.
     */
    private <T> T reading(OwnTransactions.Work<T> statement) {
        return callers.canBeJoined() ? callers.run("Reading runs", statement) : own.single(statement);
    }

    /**
     * Executes a statement in the caller's transaction, or in a transaction of the library if there is none. In the
     * caller's transaction, the statement is not repeated after a failure, because the failure has aborted that
     * transaction.
     */
    private <T> T joining(Supplier<String> activity, OwnTransactions.Adding<T> statement) {
        return callers.isActive()
                ? callers.run(activity.get(), connection -> statement.on(connection, false))
                : own.adding(activity, statement);
    }
}
