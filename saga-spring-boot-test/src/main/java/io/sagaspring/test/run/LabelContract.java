package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.Labels;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the labels of runs, and the queries and counts that use them. */
abstract class LabelContract extends QueryContract {

    /** The changes of a run that add entries to its journal. */
    static final List<Named<BiConsumer<RunStore, Written>>> WRITES = List.of(
            Named.of("checkpoint", (store, write) -> {
                ControlState unused = store.checkpoint(write.runLease(), write.entries());
            }),
            Named.of("compensate", (store, write) -> {
                ControlState unused = store.compensate(write.runLease(), write.entries());
            }),
            Named.of(
                    "conclude",
                    (store, write) -> assertThat(store.conclude(write.runLease(), write.entries(), afterSignals(0)))
                            .isTrue()),
            Named.of(
                    "suspend",
                    (store, write) -> assertThat(
                                    store.suspend(write.runLease(), write.entries(), LONG, afterSignals(0)))
                            .isTrue()),
            Named.of("end", (store, write) -> store.end(write.runLease(), write.entries(), ending(RunState.COMPLETED))),
            Named.of(
                    "end unless changed",
                    (store, write) -> assertThat(store.endUnlessChanged(
                                    write.runLease(), write.entries(), ending(RunState.COMPLETED), afterSignals(0)))
                            .isTrue()));

    record Written(RunLease runLease, List<JournalEntry> entries) {}

    static JournalEntry label(int position, String name, String value) {
        return new JournalEntry(position, "label:" + name, Call.LABEL, Mark.DONE, null, value, null, null, null);
    }

    private RunId labelled(Map<String, String> labels) {
        return store().start(newRun(null, labels, false)).id();
    }

    private NewRun newRun(@Nullable String key, Map<String, String> labels, boolean here) {
        return new NewRun(
                RunId.next(), run, StartKey.untilRemoved(key), null, INPUT, CARRIED, null, null, here, null, labels);
    }

    private RunQuery query() {
        return RunQuery.all().of(run).latest(MANY);
    }

    private List<RunId> found(RunQuery query) {
        List<RunId> listed = another().list(query).stream().map(RunRow::id).toList();
        assertThat(listed).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(another().count(query, MANY)).isEqualTo(new RunCount(listed.size(), false));
        return listed;
    }

    private List<RunId> with(String name, String value) {
        return found(query().withLabel(name, value));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunHasTheLabelsOfItsStart(boolean here) {
        Map<String, String> labels = Map.of("customer", "42", "order.No", "a=b:c, 'Ä' 🚀");
        for (String key : new String[] {"key", null}) {
            RunId id = another().start(newRun(key, labels, here)).id();

            assertThat(row(id).labels()).isEqualTo(labels);
            assertThat(store().list(query()).get(0).labels()).isEqualTo(labels);
            assertThat(with("order.No", "a=b:c, 'Ä' 🚀")).contains(id);
        }
        NewRun later = new NewRun(
                RunId.next(), run, null, null, INPUT, CARRIED, null, StartTime.after(LONG), false, null, labels);
        assertThat(row(store().start(later).id()).labels()).isEqualTo(labels);
        assertThat(row(started()).labels()).isEmpty();
        assertThat(with("customer", "42")).hasSize(3);
    }

    @Test
    void anExistingRunKeepsItsLabels() {
        RunId first =
                store().start(newRun("key", Map.of("customer", "1"), false)).id();

        assertThat(another()
                        .start(newRun("key", Map.of("customer", "2", "more", "x"), true))
                        .id())
                .isEqualTo(first);

        assertThat(row(first).labels()).isEqualTo(Map.of("customer", "1"));
        assertThat(with("more", "x")).isEmpty();
        assertThat(with("customer", "2")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRepeatedStartHasTheSameLabels(boolean here) {
        NewRun requested = newRun(null, Map.of("customer", "1"), here);
        RunId first = store().start(requested).id();

        assertThat(store().start(requested).id()).isEqualTo(first);

        assertThat(row(first).labels()).isEqualTo(Map.of("customer", "1"));
    }

    @ParameterizedTest
    @FieldSource("WRITES")
    void aLabelIsSetTogetherWithItsEntry(BiConsumer<RunStore, Written> write) {
        RunLease runLease = granted(store().start(newRun(null, Map.of("customer", "1", "other", "x"), true)));
        List<JournalEntry> entries = List.of(
                done(0), label(1, "carrier", "ups"), label(2, "customer", "2"), label(3, "carrier", "dhl"), done(4));

        write.accept(store(), new Written(runLease, entries));

        RunRow row = row(runLease.id());
        assertThat(row.journal()).hasSize(5);
        assertThat(row.labels()).isEqualTo(Map.of("customer", "2", "other", "x", "carrier", "dhl"));
        assertThat(with("carrier", "ups")).isEmpty();
        assertThat(with("customer", "1")).isEmpty();
        assertThat(with("customer", "2")).containsExactly(runLease.id());
    }

    @ParameterizedTest
    @FieldSource("WRITES")
    void aPreviousOwnerSetsNoLabel(BiConsumer<RunStore, Written> write) {
        RunLease old = granted(store().start(newRun(null, Map.of("customer", "1"), true)));
        RunLease next = takenOver(old.id()).runLease();

        assertThatThrownBy(() -> write.accept(
                        store(), new Written(old, List.of(label(0, "customer", "2"), label(1, "late", "x")))))
                .isInstanceOf(FencedException.class);

        assertThat(row(old.id()).labels()).isEqualTo(Map.of("customer", "1"));
        ControlState unused = another().checkpoint(next, List.of(label(0, "customer", "3")));
        assertThat(row(old.id()).labels()).isEqualTo(Map.of("customer", "3"));
    }

    @Test
    void aWriteThatIsRefusedSetsNoLabel() {
        RunLease runLease = runLease();
        List<JournalEntry> entries = List.of(label(0, "customer", "1"));
        assertThat(another().signal(runLease.id(), "word", "1", stored("1"))).isEqualTo(Answer.ACCEPTED);

        assertThat(store().suspend(runLease, entries, LONG, afterSignals(0))).isFalse();
        assertThat(store().conclude(runLease, entries, afterSignals(0))).isFalse();
        assertThat(store().endUnlessChanged(runLease, entries, ending(RunState.COMPLETED), afterSignals(0)))
                .isFalse();

        assertThat(row(runLease.id()).labels()).isEmpty();
    }

    @Test
    void aRunIsFoundByTheExactValueOfALabel() {
        RunId id = labelled(Map.of("tenant", "t1"));
        RunId other = labelled(Map.of("tenant", "T1", "customer", "t1"));
        RunId longer = labelled(Map.of("tenant", "t10"));
        RunId longest = labelled(Map.of("tenant", "ü".repeat(Labels.LONGEST_VALUE)));

        assertThat(with("tenant", "t1")).containsExactly(id);
        assertThat(with("tenant", "T1")).containsExactly(other);
        assertThat(with("tenant", "t10")).containsExactly(longer);
        assertThat(with("tenant", "t")).isEmpty();
        assertThat(with("tenant", "%")).isEmpty();
        assertThat(with("Tenant", "t1")).isEmpty();
        assertThat(with("tenant", "ü".repeat(Labels.LONGEST_VALUE))).containsExactly(longest);
        assertThat(with("tenant", "ü".repeat(Labels.LONGEST_VALUE - 1))).isEmpty();
    }

    @Test
    void allConditionsOfAQueryHold() {
        RunId one = labelled(Map.of("customer", "1", "country", "de"));
        RunId two = labelled(Map.of("customer", "2", "country", "de"));
        RunLease running = granted(store().start(newRun("key", Map.of("customer", "1", "country", "fr"), true)));
        String node = String.valueOf(row(running.id()).node());

        assertThat(found(query().withLabel("customer", "1").withLabel("country", "de")))
                .containsExactly(one);
        assertThat(found(query().withLabel("country", "de").withLabel("customer", "3")))
                .isEmpty();
        assertThat(with("country", "de")).containsExactlyInAnyOrder(two, one);
        RunQuery first = query().withLabel("customer", "1");
        assertThat(found(first)).containsExactlyInAnyOrder(running.id(), one);
        assertThat(found(first.in(RunState.RUNNING))).containsExactly(running.id());
        assertThat(found(first.in(RunState.FAILED))).isEmpty();
        assertThat(found(first.on(node))).containsExactly(running.id());
        assertThat(found(first.on("another node"))).isEmpty();
        assertThat(found(query().on(node))).containsExactly(running.id());
        assertThat(found(query().on(node).in(RunState.PENDING))).isEmpty();
        assertThat(found(first.withKey("key"))).containsExactly(running.id());
        assertThat(found(query().withKey("key").withLabel("customer", "2"))).isEmpty();
        assertThat(found(first.before(running.id()))).hasSize(one.compareTo(running.id()) < 0 ? 1 : 0);
        assertThat(found(first.of(run + "-other"))).isEmpty();
        assertThat(found(first.olderThan(LONG))).isEmpty();
        pass(LONG);
        assertThat(found(first.olderThan(LONG).in(RunState.PENDING))).containsExactly(one);
    }

    @Test
    void runsAreFoundByTheTimeOfTheirStart() {
        RunId early = labelled(Map.of("customer", "1"));
        pass(Duration.ofMinutes(10));
        RunId late = labelled(Map.of("customer", "1"));
        Instant start = row(late).startedAt();
        Instant before = row(early).startedAt();

        for (RunQuery query : List.of(query(), query().withLabel("customer", "1"), query().in(RunState.PENDING))) {
            assertThat(found(query.startedBetween(start, null))).containsExactly(late);
            assertThat(found(query.startedBetween(null, start))).containsExactly(early);
            assertThat(found(query.startedBetween(before, start.plusMillis(1)))).containsExactlyInAnyOrder(late, early);
            assertThat(found(query.startedBetween(start.plusMillis(1), null))).isEmpty();
        }
    }

    @Test
    void pagesStayTheSameWhileRunsStart() {
        List<RunId> ids = new ArrayList<>(IntStream.range(0, 25)
                .mapToObj(each -> labelled(Map.of("customer", "1")))
                .toList());
        Collections.sort(ids, Collections.reverseOrder());
        RunQuery query = query().withLabel("customer", "1").latest(10);

        List<RunId> pages = new ArrayList<>();
        RunId last = null;
        do {
            List<RunRow> page = another().list(last == null ? query : query.before(last));
            page.forEach(each -> pages.add(each.id()));
            last = page.isEmpty() ? null : page.get(page.size() - 1).id();
            RunId unused = labelled(Map.of("customer", "1"));
        } while (last != null);

        assertThat(pages).doesNotHaveDuplicates().filteredOn(ids::contains).isEqualTo(ids);
    }

    @Test
    void aCountStopsAtItsLimit() {
        for (int each = 0; each < 5; each++) {
            RunId unused = labelled(Map.of("customer", Integer.toString(each % 2)));
        }
        RunQuery query = query().latest(1);

        assertThat(store().count(query, 5)).isEqualTo(new RunCount(5, false));
        assertThat(store().count(query, 4)).isEqualTo(new RunCount(4, true));
        assertThat(store().count(query.withLabel("customer", "0"), 3)).isEqualTo(new RunCount(3, false));
        assertThat(store().count(query.withLabel("customer", "0"), 2)).isEqualTo(new RunCount(2, true));
        assertThat(store().count(query.withLabel("customer", "2"), 2)).isEqualTo(new RunCount(0, false));
        assertThat(store().count(query.in(RunState.PENDING), 1)).isEqualTo(new RunCount(1, true));
        assertThat(store().count(query.in(RunState.FAILED, RunState.CANCELLED, RunState.RUNNING), 1))
                .isEqualTo(new RunCount(0, false));
    }

    @Test
    void aQueryForATenantFindsNoLabelOfAnother() {
        RunId ofA = ofTenant("a");
        RunId ofB = ofTenant("b");
        RunId ofNone = ofTenant(null);
        RunQuery query = query().withLabel("customer", "1");

        assertThat(found(query.ofTenant("a"))).containsExactly(ofA);
        assertThat(found(query.ofTenant("b"))).containsExactly(ofB);
        assertThat(found(query.ofTenant(RunQuery.WITHOUT_TENANT))).containsExactly(ofNone);
        assertThat(found(query)).containsExactlyInAnyOrder(ofNone, ofB, ofA);
        assertThat(found(query().ofTenant("a"))).containsExactly(ofA);
    }

    private RunId ofTenant(@Nullable String tenant) {
        return store().start(new NewRun(
                        RunId.next(),
                        run,
                        null,
                        tenant,
                        INPUT,
                        CARRIED,
                        null,
                        null,
                        false,
                        null,
                        Map.of("customer", "1")))
                .id();
    }

    @Test
    void labelsAreRemovedWithTheirRun() {
        NewRun requested = newRun("key", Map.of("customer", "1"), true);
        RunLease ended = granted(store().start(requested));
        RunId open = labelled(Map.of("customer", "1"));
        store().end(ended, List.of(label(0, "carrier", "dhl")), ending(RunState.COMPLETED));

        pass(RETENTION);
        int unused = purge();

        assertThat(with("customer", "1")).containsExactly(open);
        assertThat(with("carrier", "dhl")).isEmpty();
        // A run with the same id finds no labels of its predecessor.
        NewRun again = new NewRun(
                requested.id(),
                run,
                StartKey.untilRemoved("key"),
                null,
                INPUT,
                CARRIED,
                null,
                null,
                false,
                null,
                Map.of("customer", "2"));
        assertThat(store().start(again).id()).isEqualTo(requested.id());
        assertThat(row(requested.id()).labels()).isEqualTo(Map.of("customer", "2"));
    }
}
