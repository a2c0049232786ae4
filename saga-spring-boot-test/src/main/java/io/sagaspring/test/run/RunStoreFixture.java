package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import io.sagaspring.run.StoredValue;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A fixture for tests of a store of runs: it provides the stores, and runs in various states. */
abstract class RunStoreFixture {

    /** The duration of a run's lease after its node's last heartbeat. */
    protected static final Duration LEASE = Duration.ofMinutes(1);

    /** The time after which an ended run may be removed. */
    protected static final Duration RETENTION = Duration.ofDays(1);

    static final RenewableLeases.Connecting NO_CONNECTION = () -> {
        throw new SQLException("This test gives the store no connection. Override connecting().");
    };
    static final StoredValue INPUT = stored("input");
    static final StoredValue CARRIED = stored("carried");
    static final Duration LONG = Duration.ofHours(1);
    static final int MANY = 1_000;
    static final int RACERS = 8;

    final String run = "contract-" + UUID.randomUUID();
    final Set<String> known = Set.of(run);

    /**
     * Returns the store as used by one process.
     *
     * @return the store, with {@link #LEASE} and {@link #RETENTION}
     */
    protected abstract RunStore store();

    /**
     * Returns a store of the same runs, as used by another process.
     *
     * @return the store, with {@link #LEASE} and {@link #RETENTION}
     */
    protected abstract RunStore another();

    /**
     * Lets time pass for all runs, by the store's clock. Set the clock forward, or move all stored times into the
     * past.
     *
     * @param duration the time that passes
     */
    protected abstract void pass(Duration duration);

    /**
     * Returns the source of the keeper's connection.
     *
     * @return the source; by default, one that throws an exception
     */
    protected RenewableLeases.Connecting connecting() {
        return NO_CONNECTION;
    }

    static StoredValue stored(String text) {
        return new StoredValue("text", text.getBytes(StandardCharsets.UTF_8));
    }

    static @Nullable String text(@Nullable StoredValue stored) {
        return stored == null ? null : stored.format() + ":" + new String(stored.bytes(), StandardCharsets.UTF_8);
    }

    static String text(JournalEntry entry) {
        return "%d %s %s %s %s"
                .formatted(entry.position(), entry.step(), entry.call(), entry.mark(), text(entry.value()));
    }

    static String text(@Nullable Object... parts) {
        return Arrays.toString(parts);
    }

    static String seen(RunStore store, RunId id) {
        return store.find(id)
                .map(row -> text(
                        row.run(),
                        row.key(),
                        row.tenant(),
                        row.state(),
                        row.node() != null,
                        row.attempt(),
                        text(row.result()),
                        row.error(),
                        row.cancelReason(),
                        row.dueAt() != null,
                        row.endedAt() != null,
                        row.journal().stream().map(RunStoreFixture::text).toList()))
                .orElse("none");
    }

    static JournalEntry entry(int position, String step, Call call, Mark mark, @Nullable Duration pause) {
        return new JournalEntry(position, step, call, mark, null, null, pause, null, null);
    }

    static JournalEntry done(int position) {
        String step = "step-" + position;
        return new JournalEntry(position, step, Call.STEP, Mark.DONE, stored(step), null, null, null, null);
    }

    static List<JournalEntry> done(int from, int to) {
        return IntStream.range(from, to).mapToObj(RunStoreFixture::done).toList();
    }

    /** Returns the results of steps. For some steps, chosen at random, returns a failed attempt instead. */
    static List<JournalEntry> doneOrFailed(int from, int to, Random random) {
        return done(from, to).stream()
                .map(each ->
                        random.nextInt(4) == 0 ? failedAttempt(each.position(), "step-" + each.position(), LONG) : each)
                .toList();
    }

    static JournalEntry failedAttempt(int position, String step, Duration pause) {
        return new JournalEntry(position, step, Call.STEP, Mark.ATTEMPT_FAILED, null, "0: busy", pause, null, null);
    }

    static Ending ending(RunState state) {
        return new Ending(state, null, null, null);
    }

    static HeldLease held(RunLease runLease) {
        return new HeldLease("run", runLease.id().toString(), runLease.token());
    }

    NewRun newRun(@Nullable String key, @Nullable Duration deadline, boolean here) {
        return new NewRun(RunId.next(), run, key, null, INPUT, CARRIED, deadline, here);
    }

    static StartKey anyKey(Random random) {
        String text = "key-" + random.nextInt(3);
        return new StartKey(text, random.nextBoolean() ? Kind.UNTIL_REMOVED : Kind.WHILE_OPEN);
    }

    static NewRun newRunWith(
            String name, @Nullable StartKey key, @Nullable String tenant, @Nullable Duration deadline, boolean here) {
        return new NewRun(RunId.next(), name, key, tenant, INPUT, CARRIED, deadline, null, here, null, Map.of());
    }

    NewRun newRunOf(@Nullable String tenant, @Nullable String key) {
        return new NewRun(RunId.next(), run, key, tenant, INPUT, CARRIED, null, false);
    }

    RunId started() {
        return store().start(newRun(null, null, false)).id();
    }

    RunLease runLease() {
        return runLease(null);
    }

    RunLease runLease(@Nullable Duration deadline) {
        return granted(store().start(newRun(null, deadline, true)));
    }

    static RunLease granted(Started started) {
        return new RunLease(started.id(), Objects.requireNonNull(started.token()));
    }

    PickedUpRun takenOver(RunId id) {
        pass(LEASE.plusSeconds(1));
        return another().take(id, known, MANY).orElseThrow();
    }

    boolean isPickedUp(RunId id) {
        return store().take(known, MANY, MANY).stream()
                .anyMatch(pickedUp -> pickedUp.runLease().id().equals(id));
    }

    RunRow row(RunId id) {
        return another().find(id).orElseThrow();
    }

    RunState state(RunId id) {
        return row(id).state();
    }

    List<String> journal(RunId id) {
        return texts(row(id).journal());
    }

    static List<String> texts(List<JournalEntry> entries) {
        return entries.stream().map(RunStoreFixture::text).toList();
    }

    /** Returns the control state of a run that has received a number of signals. */
    static ControlState afterSignals(int signals) {
        return new ControlState(signals, null, false);
    }

    boolean suspended(RunLease runLease, @Nullable Duration pause) {
        return store().suspend(runLease, List.of(), pause, afterSignals(0));
    }

    static JournalEntry timedOut(int position, String wait) {
        return entry(position, wait, Call.SIGNAL, Mark.TIMED_OUT, null);
    }

    /** Creates a reply that ends the wait. */
    static RunReply last(String wait, @Nullable String key, String value) {
        return new RunReply(wait, "scope", key, stored(value), true);
    }

    /** Creates a reply that may be followed by others. */
    static RunReply further(String wait, @Nullable String key, String value) {
        return new RunReply(wait, "scope", key, stored(value), false);
    }

    static List<String> replies(RunStore store, RunId id, String wait) {
        return store.signals(id, wait).stream()
                .map(signal -> Objects.toString(text(signal.value())))
                .toList();
    }

    RunLease compensating() {
        RunLease runLease = runLease();
        ControlState unused = store().compensate(runLease, List.of());
        return runLease;
    }

    RunId leftCompensated(RunState state) {
        RunLease runLease = compensating();
        store().end(runLease, List.of(), new Ending(state, null, "an error", null));
        return runLease.id();
    }

    RunId left(RunState state) {
        return left(state, List.of());
    }

    RunId left(RunState state, List<JournalEntry> entries) {
        RunLease runLease = runLease();
        store().end(runLease, entries, new Ending(state, null, "an error", null));
        return runLease.id();
    }

    /** Verifies that calls with this lease can no longer change the run. */
    void requireFenced(RunLease runLease) throws Exception {
        RunId id = runLease.id();
        String before = seen(another(), id);
        int next = store().find(id).map(row -> row.journal().size()).orElse(0);
        boolean failed =
                store().find(id).map(row -> row.state() == RunState.FAILED).orElse(false);
        // This end differs from the stored one, because the same end would count as a repeated call.
        Ending another = ending(failed ? RunState.COMPLETED : RunState.FAILED);

        assertThatThrownBy(() -> store().checkpoint(runLease, List.of(done(next))))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining(id.toString());
        assertThatThrownBy(() -> store().checkpoint(runLease, List.of())).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().compensate(runLease, List.of(done(next))))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().compensate(runLease, List.of())).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().conclude(runLease, List.of(done(next)), afterSignals(0)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().conclude(runLease, List.of(done(next)), afterSignals(1)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().end(runLease, List.of(done(next)), another))
                .isInstanceOf(FencedException.class);
        assertThat(store().release(runLease, Duration.ZERO)).isFalse();
        assertThat(store().renew(connecting(), Set.of(held(runLease)))).isEmpty();
        assertThat(store().stillHeld(connecting(), Set.of(held(runLease)))).isEmpty();
        if (!before.contains(RunState.WAITING.toString())) {
            assertThatThrownBy(() -> store().suspend(runLease, List.of(done(next)), null, afterSignals(0)))
                    .isInstanceOf(FencedException.class);
        }
        assertThat(seen(another(), id)).isEqualTo(before);
    }

    <T> List<T> race(int racers, Callable<T> call) throws Exception {
        return race(Collections.nCopies(racers, call));
    }

    static <T> List<T> race(List<Callable<T>> racing) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(racing.size());
        try {
            return race(threads, racing);
        } finally {
            threads.shutdownNow();
        }
    }

    static <T> List<T> race(ExecutorService threads, List<Callable<T>> racing) throws Exception {
        CyclicBarrier start = new CyclicBarrier(racing.size());
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> each : racing) {
            futures.add(threads.submit(() -> {
                start.await(20, SECONDS);
                return each.call();
            }));
        }
        List<T> answers = new ArrayList<>();
        for (Future<T> each : futures) {
            answers.add(each.get(60, SECONDS));
        }
        return answers;
    }

    List<RunId> ids(@Nullable String name, RunState... states) {
        return store().list(new RunQuery(name, Set.of(states), null, MANY)).stream()
                .map(RunRow::id)
                .toList();
    }

    int purge() {
        int purged = 0;
        for (int each = MANY; each == MANY; purged += each) {
            each = store().purge(MANY);
        }
        return purged;
    }
}
