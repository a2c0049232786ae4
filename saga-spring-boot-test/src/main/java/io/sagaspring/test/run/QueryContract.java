package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.due.Backlog;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Note;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the queries of a store: notes, runs and counts. */
abstract class QueryContract extends DecisionContract {

    @Test
    void notesAreFoundByTheirRunAndByTheirKey() {
        RunId one = started();
        RunId other = runLease().id();
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
    void aRepeatedNoteIsStoredOnceWithItsLatestTime() {
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
    void aNoteDoesNotReachTheRun() {
        RunLease runLease = runLease();
        RunId id = runLease.id();
        assertThat(store().note(id, "paid", "1")).isTrue();
        assertThat(store().suspend(runLease, List.of(), null, afterSignals(0))).isTrue();
        String before = seen(store(), id);

        assertThat(another().note(id, "sent", "1")).isTrue();

        assertThat(seen(store(), id)).isEqualTo(before);
        assertThat(isPickedUp(id)).isFalse();
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
    void onlyAnEndedRunRefusesNotes(RunState state) {
        RunLease runLease = runLease();
        assertThat(store().note(runLease.id(), "before", run)).isTrue();
        store().end(runLease, List.of(), ending(state));

        assertThat(store().note(runLease.id(), "after", run)).isEqualTo(!state.isEnd());
        assertThat(store().note(runLease.id(), "before", run)).isEqualTo(!state.isEnd());

        assertThat(another().notes(runLease.id())).hasSize(state.isEnd() ? 1 : 2);
        assertThat(another().notes("", run)).hasSize(state.isEnd() ? 1 : 2);
    }

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
        RunId other = store().start(new NewRun(RunId.next(), run + "-other", null, null, INPUT, CARRIED, null, false))
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

    @Test
    void aRunIsFoundByTheKeyItWasStartedWith() {
        RunId id = store().start(newRun("key-7", null, false)).id();
        started();

        assertThat(another().list(new RunQuery(run, "key-7", null, Set.of(), null, null, MANY)))
                .extracting(RunRow::id)
                .containsExactly(id);
        assertThat(store().list(new RunQuery(run, "key-7", null, Set.of(RunState.PENDING), null, null, MANY)))
                .hasSize(1);
        assertThat(store().list(new RunQuery(run, "key-7", null, Set.of(RunState.FAILED), null, null, MANY)))
                .isEmpty();
        assertThat(store().list(new RunQuery(run, "key-8", null, Set.of(), null, null, MANY)))
                .isEmpty();
        assertThat(store().list(new RunQuery(run + "-other", "key-7", null, Set.of(), null, null, MANY)))
                .isEmpty();
        assertThatThrownBy(() -> new RunQuery(null, "key-7", null, Set.of(), null, null, MANY))
                .hasMessageContaining("'key-7'");
    }

    @Test
    void runsAreListedByHowLongTheyHaveBeenInTheirState() {
        RunId waiting = left(RunState.WAITING, done(0, 1));
        RunId failed = left(RunState.FAILED, done(0, 1));
        RunId pending = started();
        RunId running = runLease().id();
        RunId compensating = compensating().id();
        pass(LONG);

        assertThat(olderThan(LONG.minusMinutes(1)))
                .containsExactlyInAnyOrder(waiting, failed, pending, running, compensating);
        assertThat(olderThan(LONG.plusMinutes(1))).isEmpty();
        assertThat(olderThan(Duration.ofMinutes(1), RunState.WAITING)).containsExactly(waiting);
        assertThat(olderThan(Duration.ofMinutes(1), RunState.RUNNING, RunState.FAILED))
                .containsExactlyInAnyOrder(running, failed);
        assertThat(olderThan(Duration.ofMinutes(1), RunState.COMPENSATING)).containsExactly(compensating);
    }

    @Test
    void aRunThatIsSuspendedAgainWithoutEntriesKeepsTheAgeOfItsWait() {
        RunLease first = runLease();
        assertThat(store().suspend(first, done(0, 1), Duration.ZERO, afterSignals(0)))
                .isTrue();
        RunId id = first.id();
        pass(LONG);
        RunLease runLease = store().take(id, known, MANY).orElseThrow().runLease();
        assertThat(olderThan(Duration.ofMinutes(1))).isEmpty();

        assertThat(store().suspend(runLease, List.of(), Duration.ZERO, afterSignals(0)))
                .isTrue();
        assertThat(olderThan(LONG.minusMinutes(1), RunState.WAITING)).containsExactly(id);

        RunLease again = store().take(id, known, MANY).orElseThrow().runLease();
        assertThat(store().suspend(again, done(1, 2), null, afterSignals(0))).isTrue();
        assertThat(olderThan(Duration.ofMinutes(1))).isEmpty();
        assertThat(olderThan(Duration.ZERO, RunState.WAITING)).containsExactly(id);
    }

    List<RunId> olderThan(Duration age, RunState... states) {
        return another().list(new RunQuery(run, null, null, Set.of(states), age, null, MANY)).stream()
                .map(RunRow::id)
                .toList();
    }

    @Test
    void dueRunsAreCountedByName() {
        started();
        started();
        RunId other = store().start(new NewRun(RunId.next(), run + "-gone", null, null, INPUT, CARRIED, null, false))
                .id();
        pass(Duration.ofMinutes(5));
        started();
        assertThat(runLease()).isNotNull();
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
    void runsAreListedByTheirTenant() {
        RunId first = store().start(newRunOf("a", "key")).id();
        RunId latest = store().start(newRunOf("a", null)).id();
        RunId other = store().start(newRunOf("b", "key")).id();
        RunId none = store().start(newRunOf(null, "key")).id();
        assertThat(store().cancel(none, "tidied up")).isEqualTo(Answer.ACCEPTED);
        RunQuery all = new RunQuery(run, Set.of(), null, MANY);

        assertThat(listed(all)).containsExactlyInAnyOrder(first, latest, other, none);
        assertThat(listed(all.ofTenant("a")))
                .containsExactlyElementsOf(Stream.of(first, latest)
                        .sorted(Comparator.reverseOrder())
                        .toList());
        assertThat(listed(all.ofTenant("b"))).containsExactly(other);
        assertThat(listed(all.ofTenant(RunQuery.WITHOUT_TENANT))).containsExactly(none);
        assertThat(listed(all.ofTenant("c"))).isEmpty();
        assertThat(listed(new RunQuery(run, "key", "a", Set.of(), null, null, MANY)))
                .containsExactly(first);
        assertThat(listed(new RunQuery(run, "key", RunQuery.WITHOUT_TENANT, Set.of(), null, null, MANY)))
                .containsExactly(none);
        assertThat(listed(new RunQuery(run, "key", null, Set.of(), null, null, MANY)))
                .containsExactlyInAnyOrder(first, other, none);
        assertThat(listed(new RunQuery(run, null, "b", Set.of(RunState.PENDING), Duration.ZERO, null, MANY)))
                .containsExactly(other);
        assertThat(listed(new RunQuery(run, null, "b", Set.of(RunState.FAILED), null, null, MANY)))
                .isEmpty();
        assertThat(listed(new RunQuery(run, null, RunQuery.WITHOUT_TENANT, Set.of(RunState.FAILED), null, null, MANY)))
                .isEmpty();
        RunId later = first.compareTo(latest) > 0 ? first : latest;
        assertThat(listed(new RunQuery(null, null, "a", Set.of(), null, later, 1)))
                .containsExactly(later.equals(first) ? latest : first);
    }

    private List<RunId> listed(RunQuery query) {
        return another().list(query).stream().map(RunRow::id).toList();
    }

    @Test
    void runsThatWaitForAPersonAreCounted() {
        Map<RunState, Long> before = store().troubled();
        left(RunState.PARKED);
        left(RunState.BLOCKED);
        left(RunState.BLOCKED);
        left(RunState.IN_DOUBT);
        leftCompensated(RunState.COMPENSATION_FAILED);
        leftCompensated(RunState.FAILED);
        left(RunState.FAILED);
        left(RunState.COMPLETED);
        started();
        assertThat(compensating().id()).isNotNull();

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

    @Test
    void anEndedRunIsRemovedWithAllItsRowsAfterTheRetention() {
        pass(RETENTION);
        purge();
        List<RunId> ended = new ArrayList<>();
        List<NewRun> requested = new ArrayList<>();
        for (RunState state : List.of(RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED)) {
            requested.add(newRun("key-" + state, null, true));
            RunLease runLease = granted(store().start(requested.get(requested.size() - 1)));
            assertThat(store().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);
            assertThat(store().note(runLease.id(), "noted", run)).isTrue();
            store().end(runLease, done(0, 3), ending(state));
            ended.add(runLease.id());
        }
        List<RunId> retained = List.of(
                started(), runLease().id(), left(RunState.PARKED), left(RunState.BLOCKED), left(RunState.IN_DOUBT));
        RunLease waiting = runLease();
        assertThat(suspended(waiting, null)).isTrue();
        pass(RETENTION.minusSeconds(30));
        assertThat(purge()).isZero();
        RunId retried = ended.get(1);
        assertThat(store().retry(retried)).isTrue();
        pass(Duration.ofSeconds(30));

        assertThat(store().purge(1)).isOne();
        assertThat(purge()).isOne();

        for (RunId id : List.of(ended.get(0), ended.get(2))) {
            assertThat(another().find(id)).isEmpty();
            assertThat(another().signals(id, "paid")).isEmpty();
            assertThat(another().notes(id)).isEmpty();
            assertThat(another().signal(id, "paid", "1", stored("1"))).isEqualTo(Answer.UNKNOWN);
        }
        assertThat(retained).allSatisfy(id -> assertThat(another().find(id)).isPresent());
        assertThat(another().find(waiting.id())).isPresent();
        assertThat(journal(retried)).hasSize(3);
        assertThat(another().signals(retried, "paid")).hasSize(1);
        assertThat(another().notes("noted", run)).extracting(Note::id).containsExactly(retried);
        // A run that is started under the id of a removed run is new.
        Started again = store().start(requested.get(0));
        assertThat(journal(again.id())).isEmpty();
        assertThat(store().signals(again.id(), "paid")).isEmpty();
        assertThat(store().checkpoint(granted(again), List.of())).isEqualTo(new ControlState(0, null, false));
    }
}
