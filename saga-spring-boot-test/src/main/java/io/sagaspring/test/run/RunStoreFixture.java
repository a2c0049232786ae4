package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.Held;
import io.sagaspring.fence.Kept;
import io.sagaspring.run.Driven;
import io.sagaspring.run.Entry;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.Entry.Mark;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Standing;
import io.sagaspring.run.Stored;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the tests of a store of runs share: the stores, and runs to begin with. */
abstract class RunStoreFixture {

    /** How long the stores keep a run after its node was last heard of. */
    protected static final Duration LEASE = Duration.ofMinutes(1);

    /** How long the stores know a run that is over. */
    protected static final Duration RETENTION = Duration.ofDays(1);

    static final Kept.Connecting NO_CONNECTION = () -> {
        throw new SQLException("This store has been given no connection.");
    };
    static final Stored INPUT = stored("input");
    static final Stored CARRIED = stored("carried");
    static final Duration LONG = Duration.ofHours(1);
    static final int MANY = 1_000;
    static final int RACERS = 8;

    final String run = "contract-" + UUID.randomUUID();
    final Set<String> known = Set.of(run);

    /**
     * The store, as one process sees it.
     *
     * @return with {@link #LEASE} and {@link #RETENTION}
     */
    protected abstract RunStore store();

    /**
     * The same runs, as another process sees them.
     *
     * @return with {@link #LEASE} and {@link #RETENTION}
     */
    protected abstract RunStore another();

    /**
     * Lets time pass for all runs, by the clock of the store: sets the clock, or moves all that was written into the past.
     *
     * @param duration how long
     */
    protected abstract void pass(Duration duration);

    /**
     * Where the keeper gets its connection.
     *
     * @return by default nowhere
     */
    protected Kept.Connecting connecting() {
        return NO_CONNECTION;
    }

    static Stored stored(String text) {
        return new Stored("text", text.getBytes(StandardCharsets.UTF_8));
    }

    static @Nullable String text(@Nullable Stored stored) {
        return stored == null ? null : stored.format() + ":" + new String(stored.bytes(), StandardCharsets.UTF_8);
    }

    static String text(Entry entry) {
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

    static Entry entry(int position, String step, Call call, Mark mark, @Nullable Duration pause) {
        return new Entry(position, step, call, mark, null, null, pause, null, null);
    }

    static Entry done(int position) {
        String step = "step-" + position;
        return new Entry(position, step, Call.STEP, Mark.DONE, stored(step), null, null, null, null);
    }

    static List<Entry> done(int from, int to) {
        return IntStream.range(from, to).mapToObj(RunStoreFixture::done).toList();
    }

    static Ending ending(RunState state) {
        return new Ending(state, null, null, null);
    }

    static Held held(Driven driven) {
        return new Held("run", driven.id().toString(), driven.token());
    }

    NewRun asked(@Nullable String key, @Nullable Duration deadline, boolean here) {
        return new NewRun(RunId.next(), run, key, INPUT, CARRIED, deadline, here);
    }

    RunId started() {
        return store().start(asked(null, null, false)).id();
    }

    Driven driven() {
        return driven(null);
    }

    Driven driven(@Nullable Duration deadline) {
        return granted(store().start(asked(null, deadline, true)));
    }

    static Driven granted(Started started) {
        return new Driven(started.id(), Objects.requireNonNull(started.token()));
    }

    PickedUpRun takenOver(RunId id) {
        pass(LEASE.plusSeconds(1));
        return another().take(id, known, MANY).orElseThrow();
    }

    boolean isTaken(RunId id) {
        return store().take(known, MANY, MANY).stream()
                .anyMatch(taken -> taken.driven().id().equals(id));
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

    static List<String> texts(List<Entry> entries) {
        return entries.stream().map(RunStoreFixture::text).toList();
    }

    /** What a run knows that was told something so often. */
    static Standing told(int signals) {
        return new Standing(signals, null, false);
    }

    boolean suspended(Driven driven, @Nullable Duration pause) {
        return store().suspend(driven, List.of(), pause, told(0));
    }

    static Entry timedOut(int position, String wait) {
        return entry(position, wait, Call.SIGNAL, Mark.TIMED_OUT, null);
    }

    /** A reply with which the wait is over. */
    static RunReply last(String wait, @Nullable String key, String value) {
        return new RunReply(wait, "scope", key, stored(value), true);
    }

    /** A reply after which there may be others. */
    static RunReply further(String wait, @Nullable String key, String value) {
        return new RunReply(wait, "scope", key, stored(value), false);
    }

    static List<String> replies(RunStore store, RunId id, String wait) {
        return store.signals(id, wait).stream()
                .map(signal -> Objects.toString(text(signal.value())))
                .toList();
    }

    Driven undoing() {
        Driven driven = driven();
        Standing unused = store().compensate(driven, List.of());
        return driven;
    }

    RunId leftUndone(RunState state) {
        Driven driven = undoing();
        store().end(driven, List.of(), new Ending(state, null, "an error", null));
        return driven.id();
    }

    RunId left(RunState state) {
        return left(state, List.of());
    }

    RunId left(RunState state, List<Entry> entries) {
        Driven driven = driven();
        store().end(driven, entries, new Ending(state, null, "an error", null));
        return driven.id();
    }

    /** Nothing that is said with this token changes anything. */
    void requireFenced(Driven driven) throws Exception {
        RunId id = driven.id();
        String before = seen(another(), id);
        int next = store().find(id).map(row -> row.journal().size()).orElse(0);
        boolean failed =
                store().find(id).map(row -> row.state() == RunState.FAILED).orElse(false);
        // Another one than that in which it was left, which would be said again.
        Ending another = ending(failed ? RunState.COMPLETED : RunState.FAILED);

        assertThatThrownBy(() -> store().checkpoint(driven, List.of(done(next))))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining(id.toString());
        assertThatThrownBy(() -> store().checkpoint(driven, List.of())).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().compensate(driven, List.of(done(next))))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().compensate(driven, List.of())).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().conclude(driven, List.of(done(next)), told(0)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().conclude(driven, List.of(done(next)), told(1)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().end(driven, List.of(done(next)), another))
                .isInstanceOf(FencedException.class);
        assertThat(store().giveBack(driven, Duration.ZERO)).isFalse();
        assertThat(store().renew(connecting(), Set.of(held(driven)))).isEmpty();
        assertThat(store().stillThere(connecting(), Set.of(held(driven)))).isEmpty();
        if (!before.contains(RunState.WAITING.toString())) {
            assertThatThrownBy(() -> store().suspend(driven, List.of(done(next)), null, told(0)))
                    .isInstanceOf(FencedException.class);
        }
        assertThat(seen(another(), id)).isEqualTo(before);
    }

    <T> List<T> race(int racers, Callable<T> what) throws Exception {
        return race(Collections.nCopies(racers, what));
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
