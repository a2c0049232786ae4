package io.sagaspring.test.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores runs within this process, for tests. The store gives the same guarantee as one in a database ({@link
 * Guarantee#EXACT}), but its runs are lost when the process ends. The store does not join transactions, and uses only
 * the API that is also available to a store of your own.
 *
 * @since 0.1.0
 */
public final class MemoryRunStore implements RunStore {

    /** The time that the store's clock shows before any time has elapsed. */
    public static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    /** Fair, so that a caller does not wait for ever while others call again and again. */
    private final ReentrantLock lock = new ReentrantLock(true);

    private final MemoryRuns runs;
    private final MemoryExecutions executions;
    private final MemoryInbox inbox;
    private final MemoryQueries queries;
    private final MemoryQueues queues;
    private final Duration retention;

    /**
     * Creates an empty store.
     *
     * @param node the name of this node
     * @param ticks the clock that measures the time since {@link #BEGINNING}
     * @param lease the duration of a run's lease after its node's last heartbeat
     * @param retention the time after which an ended run is removed
     */
    public MemoryRunStore(String node, ElapsedClock ticks, Duration lease, Duration retention) {
        this.runs = new MemoryRuns(() -> BEGINNING.plus(ticks.now()));
        this.executions = new MemoryExecutions(runs, node, lease);
        this.inbox = new MemoryInbox(runs);
        this.queries = new MemoryQueries(runs);
        this.queues = new MemoryQueues(lock, runs, executions);
        this.retention = retention;
    }

    /**
     * Returns the part of this store that decides when the runs of queues begin.
     *
     * @return the queues of this store's runs
     */
    public QueueStore queues() {
        return queues;
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.EXACT;
    }

    @Override
    public Started start(NewRun run) {
        return locked(() -> executions.start(run));
    }

    @Override
    public Optional<Duration> untilDue(Set<String> names, Duration within) {
        return locked(() -> executions.untilDue(names, within));
    }

    @Override
    public List<PickedUpRun> take(Set<String> names, int slots, int attempts) {
        return locked(() -> executions.take(names, slots, attempts));
    }

    @Override
    public Optional<PickedUpRun> take(RunId id, Set<String> names, int attempts) {
        return locked(() -> executions.take(id, names, attempts));
    }

    @Override
    public ControlState checkpoint(RunLease runLease, List<JournalEntry> entries) {
        return locked(() -> executions.checkpoint(runLease, entries));
    }

    @Override
    public ControlState compensate(RunLease runLease, List<JournalEntry> entries) {
        return locked(() -> executions.compensate(runLease, entries));
    }

    @Override
    public boolean conclude(RunLease runLease, List<JournalEntry> entries, ControlState known) {
        return locked(() -> executions.conclude(runLease, entries, known));
    }

    @Override
    public boolean suspend(
            RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, ControlState known) {
        return locked(() -> executions.suspend(runLease, entries, pause, known));
    }

    @Override
    public void end(RunLease runLease, List<JournalEntry> entries, Ending ending) {
        boolean unused = locked(() -> {
            executions.end(runLease, entries, ending);
            return true;
        });
    }

    @Override
    public boolean endUnlessChanged(RunLease runLease, List<JournalEntry> entries, Ending ending, ControlState known) {
        return locked(() -> executions.endUnlessChanged(runLease, entries, ending, known));
    }

    @Override
    public boolean release(RunLease runLease, Duration pause) {
        return locked(() -> executions.release(runLease, pause));
    }

    @Override
    public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
        return locked(() -> executions.renew(keeper, held));
    }

    @Override
    public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
        return locked(() -> executions.stillHeld(keeper, held));
    }

    @Override
    public List<Signal> signals(RunId id, String name) {
        return locked(() -> inbox.signals(id, name));
    }

    @Override
    public Answer signal(RunId id, String name, String key, StoredValue value) {
        return locked(() -> inbox.signal(id, name, key, value));
    }

    @Override
    public Answer reply(RunId id, RunReply reply) {
        return locked(() -> inbox.reply(id, reply));
    }

    @Override
    public boolean note(RunId id, String name, String key) {
        return locked(() -> inbox.note(id, name, key));
    }

    @Override
    public List<Note> notes(RunId id) {
        return locked(() -> inbox.notes(id));
    }

    @Override
    public List<Note> notes(String name, String key) {
        return locked(() -> inbox.notes(name, key));
    }

    @Override
    public Answer cancel(RunId id, String reason) {
        return locked(() -> inbox.cancel(id, reason));
    }

    @Override
    public boolean retry(RunId id) {
        return locked(() -> inbox.retry(id));
    }

    @Override
    public boolean resolve(RunId id, JournalEntry entry) {
        return locked(() -> inbox.resolve(id, entry));
    }

    @Override
    public boolean giveUp(RunId id, String reason, boolean orphaned) {
        return locked(() -> inbox.giveUp(id, reason, orphaned));
    }

    @Override
    public Optional<RunRow> findRow(RunId id) {
        return locked(() -> queries.findRow(id));
    }

    @Override
    public Optional<RunRow> find(RunId id) {
        return locked(() -> queries.find(id));
    }

    @Override
    public List<RunRow> list(RunQuery query) {
        return locked(() -> queries.list(query));
    }

    @Override
    public RunCount count(RunQuery query, int most) {
        return locked(() -> queries.count(query, most));
    }

    @Override
    public Map<RunState, Long> troubled() {
        return locked(queries::troubled);
    }

    @Override
    public List<Backlog> backlog(Set<String> known) {
        return locked(() -> queries.backlog(known));
    }

    @Override
    public int purge(int limit) {
        return locked(() -> runs.purge(retention, limit));
    }
}
