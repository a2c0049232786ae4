package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the keys that are free again as soon as their run has ended. */
abstract class OpenKeyContract extends LabelContract {

    private static final int RACING_STARTERS = 12;

    /** The number of starts that each thread of a race makes. */
    private static final int RACING_STARTS = 1_000;

    private NewRun open(String key, boolean here) {
        return open(key, null, here);
    }

    private NewRun open(String key, @Nullable String tenant, boolean here) {
        return newRunWith(run, new StartKey(key, Kind.WHILE_OPEN), tenant, null, here);
    }

    private RunLease executing(String key) {
        return granted(store().start(open(key, true)));
    }

    private List<RunId> withKey(String key) {
        return another().list(new RunQuery(run, key, null, Set.of(), null, null, MANY)).stream()
                .map(RunRow::id)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"COMPLETED", "FAILED", "CANCELLED"})
    void anOpenKeyIsFreeOnceItsRunHasEnded(RunState end) {
        RunLease first = executing("key");
        assertThat(another().start(open("key", true))).satisfies(found -> {
            assertThat(found.id()).isEqualTo(first.id());
            assertThat(found.token()).isNull();
        });
        assertThat(withKey("key")).containsExactly(first.id());

        store().end(first, done(0, 1), new Ending(end, stored("result"), "an error", null));
        assertThat(withKey("key")).isEmpty();
        NewRun second = open("key", true);
        Started started = another().start(second);

        assertThat(started.id()).isEqualTo(second.id());
        assertThat(started.token()).isNotNull();
        assertThat(withKey("key")).containsExactly(second.id());
        assertThat(row(first.id()).key()).isEqualTo("key");
        assertThat(state(first.id())).isEqualTo(end);
    }

    @ParameterizedTest
    @EnumSource(
            value = RunState.class,
            names = {"WAITING", "BLOCKED", "IN_DOUBT", "COMPENSATION_FAILED", "PARKED"})
    void aRunThatHasNotEndedKeepsItsKey(RunState state) {
        RunLease first = executing("key");
        if (state == RunState.WAITING) {
            assertThat(suspended(first, null)).isTrue();
        } else if (state == RunState.PARKED) {
            pass(LEASE.plusSeconds(1));
            assertThat(another().take(first.id(), known, 1)).isPresent();
        } else {
            store().end(first, List.of(), new Ending(state, null, "an error", null));
        }

        assertThat(state(first.id())).isEqualTo(state);
        assertThat(another().start(open("key", true)).id()).isEqualTo(first.id());
        assertThat(withKey("key")).containsExactly(first.id());
    }

    @Test
    void aRunThatWasGivenUpHasAFreeKey() {
        RunLease first = executing("key");
        store().end(first, List.of(), ending(RunState.BLOCKED));

        assertThat(another().giveUp(first.id(), "given up", false)).isTrue();

        assertThat(another().start(open("key", false)).id()).isNotEqualTo(first.id());
    }

    @Test
    void keysOfTwoKindsAreDifferentKeys() {
        RunId kept = store().start(newRun("key", null, false)).id();
        RunId open = store().start(open("key", false)).id();

        assertThat(open).isNotEqualTo(kept);
        assertThat(another().start(newRun("key", null, true)).id()).isEqualTo(kept);
        assertThat(another().start(open("key", true)).id()).isEqualTo(open);
        assertThat(withKey("key")).containsExactlyInAnyOrder(open, kept);
        assertThat(another().start(open("KEY", false)).id()).isNotIn(kept, open);
    }

    @Test
    void anOpenKeyBelongsToTheRunsOfOneNameAndTenant() {
        RunId ofNone = store().start(open("key", null, false)).id();
        RunId ofA = another().start(open("key", "a", false)).id();
        RunId ofOther = store().start(
                        newRunWith(run + "-other", new StartKey("key", Kind.WHILE_OPEN), null, null, false))
                .id();

        assertThat(List.of(ofNone, ofA, ofOther)).doesNotHaveDuplicates();
        assertThat(store().start(open("key", "a", false)).id()).isEqualTo(ofA);
        assertThat(store().start(open("key", null, false)).id()).isEqualTo(ofNone);
    }

    @Test
    void runsWithOpenKeysThatStartTogetherFindEachOther() {
        NewRun first = open("key", false);

        List<Started> started = store().startAll(List.of(first, newRun(null, null, false), open("key", false)));

        assertThat(started.get(0).id()).isEqualTo(first.id());
        assertThat(started.get(2).id()).isEqualTo(first.id());
    }

    /** The caller whose answer was lost must learn of its own run, even if that run has ended and the key has another run. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRepeatedStartFindsItsRunEvenIfTheRunHasEnded(boolean hasSuccessor) {
        NewRun requested = open("key", true);
        RunLease first = granted(store().start(requested));
        assertThat(store().start(requested).token()).isEqualTo(first.token());
        store().end(first, List.of(), ending(RunState.COMPLETED));
        if (hasSuccessor) {
            assertThat(another().start(open("key", false)).id()).isNotEqualTo(first.id());
        }

        Started again = store().start(requested);

        assertThat(again.id()).isEqualTo(first.id());
        assertThat(again.token()).isNull();
        assertThat(withKey("key")).hasSize(hasSuccessor ? 1 : 0);
    }

    @Test
    void aFailedRunCannotBeRetriedWhileAnotherRunHasItsKey() {
        RunLease failed = executing("key");
        store().end(failed, List.of(), new Ending(RunState.FAILED, null, "an error", null));
        RunLease successor = executing("key");
        String before = seen(store(), failed.id());

        assertThatThrownBy(() -> another().retry(failed.id()))
                .isInstanceOfSatisfying(
                        KeyInUseException.class,
                        refused -> assertThat(refused.successor()).isEqualTo(successor.id()))
                .hasMessage(
                        "Run %s cannot be retried: run %s was started with its key 'key' meanwhile. Wait until that run has ended, or cancel it.",
                        failed.id(), successor.id());

        assertThat(seen(store(), failed.id())).isEqualTo(before);
        store().end(successor, List.of(), ending(RunState.COMPLETED));
        assertThat(another().retry(failed.id())).isTrue();
        assertThat(withKey("key")).containsExactly(failed.id());
        assertThat(store().start(open("key", true)).id()).isEqualTo(failed.id());
    }

    /** If the retry gets the key, the start finds the retried run. If the start gets the key, the retry is refused. */
    @Test
    void aRetryAndAStartDoNotBothGetTheKey() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                String key = "key-" + round;
                RunLease failed = executing(key);
                store().end(failed, List.of(), ending(RunState.FAILED));
                List<Object> answers = race(
                        threads,
                        List.of(
                                () -> {
                                    try {
                                        return store().retry(failed.id());
                                    } catch (KeyInUseException refused) {
                                        return refused.successor();
                                    }
                                },
                                () -> another().start(open(key, false)).id()));

                Object started = answers.get(1);
                assertThat(withKey(key)).hasSize(1);
                assertThat(withKey(key).get(0)).isEqualTo(started);
                assertThat(answers.get(0)).isEqualTo(failed.id().equals(started) ? true : started);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Each thread repeatedly starts a run with the same key. While one thread executes a run, no other thread may get
     * one.
     */
    @Test
    void neverAreTwoRunsOfOneKeyOpen() throws Exception {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();

        List<Boolean> alone = race(IntStream.range(0, RACING_STARTERS)
                .<Callable<Boolean>>mapToObj(racer -> () -> {
                    boolean isAlone = true;
                    for (int start = 0; start < RACING_STARTS; start++) {
                        RunStore store = (racer + start) % 2 == 0 ? store() : another();
                        Started started = store.start(open("key", true));
                        if (started.token() != null) {
                            begun.incrementAndGet();
                            isAlone &= open.incrementAndGet() == 1;
                            isAlone &= withKey("key").equals(List.of(started.id()));
                            open.decrementAndGet();
                            store.end(granted(started), List.of(), ending(RunState.COMPLETED));
                        }
                    }
                    return isAlone;
                })
                .toList());

        assertThat(alone).containsOnly(true);
        assertThat(begun).hasPositiveValue();
        assertThat(withKey("key")).isEmpty();
    }
}
