package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.FencingToken;
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
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Note;
import io.sagaspring.run.RunInbox.Signal;
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
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every store of runs keeps. Extend it for a store of your own, and say where its runs are and how time passes there:
 *
 * <pre>{@code
 * class MyRunStoreTests extends RunStoreContract {
 *
 *     @Override
 *     protected RunStore store() {
 *         return new MyRunStore(server, "one", LEASE, RETENTION);
 *     }
 *
 *     @Override
 *     protected RunStore another() {
 *         return new MyRunStore(server, "another", LEASE, RETENTION);
 *     }
 *
 *     @Override
 *     protected void pass(Duration duration) {
 *         server.setBack(duration);
 *     }
 * }
 * }</pre>
 *
 * <p>The tests may share one store: each uses names and ids that are new. They must not run at the same time, since time
 * passes for all. Whether a start and a checkpoint take part in the caller's transaction is not tested.
 *
 * @since 0.1.0
 */
public abstract class RunStoreContract {

    /** How long the stores keep a run after its node was last heard of. */
    protected static final Duration LEASE = Duration.ofMinutes(1);

    /** How long the stores know a run that is over. */
    protected static final Duration RETENTION = Duration.ofDays(1);

    private static final Kept.Connecting NO_CONNECTION = () -> {
        throw new SQLException("This store has been given no connection.");
    };
    static final Stored INPUT = stored("input");
    static final Stored CARRIED = stored("carried");
    private static final Duration LONG = Duration.ofHours(1);
    static final int MANY = 1_000;
    private static final int RACERS = 8;

    private final String run = "contract-" + UUID.randomUUID();
    private final Set<String> known = Set.of(run);

    /** Its subclass says which store it is about. */
    protected RunStoreContract() {}

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
                        row.journal().stream().map(RunStoreContract::text).toList()))
                .orElse("none");
    }

    static Entry entry(int position, String step, Call call, Mark mark, @Nullable Duration pause) {
        return new Entry(position, step, call, mark, null, null, pause, null, null);
    }

    private static Entry done(int position) {
        String step = "step-" + position;
        return new Entry(position, step, Call.STEP, Mark.DONE, stored(step), null, null, null, null);
    }

    static List<Entry> done(int from, int to) {
        return IntStream.range(from, to).mapToObj(RunStoreContract::done).toList();
    }

    private static Ending ending(RunState state) {
        return new Ending(state, null, null, null);
    }

    static Held held(Driven driven) {
        return new Held("run", driven.id().toString(), driven.token());
    }

    private NewRun asked(@Nullable String key, @Nullable Duration deadline, boolean here) {
        return new NewRun(RunId.next(), run, key, INPUT, CARRIED, deadline, here);
    }

    private RunId started() {
        return store().start(asked(null, null, false)).id();
    }

    private Driven driven() {
        return driven(null);
    }

    private Driven driven(@Nullable Duration deadline) {
        return granted(store().start(asked(null, deadline, true)));
    }

    static Driven granted(Started started) {
        return new Driven(started.id(), Objects.requireNonNull(started.token()));
    }

    private PickedUpRun takenOver(RunId id) {
        pass(LEASE.plusSeconds(1));
        return another().take(id, known, MANY).orElseThrow();
    }

    private boolean isTaken(RunId id) {
        return store().take(known, MANY, MANY).stream()
                .anyMatch(taken -> taken.driven().id().equals(id));
    }

    private RunRow row(RunId id) {
        return another().find(id).orElseThrow();
    }

    private RunState state(RunId id) {
        return row(id).state();
    }

    private List<String> journal(RunId id) {
        return texts(row(id).journal());
    }

    static List<String> texts(List<Entry> entries) {
        return entries.stream().map(RunStoreContract::text).toList();
    }

    /** What a run knows that was told something so often. */
    static Standing told(int signals) {
        return new Standing(signals, null, false);
    }

    private boolean suspended(Driven driven, @Nullable Duration pause) {
        return store().suspend(driven, List.of(), pause, told(0));
    }

    private static Entry timedOut(int position, String wait) {
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

    private static List<String> replies(RunStore store, RunId id, String wait) {
        return store.signals(id, wait).stream()
                .map(signal -> Objects.toString(text(signal.value())))
                .toList();
    }

    private Driven undoing() {
        Driven driven = driven();
        Standing unused = store().compensate(driven, List.of());
        return driven;
    }

    private RunId leftUndone(RunState state) {
        Driven driven = undoing();
        store().end(driven, List.of(), new Ending(state, null, "an error", null));
        return driven.id();
    }

    private RunId left(RunState state) {
        return left(state, List.of());
    }

    private RunId left(RunState state, List<Entry> entries) {
        Driven driven = driven();
        store().end(driven, entries, new Ending(state, null, "an error", null));
        return driven.id();
    }

    /** Nothing that is said with this token changes anything. */
    private void requireFenced(Driven driven) throws Exception {
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

    private <T> List<T> race(int racers, Callable<T> what) throws Exception {
        return race(Collections.nCopies(racers, what));
    }

    private static <T> List<T> race(List<Callable<T>> racing) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(racing.size());
        try {
            return race(threads, racing);
        } finally {
            threads.shutdownNow();
        }
    }

    private static <T> List<T> race(ExecutorService threads, List<Callable<T>> racing) throws Exception {
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

    // Starting.

    @Test
    void aRunThatIsStartedIsDueAtOnceWithAllItWasGiven() {
        Started started = store().start(asked("key", null, false));

        assertThat(started.token()).isNull();
        RunRow row = row(started.id());
        assertThat(row.state()).isEqualTo(RunState.PENDING);
        assertThat(row.run()).isEqualTo(run);
        assertThat(row.key()).isEqualTo("key");
        assertThat(row.node()).isNull();
        assertThat(row.attempt()).isZero();
        assertThat(row.startedAt()).isEqualTo(started.at());
        assertThat(row.endedAt()).isNull();
        List<PickedUpRun> taken = another().take(known, 10, MANY);
        assertThat(taken).hasSize(1).allSatisfy(each -> {
            assertThat(each.driven().id()).isEqualTo(started.id());
            assertThat(each.run()).isEqualTo(run);
            assertThat(text(each.input())).isEqualTo(text(INPUT));
            assertThat(text(each.carried())).isEqualTo(text(CARRIED));
            assertThat(each.journal()).isEmpty();
            assertThat(each.standing()).isEqualTo(new Standing(0, null, false));
            assertThat(each.now()).isAfterOrEqualTo(started.at());
            assertThat(each.attempt()).isOne();
            assertThat(each.parked()).isFalse();
        });
        assertThat(state(started.id())).isEqualTo(RunState.RUNNING);
        assertThat(row(started.id()).node()).isNotNull();
    }

    @Test
    void aRunThatIsStartedHereIsDrivenHere() {
        Started started = store().start(asked(null, null, true));

        assertThat(started.token()).isNotNull();
        assertThat(state(started.id())).isEqualTo(RunState.RUNNING);
        assertThat(row(started.id()).node()).isNotNull();
        assertThat(row(started.id()).attempt()).isOne();
        assertThat(another().take(known, 10, MANY)).isEmpty();
        assertThat(another().take(started.id(), known, MANY)).isEmpty();
        assertThat(store().checkpoint(granted(started), done(0, 1))).isEqualTo(new Standing(0, null, false));
    }

    @Test
    void ofAKeyThereIsOneRunForAsLongAsItIsKnown() {
        Driven first = granted(store().start(asked("key", null, true)));

        NewRun second = asked("key", null, true);
        Started found = another().start(second);
        assertThat(found.id()).isEqualTo(first.id());
        assertThat(found.token()).isNull();
        assertThat(another().find(second.id())).isEmpty();

        store().end(first, List.of(), ending(RunState.COMPLETED));
        assertThat(another().start(asked("key", null, false)).id()).isEqualTo(first.id());
        assertThat(state(first.id())).isEqualTo(RunState.COMPLETED);

        pass(RETENTION);
        purge();
        Started again = another().start(asked("key", null, true));
        assertThat(again.id()).isNotEqualTo(first.id());
        assertThat(again.token()).isNotNull();
    }

    @Test
    void aKeyIsOfTheRunsOfOneName() {
        Started one = store().start(asked("key", null, false));
        Started other = store().start(new NewRun(RunId.next(), run + "-other", "key", INPUT, CARRIED, null, false));

        assertThat(other.id()).isNotEqualTo(one.id());
        assertThat(store().start(asked("KEY", null, false)).id()).isNotEqualTo(one.id());
    }

    /** As after an answer that was lost: whoever asked is told again that the run is theirs, or nobody would drive it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "key"})
    void aStartThatIsSaidAgainFindsWhatItHas(String key) {
        for (boolean here : List.of(true, false)) {
            NewRun asked = asked(key.isEmpty() ? null : key + here, null, here);
            Started first = store().start(asked);
            String before = seen(store(), first.id());

            Started second = store().start(asked);

            assertThat(second.id()).isEqualTo(first.id());
            assertThat(second.token()).isEqualTo(first.token());
            assertThat(seen(store(), first.id())).isEqualTo(before);
            assertThat(store().list(new RunQuery(run, Set.of(), null, MANY)))
                    .filteredOn(row -> row.id().equals(first.id()))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStartThatIsSaidAgainAfterAChangeOfHandsGivesNobodyTheToken(boolean further) {
        NewRun asked = asked(null, null, true);
        Driven first = granted(store().start(asked));
        if (further) {
            Standing unused = store().checkpoint(first, done(0, 1));
        }
        PickedUpRun next = takenOver(asked.id());

        Started again = store().start(asked);

        assertThat(again.id()).isEqualTo(asked.id());
        assertThat(again.token()).isNull();
        another().end(next.driven(), List.of(), ending(RunState.COMPLETED));
        assertThat(store().start(asked).token()).isNull();
        assertThat(state(asked.id())).isEqualTo(RunState.COMPLETED);
    }

    /** Its node is the same, and so is the count of its attempts: but it came further, and is taken up again. */
    @Test
    void aStartThatIsSaidAgainIsNotToldTheTokenOfALaterTakingByTheSameNode() {
        NewRun asked = asked(null, null, true);
        Driven first = granted(store().start(asked));
        Standing unused = store().checkpoint(first, done(0, 1));
        pass(LEASE);
        assertThat(store().take(asked.id(), known, MANY))
                .map(PickedUpRun::attempt)
                .contains(1);

        assertThat(store().start(asked).token()).isNull();
    }

    @Test
    void ofManyStartsWithOneKeyOneIsARun() throws Exception {
        for (int round = 0; round < 20; round++) {
            String key = "key-" + round;
            List<Started> started = race(RACERS, () -> another().start(asked(key, null, true)));

            assertThat(started.stream().map(Started::id).distinct()).hasSize(1);
            assertThat(started.stream().map(Started::token).filter(Objects::nonNull))
                    .hasSize(1);
        }
    }

    // Taking.

    @Test
    void aNodeLooksAheadToWhatFallsDueAndToTheEndOfLeases() {
        assertThat(store().untilDue(known, LONG)).isEmpty();
        assertThat(suspended(driven(), LONG)).isTrue();
        assertThat(store().untilDue(known, LEASE)).isEmpty();
        assertThat(untilDue(LONG)).isBetween(LONG.minus(LEASE), LONG);
        assertThat(untilDue(LONG.multipliedBy(2))).isBetween(LONG.minus(LEASE), LONG);

        Driven unused = driven();
        assertThat(untilDue(LONG.multipliedBy(2))).isBetween(LEASE.dividedBy(2), LEASE);
        assertThat(store().untilDue(Set.of(run + "-other"), LONG.multipliedBy(2)))
                .isEmpty();
        assertThat(store().untilDue(Set.of(), LONG.multipliedBy(2))).isEmpty();

        pass(LEASE.plusSeconds(1));
        assertThat(untilDue(Duration.ZERO)).isNegative();
        assertThat(store().take(known, 1, MANY)).hasSize(1);
        assertThat(store().untilDue(known, Duration.ZERO)).isEmpty();
        assertThat(suspended(driven(), null)).isTrue();
        assertThat(untilDue(LONG)).isPositive();
    }

    private Duration untilDue(Duration within) {
        return store().untilDue(known, within).orElseThrow();
    }

    @Test
    void onlyWhatIsDueAndKnownIsTaken() {
        RunId due = started();
        RunId later = driven().id();
        Driven sleeping = driven();
        assertThat(suspended(sleeping, LONG)).isTrue();

        assertThat(store().take(Set.of(), 10, MANY)).isEmpty();
        assertThat(store().take(Set.of(run + "-other", run.substring(1)), 10, MANY))
                .isEmpty();
        assertThat(store().take(known, 0, MANY)).isEmpty();
        assertThat(store().take(Set.of(run, "other"), 10, MANY))
                .extracting(taken -> taken.driven().id())
                .containsExactly(due);
        assertThat(store().take(known, 10, MANY)).isEmpty();
        pass(LEASE);
        assertThat(store().take(known, 10, MANY))
                .extracting(taken -> taken.driven().id())
                .containsExactlyInAnyOrder(due, later);
        pass(LONG);
        assertThat(isTaken(sleeping.id())).isTrue();
    }

    @Test
    void whatIsDueForLongestIsTakenFirstAndNoMoreThanThereAreSlots() {
        List<Integer> order = new ArrayList<>(IntStream.range(0, 60).boxed().toList());
        Collections.shuffle(order, new Random(1));
        Map<Integer, RunId> ids = new HashMap<>();
        for (int each : order) {
            Driven driven = driven();
            ids.put(each, driven.id());
            assertThat(store().giveBack(driven, Duration.ofSeconds(each + 10L))).isTrue();
        }
        pass(LONG);

        List<RunId> taken = Stream.of(1, 9, 100)
                .flatMap(slots -> store().take(known, slots, MANY).stream())
                .map(each -> each.driven().id())
                .toList();

        assertThat(taken)
                .containsExactlyElementsOf(order.stream().sorted().map(ids::get).toList());
        assertThat(store().take(known, 100, MANY)).isEmpty();
    }

    /** It would wait for thousands otherwise, although it is the only one of its kind. */
    @Test
    void aBacklogOfOneKindDelaysNoOther() {
        List<RunId> backlog = Stream.generate(() -> startedAs(run)).limit(50).toList();
        List<RunId> small = List.of(startedAs(run + "-small"), startedAs(run + "-small"));
        RunId single = startedAs(run + "-single");
        Set<String> kinds = Set.of(run, run + "-small", run + "-single");

        List<RunId> taken = store().take(kinds, 9, MANY).stream()
                .map(each -> each.driven().id())
                .toList();

        assertThat(taken).hasSize(9).contains(small.get(0), small.get(1), single);
        assertThat(taken).filteredOn(backlog::contains).hasSize(6);
    }

    @Test
    void kindsTakeTurnsWhereThereAreFewerSlotsThanKinds() {
        List<String> names = List.of(run, run + "-b", run + "-c");
        for (String name : names) {
            for (int each = 0; each < 5; each++) {
                RunId unused = startedAs(name);
            }
        }
        RunStore store = store();

        List<String> taken = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            store.take(Set.copyOf(names), 1, MANY).forEach(each -> taken.add(each.run()));
        }

        assertThat(taken.subList(0, 3)).containsExactlyInAnyOrderElementsOf(names);
        assertThat(taken.subList(3, 6)).isEqualTo(taken.subList(0, 3));
    }

    /** A run that has slept or was signalled, or whose node died, is not behind all that has not begun. */
    @Test
    void whatGoesOnAndWhatIsNewTakeTurns() {
        List<RunId> fresh = Stream.generate(() -> startedAs(run)).limit(20).toList();
        List<RunId> begun = new ArrayList<>();
        for (int each = 0; each < 3; each++) {
            Driven driven = driven();
            begun.add(driven.id());
            assertThat(suspended(driven, Duration.ZERO)).isTrue();
        }

        List<RunId> taken = store().take(known, 4, MANY).stream()
                .map(each -> each.driven().id())
                .toList();
        List<RunId> next = store().take(known, 4, MANY).stream()
                .map(each -> each.driven().id())
                .toList();

        assertThat(taken).hasSize(4).filteredOn(begun::contains).hasSize(2);
        assertThat(next).hasSize(4).filteredOn(begun::contains).hasSize(1);
        assertThat(next).filteredOn(fresh::contains).hasSize(3);
    }

    private RunId startedAs(String name) {
        return store().start(new NewRun(RunId.next(), name, null, INPUT, null, null, false))
                .id();
    }

    @Test
    void tokensGrowAtEachTaking() {
        NewRun asked = asked(null, null, true);
        List<FencingToken> tokens = new ArrayList<>();
        tokens.add(granted(store().start(asked)).token());
        for (int round = 0; round < 10; round++) {
            Driven driven = takenOver(asked.id()).driven();
            tokens.add(driven.token());
            if (round % 3 == 0) {
                assertThat(another().giveBack(driven, Duration.ZERO)).isTrue();
            } else if (round % 3 == 1) {
                assertThat(another().suspend(driven, List.of(), Duration.ZERO, told(0)))
                        .isTrue();
            }
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theJournalIsHandedOverInItsOrderAndWithAllThatWasWritten() {
        Driven first = driven();
        byte[] bytes = new byte[256];
        IntStream.range(0, 256).forEach(each -> bytes[each] = (byte) each);
        Entry waiting = entry(12, "sleep", Call.SLEEP, Mark.WAITING, Duration.ofMinutes(5));
        Entry failed =
                new Entry(13, "ünd\n'; --", Call.TRANSACTIONAL_STEP, Mark.FAILED, null, "why?", null, null, null);
        Entry binary = new Entry(14, "b", Call.SIGNAL, Mark.DONE, new Stored("raw", bytes), "7", null, null, null);
        Standing unused = store().checkpoint(first, done(0, 3));
        Standing unusedToo = store().checkpoint(first, done(3, 12));
        Standing unusedThree = store().checkpoint(first, List.of(waiting, failed, binary));

        List<Entry> journal = takenOver(first.id()).journal();

        List<Entry> all = new ArrayList<>(done(0, 12));
        Collections.addAll(all, waiting, failed, binary);
        assertThat(texts(journal).subList(0, 14)).isEqualTo(texts(all).subList(0, 14));
        assertThat(journal).hasSize(15).extracting(Entry::detail).endsWith(null, "why?", "7");
        assertThat(journal).allSatisfy(each -> {
            assertThat(each.pause()).isNull();
            assertThat(each.at()).isNotNull();
            if (each.position() != 12) {
                assertThat(each.until()).isNull();
            }
        });
        Stored value = Objects.requireNonNull(journal.get(14).value());
        assertThat(value.format()).isEqualTo("raw");
        assertThat(value.bytes()).isEqualTo(bytes);
        assertThat(journal.get(13).value()).isNull();
        assertThat(texts(store().find(first.id()).orElseThrow().journal())).isEqualTo(texts(journal));
    }

    @Test
    void whatWaitsIsToldUntilWhenByTheClockOfTheStore() {
        Driven driven = driven();
        Standing unused =
                store().checkpoint(driven, List.of(entry(0, "sleep", Call.SLEEP, Mark.WAITING, Duration.ofMinutes(5))));

        Entry written = row(driven.id()).journal().get(0);

        assertThat(Duration.between(Objects.requireNonNull(written.at()), Objects.requireNonNull(written.until())))
                .isCloseTo(Duration.ofMinutes(5), Duration.ofSeconds(1));
    }

    @Test
    void whoeverIsTakenUpTooOftenIsParked() throws Exception {
        RunId id = started();
        for (int attempt = 1; attempt <= 3; attempt++) {
            List<PickedUpRun> taken = store().take(known, 10, 3);
            assertThat(taken).extracting(PickedUpRun::attempt).containsExactly(attempt);
            assertThat(taken).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(row(id).attempt()).isEqualTo(attempt);
            pass(LEASE);
        }

        List<PickedUpRun> tooOften = store().take(known, 10, 3);

        assertThat(tooOften).extracting(PickedUpRun::parked).containsExactly(true);
        assertThat(tooOften).extracting(PickedUpRun::attempt).containsExactly(3);
        assertThat(state(id)).isEqualTo(RunState.PARKED);
        assertThat(row(id).node()).isNull();
        assertThat(row(id).dueAt()).isNull();
        requireFenced(tooOften.get(0).driven());
        pass(LONG);
        assertThat(isTaken(id)).isFalse();
        assertThat(store().take(id, known, 3)).isEmpty();
    }

    @Test
    void whoeverIsTakenUpTooOftenByItsIdIsParked() {
        RunId id = driven().id();
        pass(LEASE);

        assertThat(another().take(id, known, 1)).map(PickedUpRun::parked).contains(true);
        assertThat(state(id)).isEqualTo(RunState.PARKED);
    }

    @Test
    void whatCameFurtherBeginsToCountAgain() {
        Driven first = driven();
        Driven second = takenOver(first.id()).driven();
        Standing unused = another().checkpoint(second, done(0, 1));

        PickedUpRun third = takenOver(first.id());
        assertThat(third.attempt()).isOne();
        assertThat(takenOver(first.id()).attempt()).isEqualTo(2);
        assertThat(texts(takenOver(first.id()).journal())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void whatHasWaitedBeginsToCountAgain() {
        Driven driven = driven();
        driven = takenOver(driven.id()).driven();
        assertThat(suspended(driven, Duration.ZERO)).isTrue();

        assertThat(row(driven.id()).attempt()).isZero();
        assertThat(store().take(known, 1, MANY))
                .extracting(PickedUpRun::attempt)
                .containsExactly(1);
    }

    /** What comes next in its journal may have begun. */
    @Test
    void whoeverIsTakenUpIsToldWhetherSomebodyMayHaveLeftItAmid() {
        RunId id = started();
        PickedUpRun first = store().take(id, known, MANY).orElseThrow();
        assertThat(first.interrupted()).as("begun by nobody").isFalse();

        PickedUpRun second = takenOver(id);
        assertThat(second.interrupted()).as("taken from somebody").isTrue();
        assertThat(suspended(second.driven(), LONG)).isTrue();
        PickedUpRun third = store().take(id, known, MANY).orElseThrow();
        assertThat(third.interrupted()).as("left to wait").isFalse();
        assertThat(suspended(third.driven(), null)).isTrue();
        assertThat(another().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        List<PickedUpRun> woken = store().take(known, 1, MANY);
        assertThat(woken).extracting(PickedUpRun::interrupted).containsExactly(false);

        assertThat(store().giveBack(woken.get(0).driven(), Duration.ZERO)).isTrue();
        PickedUpRun fifth = store().take(id, known, MANY).orElseThrow();
        assertThat(fifth.interrupted()).as("given back").isTrue();
        store().end(fifth.driven(), List.of(), new Ending(RunState.FAILED, null, "an error", null));
        assertThat(store().retry(id)).isTrue();
        PickedUpRun sixth = store().take(id, known, MANY).orElseThrow();
        assertThat(sixth.interrupted()).as("failed and retried").isFalse();
        store().end(sixth.driven(), List.of(), new Ending(RunState.PENDING, null, "an error", Duration.ZERO));
        assertThat(store().take(id, known, MANY))
                .as("left for later")
                .map(PickedUpRun::interrupted)
                .contains(true);
        Driven here = driven();
        assertThat(takenOver(here.id()).interrupted())
                .as("driven from its start")
                .isTrue();
    }

    /** Who was the first to find it so has begun nothing: it is for the next one as it was. */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"BLOCKED", "PARKED"})
    void whatWasFoundAmidIsSoForWhoeverGoesOn(RunState state) {
        RunId id = driven().id();
        pass(LEASE);
        PickedUpRun found =
                another().take(id, known, state == RunState.PARKED ? 1 : MANY).orElseThrow();
        assertThat(found.interrupted()).isTrue();
        if (state == RunState.BLOCKED) {
            another().end(found.driven(), List.of(), ending(state));
        }
        assertThat(state(id)).isEqualTo(state);

        assertThat(store().retry(id)).isTrue();

        assertThat(store().take(id, known, MANY)).map(PickedUpRun::interrupted).contains(true);
    }

    @Test
    void whatWasGivenBackWasNeverTaken() {
        RunId id = started();
        for (int round = 0; round < 5; round++) {
            List<PickedUpRun> taken = store().take(known, 1, 1);
            assertThat(taken).extracting(PickedUpRun::attempt).containsExactly(1);
            assertThat(taken).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(store().giveBack(taken.get(0).driven(), LEASE)).isTrue();
            assertThat(state(id)).isEqualTo(RunState.PENDING);
            assertThat(row(id).node()).isNull();
            assertThat(row(id).attempt()).isZero();
            assertThat(isTaken(id)).isFalse();
            pass(LEASE);
        }
        pass(LEASE);
        Driven driven = takenOver(id).driven();
        Driven next = takenOver(id).driven();
        assertThat(store().giveBack(driven, Duration.ZERO)).isFalse();
        assertThat(row(id).attempt()).isEqualTo(2);
        assertThat(another().giveBack(next, Duration.ZERO)).isTrue();
        assertThat(row(id).attempt()).isOne();
    }

    @Test
    void aRunIsTakenByItsIdWhileItIsFree() {
        RunId id = started();
        assertThat(store().take(RunId.next(), known, MANY)).isEmpty();
        assertThat(store().take(id, Set.of("other"), MANY)).isEmpty();
        PickedUpRun taken = store().take(id, known, MANY).orElseThrow();
        assertThat(taken.driven().id()).isEqualTo(id);
        assertThat(another().take(id, known, MANY)).isEmpty();
        pass(LEASE);
        assertThat(another().take(id, known, MANY)).map(PickedUpRun::attempt).contains(2);
    }

    /** Somebody asks that it is looked at now. */
    @Test
    void whatSleepsIsTakenByItsIdBeforeItIsDue() {
        Driven sleeping = driven();
        assertThat(store().suspend(sleeping, done(0, 1), LONG, told(0))).isTrue();

        PickedUpRun taken = another().take(sleeping.id(), known, MANY).orElseThrow();

        assertThat(taken.driven().token()).isGreaterThan(sleeping.token());
        assertThat(texts(taken.journal())).isEqualTo(texts(done(0, 1)));
        assertThat(taken.attempt()).isOne();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {
                "COMPLETED",
                "FAILED",
                "CANCELLED",
                "IN_DOUBT",
                "BLOCKED",
                "PARKED",
                "COMPENSATION_FAILED",
                "WAITING"
            })
    void whatIsOverOrWaitsForSomebodyIsNotTaken(RunState state) {
        RunId id;
        if (state == RunState.WAITING) {
            Driven driven = driven();
            id = driven.id();
            assertThat(suspended(driven, null)).isTrue();
        } else {
            id = left(state);
        }
        pass(LONG);

        assertThat(store().take(id, known, MANY)).isEmpty();
        assertThat(isTaken(id)).isFalse();
        assertThat(state(id)).isEqualTo(state);
    }

    // The journal.

    @Test
    void aPositionIsWrittenOnce() {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, 2));
        List<Entry> other = List.of(entry(1, "another", Call.NOW, Mark.DONE, null), done(2), done(3));

        Standing unusedToo = store().checkpoint(driven, done(0, 2));
        Standing unusedThree = store().checkpoint(driven, other);
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 4)));

        store().end(driven, done(2, 5), ending(RunState.COMPLETED));
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 5)));
    }

    /** As after a fail-over to a replica that lagged: the node knows of entries that the store has not. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void nothingIsWrittenBehindAHoleInTheJournal(int there) {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, there));
        String before = seen(another(), driven.id());
        Driven knowing = new Driven(driven.id(), driven.token(), there + 1);
        Ending completed = ending(RunState.COMPLETED);

        for (List<Entry> entries : List.of(List.<Entry>of(), done(there + 1, there + 2), done(there + 1, there + 4))) {
            assertThatThrownBy(() -> store().checkpoint(knowing, entries))
                    .as("%s", entries)
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("lost entries of its journal");
            assertThatThrownBy(() -> store().compensate(knowing, entries)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().suspend(knowing, entries, LONG, told(0)))
                    .isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().end(knowing, entries, completed)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().endUnlessTold(knowing, entries, completed, told(0)))
                    .isInstanceOf(FencedException.class);
            if (!entries.isEmpty()) {
                assertThatThrownBy(() -> store().conclude(knowing, entries, told(0)))
                        .isInstanceOf(FencedException.class);
            }
        }
        assertThat(seen(another(), driven.id())).isEqualTo(before);

        Standing unusedToo = store().checkpoint(new Driven(driven.id(), driven.token(), there), done(there, there + 1));
        store().end(knowing, List.of(), completed);
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, there + 1)));
    }

    @Test
    void aCheckpointSaysWhatTheRunWasTold() {
        Driven driven = driven(LONG);
        assertThat(store().checkpoint(driven, done(0, 1))).isEqualTo(new Standing(0, null, false));

        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().signal(driven.id(), "sent", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().checkpoint(driven, List.of())).isEqualTo(new Standing(2, null, false));

        assertThat(another().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        Standing cancelled = store().checkpoint(driven, done(1, 2));
        assertThat(cancelled.signals()).isGreaterThan(2);
        assertThat(cancelled.cancelReason()).isEqualTo("enough");
        assertThat(cancelled.late()).isFalse();

        pass(LONG.minusSeconds(10));
        assertThat(store().checkpoint(driven, done(2, 3)).late()).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(store().checkpoint(driven, done(3, 4)).late()).isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 4)));
        Standing takenOver = takenOver(driven.id()).standing();
        assertThat(takenOver).isEqualTo(new Standing(cancelled.signals(), "enough", true));
    }

    /** Its lease is over, and nobody has noticed: it goes on. */
    @Test
    void whoWasLateWritesWhatNobodyElseHasBegun() {
        Driven driven = driven();
        pass(LONG);

        Standing unused = store().checkpoint(driven, done(0, 1));
        store().end(driven, done(1, 2), ending(RunState.COMPLETED));

        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 2)));
        assertThat(isTaken(driven.id())).isFalse();
    }

    @Test
    void whoWasOvertakenWritesNothing() throws Exception {
        Driven first = driven();
        Driven second = takenOver(first.id()).driven();
        requireFenced(first);
        assertThat(store().checkpoint(second, done(0, 1))).isEqualTo(new Standing(0, null, false));
        requireFenced(first);
        assertThat(journal(first.id())).isEqualTo(texts(done(0, 1)));

        Driven third = takenOver(first.id()).driven();
        requireFenced(first);
        requireFenced(second);
        another().end(third, List.of(), ending(RunState.COMPLETED));
        requireFenced(second);
    }

    /** It looks as if it had left it so itself, and the answer was lost. */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "IN_DOUBT", "BLOCKED", "PENDING", "WAITING"})
    void whoWasOvertakenIsRefusedAlthoughTheOtherLeftItInTheSameState(RunState state) {
        Driven first = driven();
        Driven second = takenOver(first.id()).driven();
        Ending ending = new Ending(state, null, null, state == RunState.PENDING ? LONG : null);
        if (state == RunState.WAITING) {
            assertThat(another().suspend(second, List.of(), LONG, told(0))).isTrue();
        } else {
            another().end(second, List.of(), ending);
        }
        String before = seen(another(), first.id());

        if (state == RunState.WAITING) {
            assertThatThrownBy(() -> store().suspend(first, done(0, 1), LONG, told(0)))
                    .isInstanceOf(FencedException.class);
        } else {
            assertThatThrownBy(() -> store().end(first, done(0, 1), ending)).isInstanceOf(FencedException.class);
            assertThatThrownBy(() -> store().endUnlessTold(first, done(0, 1), ending, told(0)))
                    .isInstanceOf(FencedException.class);
        }
        assertThat(seen(another(), first.id())).isEqualTo(before);
    }

    @Test
    void whoHasLetItGoWritesNothing() throws Exception {
        Driven waiting = driven();
        assertThat(suspended(waiting, null)).isTrue();
        requireFenced(waiting);

        Driven ended = driven();
        store().end(ended, List.of(), ending(RunState.COMPLETED));
        requireFenced(ended);

        Driven given = driven();
        assertThat(store().giveBack(given, LONG)).isTrue();
        requireFenced(given);

        requireFenced(new Driven(RunId.next(), given.token()));
    }

    // Waiting.

    @Test
    void whatWasToldSomethingSinceDoesNotWait() {
        Driven driven = driven();
        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), driven.id());

        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isFalse();
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        assertThat(another().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, done(0, 1), LONG, told(1))).isFalse();
        assertThat(journal(driven.id())).isEmpty();

        int signals = store().checkpoint(driven, List.of()).signals();
        assertThat(store().suspend(driven, done(0, 1), LONG, told(signals))).isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void whatWaitsIsNobodysAndDueByItsPause() {
        Driven driven = driven();

        assertThat(store().suspend(driven, done(0, 1), Duration.ofMinutes(5), told(0)))
                .isTrue();

        RunRow row = row(driven.id());
        assertThat(row.state()).isEqualTo(RunState.WAITING);
        assertThat(row.node()).isNull();
        assertThat(row.attempt()).isZero();
        assertThat(row.dueAt()).isNotNull();
        assertThat(row.endedAt()).isNull();
        pass(Duration.ofMinutes(5).minusSeconds(20));
        assertThat(isTaken(driven.id())).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(isTaken(driven.id())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 60})
    void whatWaitsIsDueByItsDeadlineAtTheLatest(long pauseMinutes) {
        Driven driven = driven(Duration.ofMinutes(5));

        assertThat(suspended(driven, pauseMinutes == 0 ? null : Duration.ofMinutes(pauseMinutes)))
                .isTrue();
        pass(Duration.ofMinutes(5).minusSeconds(20));
        assertThat(isTaken(driven.id())).isFalse();
        pass(Duration.ofSeconds(20));

        assertThat(store().take(known, 10, MANY))
                .extracting(PickedUpRun::standing)
                .containsExactly(new Standing(0, null, true));
    }

    @Test
    void whatWaitsIsDueByItsPauseIfThatIsBeforeItsDeadline() {
        Driven driven = driven(LONG);
        assertThat(suspended(driven, Duration.ofMinutes(5))).isTrue();
        pass(Duration.ofMinutes(5));

        assertThat(store().take(known, 10, MANY))
                .extracting(PickedUpRun::standing)
                .containsExactly(new Standing(0, null, false));
    }

    /** It was told of its deadline: to be woken by it again would be to wait no more. */
    @Test
    void whatKnowsThatItIsLateWaitsBeyondItsDeadline() {
        Driven driven = driven(Duration.ofMinutes(5));
        pass(Duration.ofMinutes(5));
        Standing late = store().checkpoint(driven, List.of());
        assertThat(late).isEqualTo(new Standing(0, null, true));

        assertThat(store().suspend(driven, List.of(), LONG, late)).isTrue();
        assertThat(isTaken(driven.id())).isFalse();
        pass(LONG);
        PickedUpRun taken = store().take(known, 1, MANY).get(0);
        assertThat(taken.standing()).isEqualTo(late);
        assertThat(store().suspend(taken.driven(), List.of(), null, late)).isTrue();
        assertThat(row(driven.id()).dueAt()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWaitsIsWokenByWhatItIsTold(boolean forEver) {
        for (boolean cancelled : List.of(true, false)) {
            Driven driven = driven();
            assertThat(suspended(driven, forEver ? null : LONG)).isTrue();

            assertThat(
                            cancelled
                                    ? another().cancel(driven.id(), "enough")
                                    : another().signal(driven.id(), "paid", "1", stored("1")))
                    .isEqualTo(Answer.ACCEPTED);

            assertThat(store().take(known, 10, MANY)).hasSize(1).allSatisfy(taken -> {
                assertThat(taken.driven().id()).isEqualTo(driven.id());
                assertThat(taken.standing().signals()).isOne();
                assertThat(taken.standing().cancelReason()).isEqualTo(cancelled ? "enough" : null);
            });
        }
    }

    /** As after an answer that was lost. */
    @Test
    void aWaitThatIsSaidAgainIsOne() {
        Driven driven = driven();
        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
        String before = seen(store(), driven.id());

        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
        assertThat(isTaken(driven.id())).isTrue();
        assertThatThrownBy(() -> store().suspend(driven, done(0, 1), LONG, told(0)))
                .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().suspend(driven, done(0, 1), LONG, told(1)))
                .isInstanceOf(FencedException.class);
    }

    // Concluding.

    @Test
    void aConclusionIsAddedIfTheRunWasToldNothingSince() {
        Driven driven = driven();
        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), driven.id());

        assertThat(store().conclude(driven, List.of(timedOut(0, "paid")), told(0)))
                .isFalse();
        assertThat(seen(another(), driven.id())).isEqualTo(before);

        assertThat(store().conclude(driven, List.of(done(0), timedOut(1, "paid")), told(1)))
                .isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(List.of(done(0), timedOut(1, "paid"))));
        assertThat(state(driven.id())).isEqualTo(RunState.RUNNING);

        assertThat(another().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(store().conclude(driven, List.of(done(2)), told(1))).isFalse();
        assertThat(another().reply(driven.id(), further("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().conclude(driven, List.of(done(2)), told(2))).isFalse();
        assertThat(store().conclude(driven, List.of(done(2)), told(3))).isTrue();
        assertThat(journal(driven.id())).hasSize(3);
    }

    /** As after an answer that was lost: it was added, whatever the run was told since. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aConclusionThatIsSaidAgainIsOne(int entries) {
        Driven driven = driven();
        assertThat(store().conclude(driven, done(0, entries), told(0))).isTrue();
        assertThat(store().conclude(driven, done(0, entries), told(0))).isTrue();
        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        String before = seen(store(), driven.id());

        assertThat(store().conclude(driven, done(0, entries), told(0))).isTrue();
        assertThat(seen(another(), driven.id())).isEqualTo(before);
        assertThat(store().checkpoint(driven, List.of())).isEqualTo(told(1));

        assertThat(store().suspend(driven, List.of(), null, told(1))).isTrue();
        assertThatThrownBy(() -> store().conclude(driven, done(0, entries), told(0)))
                .as("left to wait meanwhile")
                .isInstanceOf(FencedException.class);
    }

    /** It is too late for whoever was overtaken, also where nothing but the answer is missing. */
    @Test
    void aConclusionThatIsSaidAgainAfterAChangeOfHandsIsRefused() {
        Driven driven = driven();
        assertThat(store().conclude(driven, done(0, 1), told(0))).isTrue();
        Driven next = takenOver(driven.id()).driven();

        assertThatThrownBy(() -> store().conclude(driven, done(0, 1), told(0))).isInstanceOf(FencedException.class);
        assertThat(another().conclude(next, done(1, 2), told(0))).isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 2)));
    }

    /** What is there of it is not the conclusion. */
    @Test
    void aConclusionOfWhichTheBeginningIsThereIsNotAddedEitherIfTheRunWasToldSomething() {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, 1));
        assertThat(another().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(store().conclude(driven, done(0, 2), told(0))).isFalse();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 1)));
        assertThat(store().conclude(driven, done(0, 2), told(1))).isTrue();
        assertThat(journal(driven.id())).isEqualTo(texts(done(0, 2)));
    }

    // Undoing.

    @Test
    void whatUndoesWhatItDidIsSeenToDoSoWhileItGoesOnByItself() {
        Driven driven = driven(LONG.multipliedBy(2));
        RunId id = driven.id();
        assertThat(another().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(store().compensate(driven, done(0, 2))).isEqualTo(told(1));

        assertThat(journal(id)).isEqualTo(texts(done(0, 2)));
        assertThat(state(id)).as("running").isEqualTo(RunState.COMPENSATING);
        assertThat(row(id).node()).isNotNull();
        assertThat(store().checkpoint(driven, done(2, 3))).isEqualTo(told(1));
        assertThat(store().suspend(driven, done(3, 4), LONG, told(1))).isTrue();
        assertThat(state(id)).as("waiting").isEqualTo(RunState.COMPENSATING);
        assertThat(row(id).node()).isNull();
        assertThat(isTaken(id)).isFalse();
        pass(LONG);
        List<PickedUpRun> taken = store().take(known, 1, MANY);
        assertThat(taken).extracting(PickedUpRun::interrupted).containsExactly(false);
        assertThat(state(id)).as("taken").isEqualTo(RunState.COMPENSATING);
        assertThat(store().giveBack(taken.get(0).driven(), Duration.ZERO)).isTrue();
        assertThat(state(id)).as("pending").isEqualTo(RunState.COMPENSATING);
        assertThat(ids(run, RunState.COMPENSATING)).containsExactly(id);
        assertThat(ids(run, RunState.PENDING, RunState.RUNNING, RunState.WAITING))
                .isEmpty();
        Driven next = store().take(id, known, MANY).orElseThrow().driven();
        store().end(next, List.of(), ending(RunState.FAILED));
        assertThat(state(id)).as("over").isEqualTo(RunState.FAILED);
        assertThat(ids(run, RunState.COMPENSATING)).isEmpty();
        assertThat(ids(run, RunState.FAILED)).containsExactly(id);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "IN_DOUBT", "BLOCKED", "PARKED", "COMPENSATION_FAILED"})
    void whatUndoesWhatItDidIsSeenAsItEndsOrIsLeftToSomebody(RunState state) {
        RunId id = leftUndone(state);

        assertThat(state(id)).isEqualTo(state);
        assertThat(store().look(id)).map(RunRow::state).contains(state);
        assertThat(ids(run, state)).containsExactly(id);
    }

    /** As after an answer that was lost. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void toUndoIsSaidAgainWithoutHarm(int entries) {
        Driven driven = driven();
        assertThat(store().compensate(driven, done(0, entries))).isEqualTo(told(0));
        String before = seen(store(), driven.id());

        assertThat(store().compensate(driven, done(0, entries))).isEqualTo(told(0));
        assertThat(seen(another(), driven.id())).isEqualTo(before);
        assertThat(state(driven.id())).isEqualTo(RunState.COMPENSATING);
    }

    @Test
    void whatCouldNotBeUndoneWaitsForAPersonWhoeverCancelsIt() {
        RunId id = leftUndone(RunState.COMPENSATION_FAILED);
        assertThat(row(id).endedAt()).isNull();
        assertThat(row(id).attempt()).isZero();

        assertThat(another().cancel(id, "enough")).isEqualTo(Answer.ACCEPTED);
        assertThat(state(id)).isEqualTo(RunState.COMPENSATION_FAILED);
        assertThat(row(id).cancelReason()).isEqualTo("enough");
        assertThat(row(id).dueAt()).isNull();
        pass(LONG);
        assertThat(isTaken(id)).isFalse();

        assertThat(store().retry(id)).isTrue();
        assertThat(state(id)).isEqualTo(RunState.COMPENSATING);
        assertThat(row(id).error()).isNull();
        assertThat(store().take(known, 1, 1))
                .extracting(PickedUpRun::retries, PickedUpRun::interrupted, PickedUpRun::parked)
                .containsExactly(tuple(1, false, false));
    }

    // Ending.

    @Test
    void whoWasToldSomethingDoesNotEndBeforeItHasHeardIt() {
        Driven driven = driven();
        Standing before = store().checkpoint(driven, done(0, 1));
        assertThat(another().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(store().endUnlessTold(driven, done(1, 2), ending(RunState.COMPLETED), before))
                .isFalse();

        assertThat(state(driven.id())).isEqualTo(RunState.RUNNING);
        assertThat(journal(driven.id())).hasSize(1);
        Standing now = store().checkpoint(driven, List.of());
        assertThat(store().endUnlessTold(driven, done(1, 2), ending(RunState.COMPLETED), now))
                .isTrue();
        assertThat(store().endUnlessTold(driven, done(1, 2), ending(RunState.COMPLETED), now))
                .as("said again, because the answer was lost")
                .isTrue();
        assertThat(state(driven.id())).isEqualTo(RunState.COMPLETED);
        assertThat(journal(driven.id())).hasSize(2);
    }

    @Test
    void whoseDeadlinePassesDoesNotEndBeforeItHasHeardIt() {
        Driven driven = driven(Duration.ofSeconds(1));
        Standing before = store().checkpoint(driven, List.of());
        pass(Duration.ofSeconds(2));

        assertThat(store().endUnlessTold(driven, List.of(), ending(RunState.COMPLETED), before))
                .isFalse();

        assertThat(state(driven.id())).isEqualTo(RunState.RUNNING);
    }

    @Test
    void whoKnowsThatItIsLateEnds() {
        Driven driven = driven(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(2));
        Standing late = store().checkpoint(driven, List.of());

        assertThat(store().endUnlessTold(driven, done(0, 1), ending(RunState.FAILED), late))
                .isTrue();

        assertThat(state(driven.id())).isEqualTo(RunState.FAILED);
        assertThat(journal(driven.id())).hasSize(1);
    }

    @Test
    void whoWasOvertakenDoesNotEndItAlthoughItWasToldNothing() {
        Driven driven = driven();
        Standing before = store().checkpoint(driven, List.of());
        takenOver(driven.id());

        assertThatThrownBy(() -> store().endUnlessTold(driven, List.of(), ending(RunState.COMPLETED), before))
                .isInstanceOf(FencedException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "IN_DOUBT", "BLOCKED", "COMPENSATION_FAILED", "PENDING"})
    void aRunEndsAsItWasSaid(RunState state) throws Exception {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, 1));
        Duration again = state == RunState.BLOCKED || state == RunState.PENDING ? LONG : null;

        store().end(driven, done(1, 3), new Ending(state, stored("result"), "why\0not", again));

        RunRow row = row(driven.id());
        assertThat(row.state()).isEqualTo(state);
        assertThat(row.node()).isNull();
        assertThat(text(row.result())).isEqualTo("text:result");
        assertThat(row.error()).startsWith("why").endsWith("not");
        assertThat(row.dueAt() != null).isEqualTo(again != null);
        assertThat(row.endedAt() != null).isEqualTo(state.isEnd());
        assertThat(texts(row.journal())).isEqualTo(texts(done(0, 3)));
        requireFenced(driven);
        pass(LONG.minusSeconds(20));
        assertThat(isTaken(driven.id())).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(isTaken(driven.id())).isEqualTo(again != null);
    }

    @Test
    void aRunMayEndWithNothing() {
        RunId id = driven().id();
        Driven driven = takenOver(id).driven();

        store().end(driven, List.of(), ending(RunState.COMPLETED));

        assertThat(row(id).result()).isNull();
        assertThat(row(id).error()).isNull();
        assertThat(row(id).journal()).isEmpty();
        assertThat(row(id).endedAt()).isAfterOrEqualTo(row(id).startedAt());
    }

    /** As after an answer that was lost. */
    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "IN_DOUBT", "BLOCKED", "COMPENSATION_FAILED", "PENDING"})
    void anEndThatIsSaidAgainIsOne(RunState state) {
        Driven driven = driven();
        Ending ending = new Ending(state, stored("result"), null, state.isEnd() ? null : LONG);
        store().end(driven, done(0, 1), ending);
        String before = seen(store(), driven.id());

        store().end(driven, done(0, 1), ending);
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        assertThatThrownBy(() -> store().end(driven, List.of(), ending(RunState.PARKED)))
                .isInstanceOf(FencedException.class);
        assertThat(seen(store(), driven.id())).isEqualTo(before);
    }

    /** What people are told is stored somehow, however long and whatever is in it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\0", "\uD83D", "😀", "'; --"})
    void everyTextForPeopleIsStored(String odd) {
        String text = ("a" + odd).repeat(10_000);
        Driven driven = driven();
        assertThat(store().cancel(driven.id(), text)).isEqualTo(Answer.ACCEPTED);
        store().end(
                        driven,
                        List.of(new Entry(0, "step", Call.STEP, Mark.FAILED, null, text, null, null, null)),
                        new Ending(RunState.FAILED, null, text, null));

        assertThat(row(driven.id()).error()).startsWith("a");
        assertThat(row(driven.id()).cancelReason()).startsWith("a");
        assertThat(row(driven.id()).journal().get(0).detail()).startsWith("a");
    }

    // Signals.

    @Test
    void signalsAreGivenInTheirOrderHoweverOftenOneAsks() {
        RunId id = started();
        for (int each = 0; each < 12; each++) {
            RunStore store = each % 2 == 0 ? store() : another();
            assertThat(store.signal(id, each % 3 == 0 ? "other" : "paid", "key-" + each, stored("value-" + each)))
                    .isEqualTo(Answer.ACCEPTED);
        }

        List<Signal> paid = another().signals(id, "paid");

        assertThat(paid)
                .extracting(signal -> text(signal.value()))
                .containsExactly(
                        "text:value-1",
                        "text:value-2",
                        "text:value-4",
                        "text:value-5",
                        "text:value-7",
                        "text:value-8",
                        "text:value-10",
                        "text:value-11");
        assertThat(paid).extracting(Signal::name).containsOnly("paid");
        List<Long> numbers = Stream.concat(paid.stream(), store().signals(id, "other").stream())
                .sorted(Comparator.comparing(signal -> value(signal)))
                .map(Signal::number)
                .toList();
        assertThat(numbers).hasSize(12).isSorted().doesNotHaveDuplicates();
        assertThat(store().signals(id, "paid"))
                .extracting(Signal::number)
                .isEqualTo(paid.stream().map(Signal::number).toList());
        assertThat(store().signals(id, "PAID")).isEmpty();
        assertThat(store().signals(RunId.next(), "paid")).isEmpty();
        assertThat(store().signals(started(), "paid")).isEmpty();
    }

    private static int value(Signal signal) {
        String text = Objects.requireNonNull(text(signal.value()));
        return Integer.parseInt(text.substring("text:value-".length()));
    }

    /** A repetition changes nothing: neither does it wake the run, nor count. */
    @Test
    void aSignalIsAcceptedOnce() {
        Driven driven = driven();
        assertThat(store().signal(driven.id(), "paid", "1", stored("first"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, List.of(), null, told(1))).isTrue();
        Driven next = store().take(known, 1, MANY).stream()
                .findFirst()
                .map(PickedUpRun::driven)
                .orElse(null);
        assertThat(next).as("told before it waited").isNull();

        assertThat(another().signal(driven.id(), "paid", "1", stored("second"))).isEqualTo(Answer.REPEATED);
        assertThat(isTaken(driven.id())).isFalse();
        assertThat(another().signal(driven.id(), "sent", "1", stored("another")))
                .isEqualTo(Answer.ACCEPTED);
        assertThat(store().take(known, 1, MANY))
                .extracting(taken -> taken.standing().signals())
                .containsExactly(2);
        assertThat(store().signals(driven.id(), "paid"))
                .extracting(signal -> text(signal.value()))
                .containsExactly("text:first");
    }

    @Test
    void whatIsOverIsToldNothing() {
        Driven driven = driven();
        assertThat(store().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        store().end(driven, List.of(), ending(RunState.COMPLETED));
        String before = seen(store(), driven.id());

        assertThat(store().signal(driven.id(), "paid", "2", stored("2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.REPEATED);
        assertThat(store().cancel(driven.id(), "enough")).isEqualTo(Answer.TOO_LATE);
        assertThat(store().signals(driven.id(), "paid")).hasSize(1);
        assertThat(seen(store(), driven.id())).isEqualTo(before);
    }

    @Test
    void nobodyIsTold() {
        RunId nobody = RunId.next();

        assertThat(store().signal(nobody, "paid", "1", stored("1"))).isEqualTo(Answer.UNKNOWN);
        assertThat(store().reply(nobody, last("answer", "1", "1"))).isEqualTo(Answer.UNKNOWN);
        assertThat(store().note(nobody, "noted", "1")).isFalse();
        assertThat(store().notes(nobody)).isEmpty();
        assertThat(store().cancel(nobody, "enough")).isEqualTo(Answer.UNKNOWN);
        assertThat(store().retry(nobody)).isFalse();
        assertThat(store().resolve(nobody, done(0))).isFalse();
        assertThat(store().giveUp(nobody, "nobody", true)).isFalse();
        assertThat(store().find(nobody)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED", "COMPENSATION_FAILED"})
    void whatWaitsForAPersonKeepsItsSignals(RunState state) {
        RunId id = left(state);

        assertThat(store().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(state(id)).isEqualTo(state);
        assertThat(isTaken(id)).isFalse();
        assertThat(store().signals(id, "paid")).hasSize(1);
    }

    // Replies.

    @Test
    void aReplyIsGivenToTheRunAndCounts() {
        Driven driven = driven();
        RunId id = driven.id();

        assertThat(another().reply(id, last("answer", "1", "first"))).isEqualTo(Answer.ACCEPTED);

        assertThat(replies(store(), id, "answer")).containsExactly("text:first");
        assertThat(store().suspend(driven, List.of(), null, told(0))).isFalse();
        assertThat(store().conclude(driven, done(0, 1), told(0))).isFalse();
        assertThat(store().checkpoint(driven, List.of())).isEqualTo(told(1));
        assertThat(another().reply(id, last("another", "2", "second"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().checkpoint(driven, List.of())).isEqualTo(told(2));
        assertThat(replies(another(), id, "another")).containsExactly("text:second");
        assertThat(replies(store(), id, "answer")).containsExactly("text:first");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReplyWakesARunThatWaits(boolean isLast) {
        for (Duration pause : Arrays.asList(null, LONG)) {
            Driven driven = driven();
            assertThat(suspended(driven, pause)).isTrue();

            assertThat(another().reply(driven.id(), isLast ? last("answer", null, "1") : further("answer", null, "1")))
                    .isEqualTo(Answer.ACCEPTED);

            assertThat(state(driven.id())).isEqualTo(RunState.WAITING);
            assertThat(store().take(known, 10, MANY)).hasSize(1).allSatisfy(taken -> {
                assertThat(taken.driven().id()).isEqualTo(driven.id());
                assertThat(taken.standing()).isEqualTo(told(1));
            });
        }
    }

    @Test
    void ofManyRepliesTheLastIsOneAndThereIsNoneBehindIt() {
        Driven driven = driven();
        RunId id = driven.id();
        assertThat(store().reply(id, further("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().reply(id, further("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().reply(id, further("answer", "3", "3"))).isEqualTo(Answer.ACCEPTED);
        assertThat(another().reply(id, last("answer", null, "4"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, List.of(), null, told(4))).isTrue();
        String before = seen(store(), id);

        assertThat(store().reply(id, last("answer", null, "4"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, last("answer", "5", "5"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, further("answer", null, "6"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, further("answer", "7", "7"))).isEqualTo(Answer.TOO_LATE);

        assertThat(seen(another(), id)).isEqualTo(before);
        assertThat(isTaken(id)).isFalse();
        assertThat(replies(another(), id, "answer")).containsExactly("text:1", "text:1", "text:3", "text:4");
        assertThat(store().reply(id, last("another", null, "8"))).isEqualTo(Answer.ACCEPTED);
    }

    /** Its scope is that of whoever says it, and not the wait: what is said again may meet the next one. */
    @Test
    void aReplyIsRepeatedByItsKeyWithinItsScope() {
        Driven driven = driven();
        RunId id = driven.id();
        assertThat(store().reply(id, further("answer", "1", "first"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().suspend(driven, List.of(), null, told(1))).isTrue();
        String before = seen(store(), id);

        assertThat(another().reply(id, further("answer", "1", "first"))).isEqualTo(Answer.REPEATED);
        assertThat(another().reply(id, last("answer", "1", "second"))).isEqualTo(Answer.REPEATED);
        assertThat(another().reply(id, last("another", "1", "third"))).isEqualTo(Answer.REPEATED);
        assertThat(isTaken(id)).isFalse();
        assertThat(seen(another(), id)).isEqualTo(before);
        assertThat(replies(store(), id, "answer")).containsExactly("text:first");
        assertThat(replies(store(), id, "another")).isEmpty();

        RunId other = started();
        assertThat(store().reply(other, last("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);
        RunReply elsewhere = new RunReply("answer", "another scope", "1", stored("fourth"), true);
        assertThat(store().reply(id, elsewhere)).isEqualTo(Answer.ACCEPTED);
        assertThat(store().reply(id, elsewhere)).as("too late, and said before").isEqualTo(Answer.REPEATED);
    }

    /** What was refused was not said. */
    @Test
    void aReplyThatCameTooLateIsNotRepeatedByItsKey() {
        RunId id = started();
        assertThat(store().reply(id, last("answer", null, "1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().reply(id, last("answer", "2", "2"))).isEqualTo(Answer.TOO_LATE);

        assertThat(store().reply(id, last("answer", "2", "2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(id, last("another", "2", "2"))).isEqualTo(Answer.ACCEPTED);
    }

    @ParameterizedTest
    @CsvSource({"SIGNAL, TIMED_OUT", "STOP, DONE", "STOP, TIMED_OUT", "STOP_AMID, DONE", "STOP_AMID, TIMED_OUT"})
    void aReplyIsTooLateWhenTheWaitIsOver(Call call, Mark mark) {
        for (boolean concluded : List.of(true, false)) {
            Driven driven = driven();
            List<Entry> over = List.of(done(0), entry(1, "answer", call, mark, null));
            if (concluded) {
                assertThat(store().conclude(driven, over, told(0))).isTrue();
            } else {
                Standing unused = store().checkpoint(driven, over);
            }
            assertThat(suspended(driven, null)).isTrue();
            String before = seen(store(), driven.id());

            assertThat(another().reply(driven.id(), last("answer", "1", "1"))).isEqualTo(Answer.TOO_LATE);
            assertThat(another().reply(driven.id(), further("answer", null, "1")))
                    .isEqualTo(Answer.TOO_LATE);

            assertThat(seen(another(), driven.id())).isEqualTo(before);
            assertThat(isTaken(driven.id())).isFalse();
            assertThat(store().signals(driven.id(), "answer")).isEmpty();
            assertThat(another().reply(driven.id(), last("another", "1", "1"))).isEqualTo(Answer.ACCEPTED);
        }
    }

    @ParameterizedTest
    @CsvSource({"SIGNAL, WAITING", "SIGNAL, DONE", "STEP, DONE", "STEP, FAILED", "SLEEP, WAITING"})
    void aReplyIsInTimeWhateverElseTheJournalSaysOfTheWait(Call call, Mark mark) {
        Driven driven = driven();
        Standing unused = store().checkpoint(
                        driven,
                        List.of(
                                entry(0, "answer", call, mark, null),
                                timedOut(1, "another"),
                                entry(2, "answer:2", Call.STOP, Mark.DONE, null)));

        assertThat(another().reply(driven.id(), last("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED"})
    void whatIsOverIsRepliedNothing(RunState state) {
        Driven driven = driven();
        assertThat(store().reply(driven.id(), further("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);
        store().end(driven, List.of(), ending(state));
        String before = seen(store(), driven.id());

        assertThat(store().reply(driven.id(), last("answer", "2", "2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(driven.id(), further("another", null, "2"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(driven.id(), further("answer", "1", "1"))).isEqualTo(Answer.REPEATED);
        assertThat(seen(another(), driven.id())).isEqualTo(before);
        assertThat(replies(store(), driven.id(), "answer")).containsExactly("text:1");
    }

    @Test
    void whatUndoesWhatItDidIsRepliedNothing() {
        Driven driven = undoing();
        assertThat(suspended(driven, null)).isTrue();
        RunId failed = leftUndone(RunState.COMPENSATION_FAILED);

        assertThat(store().reply(driven.id(), last("answer", "1", "1"))).isEqualTo(Answer.TOO_LATE);
        assertThat(store().reply(failed, further("answer", null, "1"))).isEqualTo(Answer.TOO_LATE);

        assertThat(isTaken(driven.id())).isFalse();
        assertThat(store().signals(driven.id(), "answer")).isEmpty();
        assertThat(store().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(isTaken(driven.id())).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED"})
    void whatWaitsForAPersonKeepsItsReplies(RunState state) {
        RunId id = left(state);

        assertThat(store().reply(id, last("answer", "1", "1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(state(id)).isEqualTo(state);
        assertThat(isTaken(id)).isFalse();
        assertThat(replies(store(), id, "answer")).containsExactly("text:1");
    }

    // Notes.

    @Test
    void notesAreFoundByTheirRunAndByTheirKey() {
        RunId one = started();
        RunId other = driven().id();
        String key = "key of " + run;
        assertThat(store().note(one, "order:1", key)).isTrue();
        pass(Duration.ofSeconds(10));
        assertThat(another().note(other, "order:2", key)).isTrue();
        pass(Duration.ofSeconds(10));
        assertThat(store().note(one, "parcel", key)).isTrue();
        assertThat(store().note(one, "order:1", "another " + key)).isTrue();

        assertThat(another().notes(one))
                .extracting(Note::id, Note::name, Note::key)
                .containsExactlyInAnyOrder(
                        tuple(one, "order:1", key), tuple(one, "order:1", "another " + key), tuple(one, "parcel", key));
        assertThat(another().notes("order:", key))
                .as("the latest first")
                .extracting(Note::id, Note::name)
                .containsExactly(tuple(other, "order:2"), tuple(one, "order:1"));
        assertThat(store().notes("order:1", key)).extracting(Note::id).containsExactly(one);
        assertThat(store().notes("parcel", key)).extracting(Note::id).containsExactly(one);
        assertThat(store().notes("rder", key)).isEmpty();
        assertThat(store().notes("order_", key)).isEmpty();
        assertThat(store().notes("%", key)).isEmpty();
        assertThat(store().notes("order:", "key of")).isEmpty();
    }

    @Test
    void whatIsNotedAgainIsNotedOnceAndLast() {
        RunId id = started();
        assertThat(store().note(id, "first", run)).isTrue();
        pass(Duration.ofSeconds(10));
        assertThat(store().note(id, "a later one", run)).isTrue();
        pass(Duration.ofSeconds(10));

        assertThat(another().note(id, "first", run)).isTrue();

        assertThat(store().notes("", run)).extracting(Note::name).containsExactly("first", "a later one");
        List<Note> notes = store().notes(id);
        assertThat(notes).extracting(Note::name).containsExactly("first", "a later one");
        assertThat(Duration.between(notes.get(1).at(), notes.get(0).at()))
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(20));
    }

    @Test
    void aNoteTellsTheRunNothing() {
        Driven driven = driven();
        RunId id = driven.id();
        assertThat(store().note(id, "paid", "1")).isTrue();
        assertThat(store().suspend(driven, List.of(), null, told(0))).isTrue();
        String before = seen(store(), id);

        assertThat(another().note(id, "sent", "1")).isTrue();

        assertThat(seen(store(), id)).isEqualTo(before);
        assertThat(isTaken(id)).isFalse();
        assertThat(store().signals(id, "paid")).isEmpty();
        assertThat(store().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().signals(id, "paid")).hasSize(1);
        assertThat(store().signal(id, "told", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
        assertThat(store().note(id, "told", "1")).isTrue();
        assertThat(replies(store(), id, "told")).containsExactly("text:1");
        assertThat(store().notes(id)).extracting(Note::name).containsExactlyInAnyOrder("paid", "sent", "told");
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED", "PARKED", "COMPENSATION_FAILED"})
    void besideWhatIsOverNothingIsNoted(RunState state) {
        Driven driven = driven();
        assertThat(store().note(driven.id(), "before", run)).isTrue();
        store().end(driven, List.of(), ending(state));

        assertThat(store().note(driven.id(), "after", run)).isEqualTo(!state.isEnd());
        assertThat(store().note(driven.id(), "before", run)).isEqualTo(!state.isEnd());

        assertThat(another().notes(driven.id())).hasSize(state.isEnd() ? 1 : 2);
        assertThat(another().notes("", run)).hasSize(state.isEnd() ? 1 : 2);
    }

    // What people do.

    @Test
    void theFirstReasonToCancelStays() {
        RunId id = driven().id();

        assertThat(store().cancel(id, "first")).isEqualTo(Answer.ACCEPTED);
        assertThat(another().cancel(id, "second")).isEqualTo(Answer.ACCEPTED);

        assertThat(row(id).cancelReason()).isEqualTo("first");
        assertThat(state(id)).isEqualTo(RunState.RUNNING);
        assertThat(isTaken(id)).isFalse();
        assertThat(takenOver(id).standing().cancelReason()).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"IN_DOUBT", "BLOCKED", "PARKED", "PENDING"})
    void whatIsCancelledIsDueAtOnce(RunState state) {
        Driven driven = driven();
        store().end(driven, List.of(), new Ending(state, null, null, state == RunState.PENDING ? LONG : null));

        assertThat(store().cancel(driven.id(), "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(state(driven.id())).isEqualTo(RunState.PENDING);
        assertThat(store().take(known, 1, MANY))
                .extracting(taken -> taken.standing().cancelReason())
                .containsExactly("enough");
    }

    @Test
    void aParkedRunThatIsCancelledIsNotParkedAgainAtOnce() {
        RunId id = driven().id();
        pass(LEASE);
        assertThat(store().take(known, 1, 1)).extracting(PickedUpRun::parked).containsExactly(true);

        assertThat(store().cancel(id, "enough")).isEqualTo(Answer.ACCEPTED);

        assertThat(store().take(known, 1, 1)).extracting(PickedUpRun::parked).containsExactly(false);
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyWhatFailedOrIsParkedOrBlockedOrCouldNotBeUndoneIsRetried(RunState state) {
        RunId id;
        switch (state) {
            case PENDING -> id = started();
            case RUNNING -> id = driven().id();
            case WAITING -> {
                Driven driven = driven();
                assertThat(suspended(driven, LONG)).isTrue();
                id = driven.id();
            }
            case COMPENSATING -> id = undoing().id();
            default -> id = left(state, done(0, 2));
        }
        String before = seen(store(), id);
        boolean goesOn = Set.of(RunState.FAILED, RunState.PARKED, RunState.BLOCKED, RunState.COMPENSATION_FAILED)
                .contains(state);

        assertThat(store().retry(id)).isEqualTo(goesOn);

        if (goesOn) {
            RunRow row = row(id);
            assertThat(row.state()).isEqualTo(RunState.PENDING);
            assertThat(row.attempt()).isZero();
            assertThat(row.error()).isNull();
            assertThat(row.endedAt()).isNull();
            assertThat(store().retry(id)).isFalse();
            assertThat(store().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
            List<PickedUpRun> taken = store().take(known, 1, 1);
            assertThat(taken).extracting(PickedUpRun::parked).containsExactly(false);
            assertThat(taken)
                    .allSatisfy(each -> assertThat(texts(each.journal())).isEqualTo(texts(done(0, 2))));
        } else {
            assertThat(seen(store(), id)).isEqualTo(before);
        }
    }

    /** Nobody waits for the pause after which it would have been tried by itself. */
    @Test
    void whatIsRetriedIsDueAtOnce() {
        Driven driven = driven();
        store().end(driven, List.of(), new Ending(RunState.BLOCKED, null, "an error", LONG));
        assertThat(isTaken(driven.id())).isFalse();

        assertThat(store().retry(driven.id())).isTrue();

        assertThat(isTaken(driven.id())).isTrue();
    }

    @Test
    void whatFailedAndWasUndoneDoesNotGoOn() {
        for (RunState state : List.of(RunState.FAILED, RunState.CANCELLED, RunState.COMPLETED)) {
            RunId id = leftUndone(state);
            String before = seen(store(), id);

            assertThat(store().retry(id)).isFalse();
            assertThat(seen(another(), id)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyARetryOfWhatHadFailedIsCounted(boolean undoing) {
        Driven driven = undoing ? undoing() : driven();
        RunId id = driven.id();
        int retries = 0;
        for (RunState state : List.of(
                RunState.BLOCKED,
                undoing ? RunState.COMPENSATION_FAILED : RunState.FAILED,
                RunState.PARKED,
                undoing ? RunState.COMPENSATION_FAILED : RunState.FAILED)) {
            store().end(driven, List.of(), ending(state));
            assertThat(store().retry(id)).isTrue();
            retries += state == RunState.FAILED || state == RunState.COMPENSATION_FAILED ? 1 : 0;

            PickedUpRun taken = another().take(id, known, MANY).orElseThrow();
            assertThat(taken.retries()).isEqualTo(retries);
            driven = taken.driven();
        }
        assertThat(retries).isEqualTo(2);
        assertThat(takenOver(id).retries()).as("taken up, and not retried").isEqualTo(2);
        assertThat(driven().id()).isNotEqualTo(id);
    }

    /** Or it would fail again as soon as it is asked. */
    @Test
    void whatFailedForItsDeadlineIsRetriedWithoutOne() {
        Driven driven = driven(Duration.ofMinutes(5));
        for (int round = 0; round < 3; round++) {
            pass(Duration.ofMinutes(5));
            store().end(driven, List.of(), ending(RunState.FAILED));
            assertThat(store().retry(driven.id())).isTrue();

            PickedUpRun taken = store().take(driven.id(), known, MANY).orElseThrow();
            assertThat(taken.standing().late()).isFalse();
            driven = taken.driven();
        }
        assertThat(suspended(driven, null)).isTrue();
        assertThat(row(driven.id()).dueAt()).isNull();
    }

    @Test
    void whatFailedBeforeItsDeadlineKeepsIt() {
        Driven driven = driven(LONG);
        store().end(driven, List.of(), ending(RunState.FAILED));
        assertThat(store().retry(driven.id())).isTrue();
        pass(LONG);

        assertThat(store().take(driven.id(), known, MANY)
                        .map(taken -> taken.standing().late()))
                .contains(true);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mark.class,
            names = {"DONE", "ABSENT"})
    void aDoubtIsResolvedByWhatBecameOfTheStep(Mark mark) {
        Entry intent = entry(2, "pay", Call.TRANSACTIONAL_STEP, Mark.INTENT, null);
        List<Entry> entries = new ArrayList<>(done(0, 2));
        entries.add(intent);
        RunId id = left(RunState.IN_DOUBT, entries);
        Entry answer = new Entry(
                0,
                "pay",
                Call.STEP,
                mark,
                mark == Mark.DONE ? stored("receipt") : null,
                "resolved by 'ada'",
                null,
                null,
                null);

        assertThat(store().resolve(id, entry(0, "step-1", Call.STEP, mark, null)))
                .as("another step")
                .isFalse();
        assertThat(journal(id)).isEqualTo(texts(entries));
        assertThat(state(id)).isEqualTo(RunState.IN_DOUBT);
        assertThat(store().resolve(id, answer)).isTrue();
        assertThat(store().resolve(id, answer)).as("said again").isFalse();

        entries.add(new Entry(3, "pay", Call.TRANSACTIONAL_STEP, mark, answer.value(), null, null, null, null));
        assertThat(journal(id)).isEqualTo(texts(entries));
        assertThat(row(id).journal().get(3).detail()).isEqualTo("resolved by 'ada'");
        assertThat(state(id)).isEqualTo(RunState.PENDING);
        List<PickedUpRun> taken = store().take(known, 1, 1);
        assertThat(taken).extracting(PickedUpRun::parked).containsExactly(false);
        assertThat(taken).allSatisfy(each -> assertThat(texts(each.journal())).isEqualTo(texts(entries)));
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyWhatIsInDoubtOrBlockedAfterAStepIsResolved(RunState state) {
        RunId id;
        if (state == RunState.WAITING) {
            Driven driven = driven();
            assertThat(store().suspend(driven, done(0, 1), LONG, told(0))).isTrue();
            id = driven.id();
        } else if (state == RunState.RUNNING) {
            Driven driven = driven();
            Standing unused = store().checkpoint(driven, done(0, 1));
            id = driven.id();
        } else if (state == RunState.COMPENSATING) {
            Driven driven = driven();
            Standing unused = store().compensate(driven, done(0, 1));
            id = driven.id();
        } else {
            id = left(state, done(0, 1));
        }
        String before = seen(store(), id);

        boolean resolved = store().resolve(id, done(0));

        assertThat(resolved).isEqualTo(state == RunState.IN_DOUBT || state == RunState.BLOCKED);
        assertThat(seen(store(), id).equals(before)).isNotEqualTo(resolved);
    }

    @Test
    void aRunThatIsBlockedAfterASignalIsNotResolved() {
        Entry signal = new Entry(0, "paid", Call.SIGNAL, Mark.DONE, stored("x"), "1", null, null, null);
        RunId id = left(RunState.BLOCKED, List.of(signal));

        assertThat(store().resolve(id, entry(0, "paid", Call.STEP, Mark.ABSENT, null)))
                .isFalse();
        assertThat(state(id)).isEqualTo(RunState.BLOCKED);
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void onlyWhatWaitsForAPersonIsGivenUpWhileItsCodeIsThere(RunState state) throws Exception {
        Driven driven = leftOrDriven(state);
        RunId id = driven.id();
        String before = seen(store(), id);
        boolean ends = Set.of(RunState.BLOCKED, RunState.IN_DOUBT, RunState.PARKED, RunState.COMPENSATION_FAILED)
                .contains(state);

        assertThat(store().giveUp(id, "given up by 'ada'", false)).isEqualTo(ends);

        if (ends) {
            requireGivenUp(driven, state);
        } else {
            assertThat(seen(another(), id)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"PENDING", "WAITING", "BLOCKED", "PARKED"})
    void whatNoNodeExecutesIsGivenUpIfItsCodeIsGone(RunState state) throws Exception {
        Driven driven = leftOrDriven(state);

        assertThat(store().giveUp(driven.id(), "given up by 'ada'", true)).isTrue();

        requireGivenUp(driven, state);
    }

    @Test
    void whatANodeExecutesIsGivenUpOnlyWhenItsLeaseIsOver() throws Exception {
        Driven driven = driven();
        Standing unused = store().checkpoint(driven, done(0, 1));
        String before = seen(store(), driven.id());

        assertThat(store().giveUp(driven.id(), "given up by 'ada'", true)).isFalse();
        assertThat(seen(store(), driven.id())).isEqualTo(before);

        pass(LEASE.plusSeconds(1));
        assertThat(store().giveUp(driven.id(), "given up by 'ada'", true)).isTrue();
        requireGivenUp(driven, RunState.RUNNING);
        // A node that was only paused must not take the end for its own.
        assertThatThrownBy(() -> store().end(driven, List.of(), ending(RunState.CANCELLED)))
                .isInstanceOf(FencedException.class);
    }

    private Driven leftOrDriven(RunState state) {
        Driven driven = driven();
        switch (state) {
            case PENDING -> assertThat(store().giveBack(driven, Duration.ZERO)).isTrue();
            case RUNNING -> {}
            case WAITING -> assertThat(suspended(driven, null)).isTrue();
            case COMPENSATING -> {
                Standing unused = store().compensate(driven, List.of());
            }
            default -> store().end(driven, List.of(), new Ending(state, null, "an error", null));
        }
        return driven;
    }

    private void requireGivenUp(Driven driven, RunState before) throws Exception {
        RunRow row = row(driven.id());
        assertThat(row.state()).isEqualTo(RunState.CANCELLED);
        assertThat(row.node()).isNull();
        assertThat(row.endedAt()).isNotNull();
        assertThat(row.dueAt()).isNull();
        assertThat(row.cancelReason()).isEqualTo("given up by 'ada'");
        assertThat(row.error())
                .startsWith("given up by 'ada' while it was %s. Nothing was compensated.".formatted(before.text()));
        if (before == RunState.BLOCKED || before == RunState.PARKED) {
            assertThat(row.error()).endsWith("\nan error");
        }
        assertThat(store().giveUp(driven.id(), "given up by 'eve'", true)).isFalse();
        assertThat(store().retry(driven.id())).isFalse();
        assertThat(store().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.TOO_LATE);
        assertThat(isTaken(driven.id())).isFalse();
        requireFenced(driven);
    }

    @Test
    void aDoubtAboutNothingIsNotResolved() {
        RunId id = left(RunState.IN_DOUBT);

        assertThat(store().resolve(id, done(0))).isFalse();
        assertThat(state(id)).isEqualTo(RunState.IN_DOUBT);
    }

    // Looking.

    @Test
    void runsAreListedLatestFirstPageByPage() {
        List<RunId> ids = IntStream.range(0, 25)
                .mapToObj(each -> started())
                .sorted(Comparator.reverseOrder())
                .toList();

        List<RunId> listed = new ArrayList<>();
        RunId before = null;
        do {
            List<RunRow> page = another().list(new RunQuery(run, Set.of(), before, 10));
            before = page.isEmpty() ? null : page.get(page.size() - 1).id();
            page.forEach(row -> listed.add(row.id()));
        } while (before != null);

        assertThat(listed).isEqualTo(ids);
        assertThat(store().list(new RunQuery(null, Set.of(), null, 3))).hasSize(3);
        assertThat(store().list(new RunQuery(run, Set.of(), null, 3)))
                .extracting(RunRow::id)
                .isEqualTo(ids.subList(0, 3));
    }

    @Test
    void runsAreListedByNameAndState() {
        RunId pending = started();
        RunId failed = left(RunState.FAILED, done(0, 2));
        RunId parked = left(RunState.PARKED);
        RunId other = store().start(new NewRun(RunId.next(), run + "-other", null, INPUT, CARRIED, null, false))
                .id();

        assertThat(ids(run)).containsExactlyInAnyOrder(pending, failed, parked);
        assertThat(ids(run, RunState.FAILED)).containsExactly(failed);
        assertThat(ids(run, RunState.FAILED, RunState.PENDING)).containsExactlyInAnyOrder(pending, failed);
        assertThat(ids(run, RunState.COMPLETED)).isEmpty();
        assertThat(ids(run + "-other")).containsExactly(other);
        assertThat(ids(null)).contains(pending, failed, parked, other);
        assertThat(store().list(new RunQuery(run, Set.of(RunState.FAILED), null, 1)))
                .allSatisfy(row -> {
                    assertThat(row.journal()).isEmpty();
                    assertThat(row.error()).isEqualTo("an error");
                    assertThat(row.endedAt()).isNotNull();
                });
    }

    private List<RunId> ids(@Nullable String name, RunState... states) {
        return store().list(new RunQuery(name, Set.of(states), null, MANY)).stream()
                .map(RunRow::id)
                .toList();
    }

    @Test
    void aRunIsFoundByTheKeyItWasStartedWith() {
        RunId id = store().start(asked("key-7", null, false)).id();
        started();

        assertThat(another().list(new RunQuery(run, "key-7", Set.of(), null, null, MANY)))
                .extracting(RunRow::id)
                .containsExactly(id);
        assertThat(store().list(new RunQuery(run, "key-7", Set.of(RunState.PENDING), null, null, MANY)))
                .hasSize(1);
        assertThat(store().list(new RunQuery(run, "key-7", Set.of(RunState.FAILED), null, null, MANY)))
                .isEmpty();
        assertThat(store().list(new RunQuery(run, "key-8", Set.of(), null, null, MANY)))
                .isEmpty();
        assertThat(store().list(new RunQuery(run + "-other", "key-7", Set.of(), null, null, MANY)))
                .isEmpty();
        assertThatThrownBy(() -> new RunQuery(null, "key-7", Set.of(), null, null, MANY))
                .hasMessageContaining("'key-7'");
    }

    @Test
    void runsAreListedByHowLongTheyHaveBeenInTheirState() {
        RunId waiting = left(RunState.WAITING, done(0, 1));
        RunId failed = left(RunState.FAILED, done(0, 1));
        RunId pending = started();
        RunId running = driven().id();
        RunId undoing = undoing().id();
        pass(LONG);

        assertThat(olderThan(LONG.minusMinutes(1)))
                .containsExactlyInAnyOrder(waiting, failed, pending, running, undoing);
        assertThat(olderThan(LONG.plusMinutes(1))).isEmpty();
        assertThat(olderThan(Duration.ofMinutes(1), RunState.WAITING)).containsExactly(waiting);
        assertThat(olderThan(Duration.ofMinutes(1), RunState.RUNNING, RunState.FAILED))
                .containsExactlyInAnyOrder(running, failed);
        assertThat(olderThan(Duration.ofMinutes(1), RunState.COMPENSATING)).containsExactly(undoing);
    }

    @Test
    void whatIsPickedUpIsExecutedSinceThenAndWaitsForTheSameAsBeforeIfItAddsNothing() {
        Driven first = driven();
        assertThat(store().suspend(first, done(0, 1), Duration.ZERO, told(0))).isTrue();
        RunId id = first.id();
        pass(LONG);
        Driven driven = store().take(id, known, MANY).orElseThrow().driven();
        assertThat(olderThan(Duration.ofMinutes(1))).isEmpty();

        assertThat(store().suspend(driven, List.of(), Duration.ZERO, told(0))).isTrue();
        assertThat(olderThan(LONG.minusMinutes(1), RunState.WAITING)).containsExactly(id);

        Driven again = store().take(id, known, MANY).orElseThrow().driven();
        assertThat(store().suspend(again, done(1, 2), null, told(0))).isTrue();
        assertThat(olderThan(Duration.ofMinutes(1))).isEmpty();
        assertThat(olderThan(Duration.ZERO, RunState.WAITING)).containsExactly(id);
    }

    private List<RunId> olderThan(Duration age, RunState... states) {
        return another().list(new RunQuery(run, null, Set.of(states), age, null, MANY)).stream()
                .map(RunRow::id)
                .toList();
    }

    @Test
    void whatIsDueAndNotPickedUpIsCountedByName() {
        started();
        started();
        RunId other = store().start(new NewRun(RunId.next(), run + "-gone", null, INPUT, CARRIED, null, false))
                .id();
        pass(Duration.ofMinutes(5));
        started();
        assertThat(driven()).isNotNull();
        left(RunState.WAITING);

        List<Backlog> backlog = another().backlog(known).stream()
                .filter(each -> each.kind().startsWith(run))
                .toList();

        assertThat(backlog)
                .extracting(Backlog::kind, Backlog::known, Backlog::due)
                .containsExactlyInAnyOrder(tuple(run, true, 3), tuple(run + "-gone", false, 1));
        assertThat(backlog)
                .allSatisfy(each -> assertThat(each.oldest()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6)));
        assertThat(other).isNotNull();
    }

    @Test
    void whatWaitsForAPersonIsCounted() {
        Map<RunState, Long> before = store().troubled();
        left(RunState.PARKED);
        left(RunState.BLOCKED);
        left(RunState.BLOCKED);
        left(RunState.IN_DOUBT);
        leftUndone(RunState.COMPENSATION_FAILED);
        leftUndone(RunState.FAILED);
        left(RunState.FAILED);
        left(RunState.COMPLETED);
        started();
        assertThat(undoing().id()).isNotNull();

        Map<RunState, Long> more = new EnumMap<>(RunState.class);
        another().troubled().forEach((state, count) -> more.put(state, count - before.getOrDefault(state, 0L)));
        more.values().removeIf(count -> count == 0);

        assertThat(more)
                .isEqualTo(Map.of(
                        RunState.PARKED,
                        1L,
                        RunState.BLOCKED,
                        2L,
                        RunState.IN_DOUBT,
                        1L,
                        RunState.COMPENSATION_FAILED,
                        1L));
    }

    int purge() {
        int purged = 0;
        for (int each = MANY; each == MANY; purged += each) {
            each = store().purge(MANY);
        }
        return purged;
    }

    @Test
    void whatIsOverForLongerThanTheRetentionIsForgottenWithAllThatBelongsToIt() {
        pass(RETENTION);
        purge();
        List<RunId> over = new ArrayList<>();
        List<NewRun> asked = new ArrayList<>();
        for (RunState state : List.of(RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED)) {
            asked.add(asked("key-" + state, null, true));
            Driven driven = granted(store().start(asked.get(asked.size() - 1)));
            assertThat(store().signal(driven.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
            assertThat(store().note(driven.id(), "noted", run)).isTrue();
            store().end(driven, done(0, 3), ending(state));
            over.add(driven.id());
        }
        List<RunId> kept = List.of(
                started(), driven().id(), left(RunState.PARKED), left(RunState.BLOCKED), left(RunState.IN_DOUBT));
        Driven waiting = driven();
        assertThat(suspended(waiting, null)).isTrue();
        pass(RETENTION.minusSeconds(30));
        assertThat(purge()).isZero();
        RunId retried = over.get(1);
        assertThat(store().retry(retried)).isTrue();
        pass(Duration.ofSeconds(30));

        assertThat(store().purge(1)).isOne();
        assertThat(purge()).isOne();

        for (RunId id : List.of(over.get(0), over.get(2))) {
            assertThat(another().find(id)).isEmpty();
            assertThat(another().signals(id, "paid")).isEmpty();
            assertThat(another().notes(id)).isEmpty();
            assertThat(another().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.UNKNOWN);
        }
        assertThat(kept).allSatisfy(id -> assertThat(another().find(id)).isPresent());
        assertThat(another().find(waiting.id())).isPresent();
        assertThat(journal(retried)).hasSize(3);
        assertThat(another().signals(retried, "paid")).hasSize(1);
        assertThat(another().notes("noted", run)).extracting(Note::id).containsExactly(retried);
        // What is started under the id of one that was forgotten is new.
        Started again = store().start(asked.get(0));
        assertThat(journal(again.id())).isEmpty();
        assertThat(store().signals(again.id(), "paid")).isEmpty();
        assertThat(store().checkpoint(granted(again), List.of())).isEqualTo(new Standing(0, null, false));
    }

    // The keeper.

    @Test
    void theKeeperRenewsWhatIsStillDriven() throws Exception {
        Driven mine = driven();
        Driven lost = driven();
        Driven waiting = driven();
        Driven over = driven();
        Driven next = takenOver(lost.id()).driven();
        assertThat(suspended(waiting, LONG)).isTrue();
        store().end(over, List.of(), ending(RunState.COMPLETED));
        Set<Held> all = Stream.of(
                        mine,
                        lost,
                        waiting,
                        over,
                        new Driven(RunId.next(), new FencingToken(next.token().value() + 1_000)))
                .map(RunStoreContract::held)
                .collect(Collectors.toSet());

        // Its lease is over, and nobody has taken it.
        assertThat(store().renew(connecting(), all)).containsExactly(held(mine));
        assertThat(store().stillThere(connecting(), all)).containsExactly(held(mine));
        assertThat(store().renew(connecting(), Set.of())).isEmpty();
        pass(LEASE.minusSeconds(10));
        assertThat(isTaken(mine.id())).isFalse();
        assertThat(store().renew(connecting(), Set.of(held(mine)))).containsExactly(held(mine));
        pass(LEASE.minusSeconds(10));
        assertThat(isTaken(mine.id())).isFalse();
        assertThat(store().stillThere(connecting(), all)).containsExactly(held(mine));
        pass(Duration.ofSeconds(10));

        assertThat(another().take(mine.id(), known, MANY)).isPresent();
        assertThat(store().renew(connecting(), all)).isEmpty();
        assertThat(store().stillThere(connecting(), all)).isEmpty();
        assertThat(another().stillThere(connecting(), Set.of(held(next)))).isEmpty();
    }

    // Races.

    @Test
    void whatIsDueIsTakenByOne() throws Exception {
        for (int round = 0; round < 15; round++) {
            Set<RunId> due = new HashSet<>();
            for (int each = 0; each < 20; each++) {
                due.add(started());
            }
            List<Callable<List<PickedUpRun>>> racing = IntStream.range(0, RACERS)
                    .<Callable<List<PickedUpRun>>>mapToObj(racer -> () -> {
                        RunStore store = racer % 2 == 0 ? store() : another();
                        List<PickedUpRun> all = new ArrayList<>();
                        for (int each = 0; each < 5; each++) {
                            all.addAll(store.take(known, 4, MANY));
                        }
                        return all;
                    })
                    .toList();

            List<PickedUpRun> taken =
                    race(racing).stream().flatMap(List::stream).toList();

            assertThat(taken).extracting(each -> each.driven().id()).doesNotHaveDuplicates();
            assertThat(due)
                    .containsAll(taken.stream().map(each -> each.driven().id()).toList());
            store().take(known, MANY, MANY)
                    .forEach(each -> assertThat(due).contains(each.driven().id()));
            assertThat(due).allSatisfy(id -> assertThat(row(id).attempt()).isOne());
        }
    }

    @Test
    void aRunIsTakenByItsIdByOne() throws Exception {
        for (int round = 0; round < 30; round++) {
            RunId id = round % 2 == 0 ? started() : driven().id();
            pass(LEASE);

            assertThat(race(RACERS, () -> another().take(id, known, MANY).isPresent()))
                    .containsOnlyOnce(true);
        }
    }

    /** Either the run hears of it before it waits, or it is due. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsSaidWhileARunBeginsToWaitIsNeverLost(boolean cancelled) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                Driven driven = driven();
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> suspended(driven, null),
                                () -> (cancelled
                                                ? another().cancel(driven.id(), "enough")
                                                : another().signal(driven.id(), "paid", "1", stored("1")))
                                        == Answer.ACCEPTED));

                assertThat(answers.get(1)).isTrue();
                if (answers.get(0)) {
                    assertThat(isTaken(driven.id())).isTrue();
                } else {
                    assertThat(store().checkpoint(driven, List.of()).signals()).isOne();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void ofManySignalsOfOneKeyOneIsAccepted() throws Exception {
        RunId id = started();
        for (int round = 0; round < 30; round++) {
            String key = "key-" + round;

            assertThat(race(RACERS, () -> another().signal(id, "paid", key, stored("1"))))
                    .containsOnlyOnce(Answer.ACCEPTED)
                    .containsOnly(Answer.ACCEPTED, Answer.REPEATED);
        }
        assertThat(store().signals(id, "paid")).hasSize(30);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReplyWhileARunBeginsToWaitNeverLeavesItAsleep(boolean isLast) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                Driven driven = driven();
                RunReply reply = isLast ? last("answer", "1", "1") : further("answer", null, "1");
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> suspended(driven, null),
                                () -> another().reply(driven.id(), reply) == Answer.ACCEPTED));

                assertThat(answers.get(1)).isTrue();
                if (answers.get(0)) {
                    assertThat(isTaken(driven.id())).isTrue();
                } else {
                    assertThat(store().checkpoint(driven, List.of())).isEqualTo(told(1));
                }
                assertThat(replies(store(), driven.id(), "answer")).containsExactly("text:1");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** What is accepted is given: the wait ends with the reply, or without one, and nobody was told otherwise. */
    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"SIGNAL", "STOP", "STOP_AMID"})
    void eitherAReplyIsAcceptedOrTheWaitIsConcluded(Call call) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                Driven driven = driven();
                RunReply reply = round % 2 == 0 ? last("answer", "1", "1") : further("answer", null, "1");
                List<Entry> over =
                        List.of(entry(0, "answer", call, call == Call.SIGNAL ? Mark.TIMED_OUT : Mark.DONE, null));
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> store().conclude(driven, over, told(0)),
                                () -> another().reply(driven.id(), reply) == Answer.ACCEPTED));

                assertThat(answers).containsExactlyInAnyOrder(true, false);
                assertThat(journal(driven.id())).isEqualTo(answers.get(0) ? texts(over) : List.of());
                assertThat(store().signals(driven.id(), "answer")).hasSize(answers.get(1) ? 1 : 0);
                assertThat(store().checkpoint(driven, List.of())).isEqualTo(told(answers.get(1) ? 1 : 0));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Whoever undoes has been given what was accepted before, as it is told. */
    @Test
    void aReplyWhileARunBeginsToUndoIsToldOrTooLate() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                Driven driven = driven();
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> store().compensate(driven, done(0, 1)).signals() == 1,
                                () -> another().reply(driven.id(), last("answer", "1", "1")) == Answer.ACCEPTED));

                assertThat(answers.get(0)).isEqualTo(answers.get(1));
                assertThat(store().signals(driven.id(), "answer")).hasSize(answers.get(1) ? 1 : 0);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void ofManyLastRepliesOneIsAccepted() throws Exception {
        RunId id = started();
        for (int round = 0; round < 30; round++) {
            String wait = "answer-" + round;
            List<Answer> keyless = race(RACERS, () -> another().reply(id, last(wait, null, "1")));
            assertThat(keyless).containsOnlyOnce(Answer.ACCEPTED).containsOnly(Answer.ACCEPTED, Answer.TOO_LATE);

            String repeated = "key-" + round;
            assertThat(race(RACERS, () -> another().reply(id, further("any", repeated, "1"))))
                    .containsOnlyOnce(Answer.ACCEPTED)
                    .containsOnly(Answer.ACCEPTED, Answer.REPEATED);
            assertThat(store().signals(id, wait)).hasSize(1);
        }
        assertThat(store().signals(id, "any")).hasSize(30);
    }

    /**
     * Who was overtaken while it wrote has written nothing, or its successor was handed it: what is done is not done again.
     * The other runs are there so that taking them all takes its time.
     */
    @Test
    void whatIsWrittenWhileARunChangesHandsIsHandedOverOrRefused() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int each = 0; each < 40; each++) {
                started();
            }
            for (int round = 0; round < 100; round++) {
                Driven driven = driven();
                pass(LEASE);
                List<List<String>> written = race(
                        threads,
                        List.of(
                                () -> {
                                    try {
                                        Standing unused = store().checkpoint(driven, done(0, 1));
                                        return texts(done(0, 1));
                                    } catch (FencedException overtaken) {
                                        return List.of();
                                    }
                                },
                                () -> another().take(known, MANY, MANY).stream()
                                        .filter(taken -> taken.driven().id().equals(driven.id()))
                                        .findFirst()
                                        .map(taken -> texts(taken.journal()))
                                        .orElse(List.of("not taken"))));

                if (!written.get(1).equals(List.of("not taken"))) {
                    assertThat(written.get(1)).isEqualTo(written.get(0));
                }
                assertThat(journal(driven.id())).isEqualTo(written.get(0));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    // Any order.

    /** Whatever was done before, in whatever order: the answers are those of a store that is too simple to be wrong. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyHistoryIsThatOfTheModel(long seed) throws Exception {
        Random random = new Random(seed);
        for (int history = 0; history < 5; history++) {
            new RunHistory(this, seed, random).run(60);
        }
    }
}
