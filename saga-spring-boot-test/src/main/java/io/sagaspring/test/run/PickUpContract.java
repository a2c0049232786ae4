package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StoredValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests which runs are picked up, and what their node receives. */
abstract class PickUpContract extends StartContract {

    @Test
    void aNodeLooksAheadToDueRunsAndExpiringLeases() {
        assertThat(store().untilDue(known, LONG)).isEmpty();
        assertThat(suspended(runLease(), LONG)).isTrue();
        assertThat(store().untilDue(known, LEASE)).isEmpty();
        assertThat(untilDue(LONG)).isBetween(LONG.minus(LEASE), LONG);
        assertThat(untilDue(LONG.multipliedBy(2))).isBetween(LONG.minus(LEASE), LONG);

        RunLease unused = runLease();
        assertThat(untilDue(LONG.multipliedBy(2))).isBetween(LEASE.dividedBy(2), LEASE);
        assertThat(store().untilDue(Set.of(run + "-other"), LONG.multipliedBy(2)))
                .isEmpty();
        assertThat(store().untilDue(Set.of(), LONG.multipliedBy(2))).isEmpty();

        pass(LEASE.plusSeconds(1));
        assertThat(untilDue(Duration.ZERO)).isNegative();
        assertThat(store().take(known, 1, MANY)).hasSize(1);
        assertThat(store().untilDue(known, Duration.ZERO)).isEmpty();
        assertThat(suspended(runLease(), null)).isTrue();
        assertThat(untilDue(LONG)).isPositive();
    }

    Duration untilDue(Duration within) {
        return store().untilDue(known, within).orElseThrow();
    }

    @Test
    void onlyDueRunsWithKnownNamesArePickedUp() {
        RunId due = started();
        RunId later = runLease().id();
        RunLease sleeping = runLease();
        assertThat(suspended(sleeping, LONG)).isTrue();

        assertThat(store().take(Set.of(), 10, MANY)).isEmpty();
        assertThat(store().take(Set.of(run + "-other", run.substring(1)), 10, MANY))
                .isEmpty();
        assertThat(store().take(known, 0, MANY)).isEmpty();
        assertThat(store().take(Set.of(run, "other"), 10, MANY))
                .extracting(pickedUp -> pickedUp.runLease().id())
                .containsExactly(due);
        assertThat(store().take(known, 10, MANY)).isEmpty();
        pass(LEASE);
        assertThat(store().take(known, 10, MANY))
                .extracting(pickedUp -> pickedUp.runLease().id())
                .containsExactlyInAnyOrder(due, later);
        pass(LONG);
        assertThat(isPickedUp(sleeping.id())).isTrue();
    }

    @Test
    void theLongestDueRunsArePickedUpFirst() {
        List<Integer> order = new ArrayList<>(IntStream.range(0, 60).boxed().toList());
        Collections.shuffle(order, new Random(1));
        Map<Integer, RunId> ids = new HashMap<>();
        for (int each : order) {
            RunLease runLease = runLease();
            ids.put(each, runLease.id());
            assertThat(store().release(runLease, Duration.ofSeconds(10L * each + 10)))
                    .isTrue();
        }
        pass(LONG);

        List<RunId> pickedUp = Stream.of(1, 9, 100)
                .flatMap(slots -> store().take(known, slots, MANY).stream())
                .map(each -> each.runLease().id())
                .toList();

        assertThat(pickedUp)
                .containsExactlyElementsOf(order.stream().sorted().map(ids::get).toList());
        assertThat(store().take(known, 100, MANY)).isEmpty();
    }

    /**
     * If the run classes did not share the slots, a single run of one class might wait for thousands of another class.
     */
    @Test
    void aBacklogOfOneKindDoesNotDelayOtherKinds() {
        List<RunId> backlog = Stream.generate(() -> startedAs(run)).limit(50).toList();
        List<RunId> small = List.of(startedAs(run + "-small"), startedAs(run + "-small"));
        RunId single = startedAs(run + "-single");
        Set<String> kinds = Set.of(run, run + "-small", run + "-single");

        List<RunId> pickedUp = store().take(kinds, 9, MANY).stream()
                .map(each -> each.runLease().id())
                .toList();

        assertThat(pickedUp).hasSize(9).contains(small.get(0), small.get(1), single);
        assertThat(pickedUp).filteredOn(backlog::contains).hasSize(6);
    }

    @Test
    void kindsTakeTurnsIfThereAreFewerSlotsThanKinds() {
        List<String> names = List.of(run, run + "-b", run + "-c");
        for (String name : names) {
            for (int each = 0; each < 5; each++) {
                RunId unused = startedAs(name);
            }
        }
        RunStore store = store();

        List<String> pickedUp = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            store.take(Set.copyOf(names), 1, MANY).forEach(each -> pickedUp.add(each.run()));
        }

        assertThat(pickedUp.subList(0, 3)).containsExactlyInAnyOrderElementsOf(names);
        assertThat(pickedUp.subList(3, 6)).isEqualTo(pickedUp.subList(0, 3));
    }

    /**
     * A run that has slept, was signalled, or has lost its node does not wait until all new runs have been executed.
     */
    @Test
    void resumedAndNewRunsTakeTurns() {
        List<RunId> fresh = Stream.generate(() -> startedAs(run)).limit(20).toList();
        List<RunId> begun = new ArrayList<>();
        for (int each = 0; each < 3; each++) {
            RunLease runLease = runLease();
            begun.add(runLease.id());
            assertThat(suspended(runLease, Duration.ZERO)).isTrue();
        }

        List<RunId> pickedUp = store().take(known, 4, MANY).stream()
                .map(each -> each.runLease().id())
                .toList();
        List<RunId> next = store().take(known, 4, MANY).stream()
                .map(each -> each.runLease().id())
                .toList();

        assertThat(pickedUp).hasSize(4).filteredOn(begun::contains).hasSize(2);
        assertThat(next).hasSize(4).filteredOn(begun::contains).hasSize(1);
        assertThat(next).filteredOn(fresh::contains).hasSize(3);
    }

    RunId startedAs(String name) {
        return store().start(new NewRun(RunId.next(), name, null, null, INPUT, null, null, false))
                .id();
    }

    @Test
    void tokensGrowWithEachPickUp() {
        NewRun requested = newRun(null, null, true);
        List<FencingToken> tokens = new ArrayList<>();
        tokens.add(granted(store().start(requested)).token());
        for (int round = 0; round < 10; round++) {
            RunLease runLease = takenOver(requested.id()).runLease();
            tokens.add(runLease.token());
            if (round % 3 == 0) {
                assertThat(another().release(runLease, Duration.ZERO)).isTrue();
            } else if (round % 3 == 1) {
                assertThat(another().suspend(runLease, List.of(), Duration.ZERO, afterSignals(0)))
                        .isTrue();
            }
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theJournalIsHandedOverCompletelyAndInItsOrder() {
        RunLease first = runLease();
        byte[] bytes = new byte[256];
        IntStream.range(0, 256).forEach(each -> bytes[each] = (byte) each);
        JournalEntry waiting = entry(12, "sleep", Call.SLEEP, Mark.WAITING, Duration.ofMinutes(5));
        JournalEntry failed = new JournalEntry(
                13, "ünd\n'; --", Call.TRANSACTIONAL_STEP, Mark.FAILED, null, "why?", null, null, null);
        JournalEntry binary =
                new JournalEntry(14, "b", Call.SIGNAL, Mark.DONE, new StoredValue("raw", bytes), "7", null, null, null);
        ControlState unused = store().checkpoint(first, done(0, 3));
        ControlState unusedToo = store().checkpoint(first, done(3, 12));
        ControlState unusedThree = store().checkpoint(first, List.of(waiting, failed, binary));

        List<JournalEntry> journal = takenOver(first.id()).journal();

        List<JournalEntry> all = new ArrayList<>(done(0, 12));
        Collections.addAll(all, waiting, failed, binary);
        assertThat(texts(journal).subList(0, 14)).isEqualTo(texts(all).subList(0, 14));
        assertThat(journal).hasSize(15).extracting(JournalEntry::detail).endsWith(null, "why?", "7");
        assertThat(journal).allSatisfy(each -> {
            assertThat(each.pause()).isNull();
            assertThat(each.at()).isNotNull();
            if (each.position() != 12) {
                assertThat(each.until()).isNull();
            }
        });
        StoredValue value = Objects.requireNonNull(journal.get(14).value());
        assertThat(value.format()).isEqualTo("raw");
        assertThat(value.bytes()).isEqualTo(bytes);
        assertThat(journal.get(13).value()).isNull();
        assertThat(texts(store().find(first.id()).orElseThrow().journal())).isEqualTo(texts(journal));
    }

    @Test
    void theEndOfAWaitIsSetByTheClockOfTheStore() {
        RunLease runLease = runLease();
        ControlState unused = store().checkpoint(
                        runLease, List.of(entry(0, "sleep", Call.SLEEP, Mark.WAITING, Duration.ofMinutes(5))));

        JournalEntry written = row(runLease.id()).journal().get(0);

        assertThat(Duration.between(Objects.requireNonNull(written.at()), Objects.requireNonNull(written.until())))
                .isCloseTo(Duration.ofMinutes(5), Duration.ofSeconds(1));
    }
}
