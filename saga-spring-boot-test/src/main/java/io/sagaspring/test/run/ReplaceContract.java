package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import io.sagaspring.run.StartTime;
import io.sagaspring.run.StoredValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the keys with which a later start replaces the input of a run that has not begun. */
abstract class ReplaceContract extends OpenKeyContract {

    private static final Duration QUIET = Duration.ofMinutes(5);
    private static final Duration AT_MOST = Duration.ofMinutes(12);
    private static final int STARTS = 400;

    private NewRun next(String input) {
        return next(input, null, null, Map.of());
    }

    private NewRun postponed(String input, @Nullable Duration deadline) {
        return next(input, StartTime.quietFor(QUIET, AT_MOST), deadline, Map.of());
    }

    private NewRun next(
            String input, @Nullable StartTime time, @Nullable Duration deadline, Map<String, String> labels) {
        return new NewRun(
                RunId.next(),
                run,
                new StartKey("key", Kind.UNTIL_BEGUN),
                null,
                stored(input),
                stored("carried " + input),
                deadline,
                time,
                false,
                null,
                labels);
    }

    private List<PickedUpRun> pickUp() {
        return another().take(known, MANY, MANY);
    }

    private static List<String> inputs(List<PickedUpRun> runs) {
        return runs.stream().map(each -> input(each.input())).toList();
    }

    private static String input(StoredValue value) {
        return Objects.toString(text(value)).substring("text:".length());
    }

    private void end(PickedUpRun begun) {
        store().end(begun.runLease(), List.of(), ending(RunState.COMPLETED));
    }

    private List<RunId> withKey() {
        return another().list(new RunQuery(run, "key", null, Set.of(), null, null, MANY)).stream()
                .map(RunRow::id)
                .toList();
    }

    @Test
    void aStartReplacesTheInputOfARunThatHasNotBegun() {
        Started first = store().start(next("one", null, LONG, Map.of("customer", "1", "country", "de")));
        RunRow before = row(first.id());

        Started second = another().start(next("two", null, LONG.multipliedBy(3), Map.of("customer", "2")));
        assertThat(store().start(next("three", null, LONG.multipliedBy(3), Map.of("customer", "3", "city", "ulm")))
                        .id())
                .isEqualTo(first.id());

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.token()).isNull();
        assertThat(row(first.id())).satisfies(row -> {
            assertThat(row.startedAt()).isEqualTo(before.startedAt());
            assertThat(row.dueAt()).isEqualTo(before.dueAt());
            assertThat(row.labels()).isEqualTo(Map.of("customer", "3", "city", "ulm"));
            assertThat(row.key()).isEqualTo("key");
        });
        assertThat(withKey()).containsExactly(first.id());
        pass(LONG.multipliedBy(2));
        assertThat(pickUp()).singleElement().satisfies(begun -> {
            assertThat(begun.runLease().id()).isEqualTo(first.id());
            assertThat(text(begun.input())).isEqualTo("text:three");
            assertThat(text(begun.carried())).isEqualTo("text:carried three");
            assertThat(begun.controlState().late()).isFalse();
        });
    }

    @Test
    void aStartWithoutLabelsRemovesTheLabelsOfTheRunThatItReplaces() {
        RunId first =
                store().start(next("one", null, null, Map.of("customer", "1"))).id();

        assertThat(store().start(next("two")).id()).isEqualTo(first);

        assertThat(row(first).labels()).isEmpty();
    }

    @Test
    void onceTheRunHasBegunAStartCreatesOneMoreRun() {
        RunId first = store().start(next("one")).id();
        PickedUpRun begun = pickUp().get(0);
        assertThat(withKey()).isEmpty();

        RunId second = store().start(next("two")).id();
        RunId third = another().start(next("three")).id();

        assertThat(second).isNotEqualTo(first);
        assertThat(third).isEqualTo(second);
        assertThat(withKey()).containsExactly(second);
        assertThat(text(begun.input())).isEqualTo("text:one");
        end(begun);
        assertThat(inputs(pickUp())).containsExactly("three");
        assertThat(another().start(next("four")).id()).isNotIn(first, second);
    }

    @Test
    void aRunThatHasBegunAndWaitsIsNotReplaced() {
        RunId first = store().start(next("one")).id();
        PickedUpRun begun = pickUp().get(0);
        assertThat(store().suspend(begun.runLease(), List.of(), Duration.ZERO, begun.controlState()))
                .isTrue();

        assertThat(store().start(next("two")).id()).isNotEqualTo(first);

        assertThat(inputs(pickUp())).containsExactlyInAnyOrder("one", "two");
    }

    /** If a start replaced the input of a cancelled run, the cancellation would end the new start, too. */
    @Test
    void aCancelledRunIsNotReplaced() {
        RunId first = store().start(next("one")).id();
        assertThat(another().cancel(first, "no longer needed")).isEqualTo(Answer.ACCEPTED);

        RunId second = store().start(next("two")).id();

        assertThat(second).isNotEqualTo(first);
        assertThat(withKey()).containsExactly(second);
        assertThat(pickUp())
                .extracting(
                        each -> input(each.input()), each -> each.controlState().cancelReason())
                .containsExactlyInAnyOrder(tuple("one", "no longer needed"), tuple("two", null));
    }

    @Test
    void aGivenUpRunIsNotReplaced() {
        RunId first = store().start(next("one")).id();
        assertThat(another().giveUp(first, "given up", true)).isTrue();

        RunId second = store().start(next("two")).id();

        assertThat(second).isNotEqualTo(first);
        assertThat(inputs(pickUp())).containsExactly("two");
    }

    @Test
    void aReplacedRunKeepsTheTimeAtWhichItBegins() {
        RunId first = store().start(next("one", StartTime.after(LONG), null, Map.of()))
                .id();
        pass(QUIET);

        assertThat(store().start(next("two", StartTime.after(LONG), null, Map.of()))
                        .id())
                .isEqualTo(first);

        assertThat(pickUp()).isEmpty();
        pass(LONG.minus(QUIET));
        assertThat(inputs(pickUp())).containsExactly("two");
    }

    /** Time passes in steps that are shorter than the quiet time, so only the upper limit lets the run begin. */
    @Test
    void eachStartPostponesTheRunUpToALimit() {
        RunId first = store().start(postponed("0", null)).id();
        Duration step = QUIET.minusMinutes(1);
        for (int start = 1; start <= 2; start++) {
            pass(step);
            assertThat(pickUp()).isEmpty();
            assertThat(another().start(postponed(Integer.toString(start), null)).id())
                    .isEqualTo(first);
        }

        pass(AT_MOST.minus(step.multipliedBy(2)).minusSeconds(10));
        assertThat(pickUp()).isEmpty();
        assertThat(store().start(postponed("latest", null)).id()).isEqualTo(first);
        pass(Duration.ofSeconds(10));

        List<PickedUpRun> begun = pickUp();
        assertThat(inputs(begun)).containsExactly("latest");
        end(begun.get(0));
        assertThat(store().start(postponed("another", null)).id()).isNotEqualTo(first);
        pass(QUIET.minusSeconds(10));
        assertThat(pickUp()).isEmpty();
        pass(Duration.ofSeconds(10));
        assertThat(inputs(pickUp())).containsExactly("another");
    }

    @Test
    void theDeadlineOfAPostponedRunCountsFromTheTimeAtWhichItBegins() {
        RunId first = store().start(postponed("0", LEASE.multipliedBy(2))).id();
        for (int start = 1; start <= 3; start++) {
            pass(QUIET.minusMinutes(1));
            assertThat(another()
                            .start(postponed("again", LEASE.multipliedBy(2)))
                            .id())
                    .isEqualTo(first);
        }
        pass(AT_MOST.minus(QUIET.minusMinutes(1).multipliedBy(3)));

        PickedUpRun begun = pickUp().get(0);

        assertThat(begun.controlState().late()).isFalse();
        pass(LEASE.multipliedBy(2));
        assertThat(another().checkpoint(begun.runLease(), List.of()).late()).isTrue();
    }

    @Test
    void theDeadlineOfAReplacedRunCountsFromTheTimeAtWhichItBegins() {
        RunId first = store().start(next("one", StartTime.after(LONG), QUIET, Map.of()))
                .id();
        assertThat(another().start(next("two", null, QUIET, Map.of())).id()).isEqualTo(first);
        pass(LONG);

        PickedUpRun begun = pickUp().get(0);

        assertThat(begun.controlState().late()).isFalse();
        pass(QUIET);
        assertThat(another().checkpoint(begun.runLease(), List.of()).late()).isTrue();
    }

    @Test
    void theDeadlineCountsFromTheLatestStartIfTheRunCouldHaveBegunBefore() {
        RunId first = store().start(postponed("one", QUIET)).id();
        pass(AT_MOST.multipliedBy(2));
        assertThat(another().start(postponed("two", QUIET)).id()).isEqualTo(first);

        assertThat(pickUp()).singleElement().satisfies(begun -> {
            assertThat(input(begun.input())).isEqualTo("two");
            assertThat(begun.controlState().late()).isFalse();
        });
    }

    @Test
    void keysOfThreeKindsAreDifferentKeys() {
        List<RunId> ids = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            ids.add(store().start(newRunWith(run, new StartKey("key", kind), null, null, false))
                    .id());
        }

        assertThat(ids).doesNotHaveDuplicates();
        assertThat(withKey()).containsExactlyInAnyOrderElementsOf(ids);
        for (Kind kind : Kind.values()) {
            assertThat(ids)
                    .contains(another()
                            .start(newRunWith(run, new StartKey("key", kind), null, null, false))
                            .id());
        }
    }

    @Test
    void replaceableKeysOfTwoTenantsAreDifferentKeys() {
        StartKey key = new StartKey("key", Kind.UNTIL_BEGUN);
        RunId ofA = store().start(newRunWith(run, key, "a", null, false)).id();
        RunId ofNone = store().start(newRunWith(run, key, null, null, false)).id();

        assertThat(ofA).isNotEqualTo(ofNone);
        assertThat(another().start(newRunWith(run, key, "a", null, false)).id()).isEqualTo(ofA);
    }

    /**
     * One caller starts runs while others pick runs up. Each input is executed at most once, and the latest input is
     * executed in any case.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLatestInputIsExecutedAndNoneTwice(boolean isLabelled) throws Exception {
        Queue<Integer> executed = new ConcurrentLinkedQueue<>();
        Set<RunId> started = new HashSet<>();
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger wrongLabels = new AtomicInteger();
        List<Callable<Integer>> racing = new ArrayList<>();
        racing.add(() -> {
            for (int start = 0; start < STARTS; start++) {
                started.add((start % 2 == 0 ? store() : another())
                        .start(next(
                                Integer.toString(start),
                                null,
                                null,
                                isLabelled ? Map.of("input", Integer.toString(start)) : Map.of()))
                        .id());
            }
            isOver.set(true);
            return 0;
        });
        IntStream.range(0, 3)
                .forEach(picker -> racing.add(() -> {
                    boolean wasOver;
                    do {
                        wasOver = isOver.get();
                        for (PickedUpRun begun : store().take(known, 1, MANY)) {
                            executed.add(Integer.valueOf(input(begun.input())));
                            if (isLabelled
                                    && !row(begun.runLease().id())
                                            .labels()
                                            .equals(Map.of("input", input(begun.input())))) {
                                wrongLabels.incrementAndGet();
                            }
                            end(begun);
                        }
                    } while (!wasOver);
                    return 0;
                }));

        List<Integer> unused = race(racing);

        assertThat(executed).doesNotHaveDuplicates().contains(STARTS - 1).hasSize(started.size());
        assertThat(wrongLabels).hasValue(0);
        assertThat(withKey()).isEmpty();
    }

    /**
     * Many callers start runs with one key, and one caller picks them up. At most one run waits at any time, and no run
     * is lost.
     */
    @Test
    void neverDoTwoRunsOfOneKeyWait() throws Exception {
        Set<RunId> begun = new HashSet<>();
        AtomicInteger starters = new AtomicInteger(RACERS - 1);
        List<Callable<Set<RunId>>> racing = new ArrayList<>();
        racing.add(() -> {
            boolean wasOver;
            do {
                wasOver = starters.get() == 0;
                assertThat(withKey()).hasSizeLessThan(2);
                for (PickedUpRun each : store().take(known, 2, MANY)) {
                    assertThat(begun.add(each.runLease().id())).isTrue();
                    end(each);
                }
            } while (!wasOver);
            return Set.of();
        });
        IntStream.range(1, RACERS)
                .forEach(starter -> racing.add(() -> {
                    Set<RunId> started = new HashSet<>();
                    try {
                        for (int start = 0; start < STARTS / 4; start++) {
                            started.add((starter % 2 == 0 ? store() : another())
                                    .start(next("any"))
                                    .id());
                        }
                    } finally {
                        starters.decrementAndGet();
                    }
                    return started;
                }));

        Set<RunId> started = new HashSet<>();
        race(racing).forEach(started::addAll);

        assertThat(begun).isEqualTo(started);
    }
}
