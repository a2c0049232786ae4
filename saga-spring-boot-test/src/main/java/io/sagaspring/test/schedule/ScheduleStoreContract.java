package io.sagaspring.test.schedule;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunId;
import io.sagaspring.schedule.Missed;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.ScheduleRow;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schedule.ScheduleSpec;
import io.sagaspring.schedule.ScheduleState;
import io.sagaspring.schedule.ScheduleState.Pause;
import io.sagaspring.schedule.ScheduleState.Skips;
import io.sagaspring.schedule.ScheduleStore;
import io.sagaspring.schedule.ScheduleStore.Changed;
import io.sagaspring.schedule.ScheduleStore.Known;
import io.sagaspring.schedule.ScheduleStore.Look;
import io.sagaspring.schedule.ScheduleTerms;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The contract of every store of schedules, in the form of tests. Extend this class to test your own store. The tests
 * may share one store, because each of them uses new names.
 *
 * @since 0.1.0
 */
public abstract class ScheduleStoreContract {

    private static final int NODES = 8;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final ScheduleSpec CRON = new ScheduleSpec.Cron("0 30 2 * * *", ZoneId.of("Europe/Berlin"));

    /** The state of a schedule that waits for the end of a run and has no next instant. */
    private static final ScheduleState WAITS = new ScheduleState(null, null, null, null, null, true, Skips.NONE, null);

    private final String name = "contract-" + UUID.randomUUID();
    private final String run = "run-" + name;
    private final Known known = new Known(Set.of(name), Set.of(run), Set.of("queue"));

    /** Creates the contract for the store of the subclass. */
    protected ScheduleStoreContract() {}

    /**
     * Returns the store as used by one process.
     *
     * @return the store
     */
    protected abstract ScheduleStore store();

    /**
     * Returns a store of the same schedules, as used by another process.
     *
     * @return the store
     */
    protected abstract ScheduleStore another();

    private ScheduleTerms terms(ScheduleSpec spec) {
        return new ScheduleTerms(run, spec, Missed.ALL, HOUR, Overlap.ALLOW, null);
    }

    private void declare(@Nullable Instant next) {
        assertThat(store().declare(name, terms(CRON), "node", (before, now) -> ScheduleState.beginningAt(next)))
                .isTrue();
    }

    private Instant now() {
        return store().now().truncatedTo(ChronoUnit.MILLIS);
    }

    private ScheduleRow row() {
        return another().list().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ScheduleState advanced(ScheduleState state, Instant next) {
        Instant fired = state.nextAt();
        return new ScheduleState(
                next, fired, fired, state.lastRun(), state.queuedAt(), state.waits(), state.skips(), state.pause());
    }

    private static <T> Changed<T> changed(ScheduleState state, T value) {
        return new Changed<>(state, null, List.of(), null, value);
    }

    /** Returns a function that applies the change to each due schedule separately. */
    private static <T> Function<List<Locked>, Map<String, Changed<T>>> each(
            Function<Locked, @Nullable Changed<T>> change) {
        return due -> {
            Map<String, Changed<T>> changes = new LinkedHashMap<>();
            for (Locked locked : due) {
                Changed<T> changed = change.apply(locked);
                if (changed != null) {
                    changes.put(locked.row().name(), changed);
                }
            }
            return changes;
        };
    }

    @Test
    void aDeclaredScheduleIsStoredOnce() {
        Instant next = now().plus(HOUR);
        declare(next);

        assertThat(row().terms()).isEqualTo(terms(CRON));
        assertThat(row().state()).isEqualTo(ScheduleState.beginningAt(next));
        assertThat(row().change().by()).isEqualTo("node");
        assertThat(another().declare(name, terms(CRON), "other", (before, now) -> {
                    assertThat(before).isNull();
                    return ScheduleState.beginningAt(null);
                }))
                .isFalse();
        assertThat(row().state().nextAt()).isEqualTo(next);
    }

    @Test
    void otherTermsReplaceTheStoredOnesAndKeepWhatTheCallerKeeps() {
        Instant next = now().plus(HOUR);
        declare(next);
        for (ScheduleSpec spec : List.of(
                new ScheduleSpec.Rate(Duration.ofMillis(100)), new ScheduleSpec.Delay(Duration.ofMinutes(3)), CRON)) {
            ScheduleTerms other = new ScheduleTerms(run, spec, Missed.NONE, HOUR, Overlap.SKIP, spec.text());

            assertThat(another().declare(name, other, "later", (before, now) -> {
                        assertThat(now).isBetween(now.minusSeconds(60), now);
                        return before == null ? ScheduleState.beginningAt(now) : before.state();
                    }))
                    .isTrue();

            assertThat(row().terms()).isEqualTo(other);
            assertThat(row().state().nextAt()).isEqualTo(next);
            assertThat(row().change().by()).isEqualTo("later");
        }
    }

    @Test
    void everyPartOfAStateIsStored() {
        declare(null);
        Instant now = now();
        ScheduleState state = new ScheduleState(
                now.plus(HOUR),
                now.minus(HOUR),
                now.minus(HOUR.multipliedBy(2)),
                RunId.next(),
                now.minusSeconds(1),
                true,
                new Skips(7, "busy", now),
                new Pause(now, "ada", "bank holiday"));

        assertThat(store().change(name, locked -> new Changed<>(state, "ada", List.of(), null, "done")))
                .contains("done");

        assertThat(row().state()).isEqualTo(state);
        assertThat(row().change().by()).isEqualTo("ada");
        ScheduleState empty = ScheduleState.beginningAt(null);
        assertThat(store().change(name, locked -> changed(empty, "again"))).contains("again");
        assertThat(row().state()).isEqualTo(empty);
        assertThat(row().change().by()).isEqualTo("ada");
    }

    @Test
    void aScheduleIsDueWhenItsInstantHasCome() {
        declare(now().plus(HOUR));

        Look early = store().look(known, HOUR.dividedBy(2));
        assertThat(early.untilDue()).isNull();
        assertThat(early.isDue()).isFalse();
        assertThat(early.waits()).isFalse();
        assertThat(Objects.requireNonNull(
                        store().look(known, HOUR.multipliedBy(2)).untilDue()))
                .isBetween(HOUR.minusMinutes(5), HOUR);
        assertThat(store().<String>changeDue(
                                known, 10, each(locked -> changed(locked.row().state(), "too early"))))
                .isEmpty();

        assertThat(store().change(name, locked -> changed(ScheduleState.beginningAt(locked.now()), "due")))
                .isPresent();
        assertThat(store().look(known, Duration.ZERO).isDue()).isTrue();
        assertThat(another()
                        .changeDue(
                                known, 10, each(locked -> changed(locked.row().state(), "fired"))))
                .containsExactly("fired");
    }

    private void assertThatNothingIsDue(Known on) {
        assertThat(store().look(on, HOUR).isDue()).isFalse();
        assertThat(store().<String>changeDue(
                                on, 10, each(locked -> changed(locked.row().state(), "fired"))))
                .isEmpty();
    }

    @Test
    void aScheduleIsDueOnlyOnNodesThatDeclareItsQueue() {
        ScheduleTerms queued = new ScheduleTerms(run, CRON, Missed.ALL, HOUR, Overlap.ALLOW, "queue");
        ScheduleState due = ScheduleState.beginningAt(now().minusSeconds(1));
        assertThat(store().declare(name, queued, "node", (before, now) -> due)).isTrue();

        assertThat(row().terms().queue()).isEqualTo("queue");
        assertThatNothingIsDue(new Known(Set.of(name), Set.of(run), Set.of("another-queue")));
        assertThat(store().look(known, HOUR).isDue()).isTrue();
    }

    @Test
    void aPausedOrUnknownScheduleIsNotDue() {
        declare(now().minusSeconds(1));

        assertThatNothingIsDue(new Known(Set.of(), Set.of(run), Set.of()));
        assertThatNothingIsDue(new Known(Set.of(name), Set.of(), Set.of()));
        assertThatNothingIsDue(new Known(Set.of("other"), Set.of(run), Set.of()));
        Pause pause = new Pause(now(), "ada", "why");
        ScheduleState paused =
                new ScheduleState(row().state().nextAt(), null, null, null, null, true, Skips.NONE, pause);
        assertThat(store().change(name, locked -> changed(paused, "paused"))).isPresent();
        assertThatNothingIsDue(known);
        assertThat(store().look(known, HOUR).waits()).isFalse();
    }

    @Test
    void aScheduleThatWaitsIsChangedAlthoughItsInstantHasNotCome() {
        declare(null);
        assertThat(store().change(name, locked -> changed(WAITS, "waits"))).isPresent();

        assertThat(store().look(known, HOUR).waits()).isTrue();
        assertThat(store().look(known, HOUR).isDue()).isFalse();
        assertThat(store().changeDue(
                                known, 10, each(locked -> changed(locked.row().state(), "looked"))))
                .containsExactly("looked");
    }

    @SuppressWarnings("NullAway") // Some JDKs do not read type-use annotations in class files, which NullAway needs.
    @Test
    void aChangeThatReturnsNothingChangesNothing() {
        declare(now().minusSeconds(1));
        long version = row().version();

        assertThat(store().<String>changeDue(known, 10, each(locked -> null))).isEmpty();

        assertThat(row().version()).isEqualTo(version);
    }

    @Test
    void severalSchedulesChangeTogether() {
        declare(now().minusSeconds(1));
        String second = name + "-2";
        String third = name + "-3";
        for (String other : List.of(second, third)) {
            assertThat(store().declare(
                                    other,
                                    terms(CRON),
                                    "node",
                                    (before, now) -> ScheduleState.beginningAt(now.minusSeconds(1))))
                    .isTrue();
        }
        Known all = new Known(Set.of(name, second, third), Set.of(run), Set.of());

        assertThat(store().<String>changeDue(
                                all,
                                10,
                                each(locked -> locked.row().name().equals(second)
                                        ? null
                                        : changed(
                                                ScheduleState.beginningAt(null),
                                                locked.row().name()))))
                .containsExactlyInAnyOrder(name, third);

        assertThat(another()
                        .<String>changeDue(
                                all,
                                10,
                                each(locked -> changed(
                                        locked.row().state(), locked.row().name()))))
                .containsExactly(second);
    }

    @Test
    void waitingFiringsAreSeenInTheOrderOfTheirInstants() {
        declare(null);
        Instant now = now();
        WaitingFiring first = new WaitingFiring(now.minus(HOUR), false, now.minus(HOUR.multipliedBy(2)), "ada");
        WaitingFiring second = new WaitingFiring(now, true, null, "eve");
        assertThat(store().change(
                                name,
                                locked -> new Changed<>(WAITS, "ada", List.of(second, first, first), null, "added")))
                .isPresent();

        for (WaitingFiring expected : List.of(first, second)) {
            assertThat(another().changeDue(known, 10, each(locked -> {
                        assertThat(locked.waiting()).isEqualTo(expected);
                        return new Changed<>(WAITS, null, List.of(), expected, "dropped");
                    })))
                    .hasSize(1);
        }
        assertThat(another().change(name, locked -> changed(WAITS, locked.waiting() == null)))
                .contains(true);
    }

    @Test
    void aRemovedScheduleIsGoneWithItsWaitingFirings() {
        declare(null);
        WaitingFiring waiting = new WaitingFiring(now(), false, null, "ada");
        assertThat(store().change(name, locked -> new Changed<>(WAITS, "ada", List.of(waiting), null, "added")))
                .isPresent();

        assertThat(another().remove(name)).isTrue();
        assertThat(another().remove(name)).isFalse();

        assertThat(store().change(name, locked -> changed(WAITS, "changed"))).isEmpty();
        declare(null);
        assertThat(store().change(name, locked -> changed(WAITS, locked.waiting() == null)))
                .contains(true);
    }

    @Test
    void aFailedChangeChangesNothing() {
        declare(now().minusSeconds(1));
        long version = row().version();

        for (ScheduleStore each : List.of(store(), another())) {
            try {
                var unused = each.changeDue(known, 10, each(locked -> {
                    throw new IllegalStateException("no memory");
                }));
            } catch (RuntimeException expected) {
                assertThat(expected).hasMessageContaining("no memory");
            }
        }

        assertThat(row().version()).isEqualTo(version);
    }

    /** Each instant is handed to exactly one node, however many nodes ask at the same time. */
    @SuppressWarnings("NullAway") // Some JDKs do not read type-use annotations in class files, which NullAway needs.
    @Test
    void oneNodeFiresEachInstant() throws Exception {
        Instant first = now().minus(HOUR);
        declare(first);
        int instants = 40;
        List<Instant> fired = new ArrayList<>();
        AtomicInteger left = new AtomicInteger(instants);
        ExecutorService threads = Executors.newFixedThreadPool(NODES);
        try {
            CyclicBarrier start = new CyclicBarrier(NODES);
            List<Future<List<Instant>>> racing = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                ScheduleStore store = node % 2 == 0 ? store() : another();
                racing.add(threads.submit(() -> {
                    start.await(20, SECONDS);
                    List<Instant> mine = new ArrayList<>();
                    while (left.get() > 0) {
                        mine.addAll(store.changeDue(known, 10, each(locked -> {
                            Instant at =
                                    Objects.requireNonNull(locked.row().state().nextAt());
                            return at.isAfter(first.plusSeconds(instants - 1))
                                    ? null
                                    : changed(advanced(locked.row().state(), at.plusSeconds(1)), at);
                        })));
                        left.set(
                                Objects.requireNonNull(row().state().nextAt()).isBefore(first.plusSeconds(instants))
                                        ? 1
                                        : 0);
                    }
                    return mine;
                }));
            }
            for (Future<List<Instant>> each : racing) {
                fired.addAll(each.get(60, SECONDS));
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(fired).hasSize(instants).doesNotHaveDuplicates();
    }
}
