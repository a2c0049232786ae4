package io.sagaspring.test.run;

import static io.sagaspring.test.run.BatchedRuns.HOUR;
import static io.sagaspring.test.run.BatchedRuns.afterSignals;
import static io.sagaspring.test.run.BatchedRuns.newRun;
import static io.sagaspring.test.run.BatchedRuns.single;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StoredValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The cases of batched writes: each call, with various journals, from each state in which a run is written. */
final class BatchCases {

    /** The state of a run before the write. */
    enum Before {
        NEW {
            @Override
            RunLease runLease(@Nullable Duration deadline) {
                return RunStoreContract.granted(single.start(newRun(deadline, true)));
            }
        },
        /**
         * An earlier execution has left a result and an error in the row of the run. The run was picked up again and is
         * compensating.
         */
        PICKED_UP_AGAIN {
            @Override
            RunLease runLease(@Nullable Duration deadline) {
                RunLease before = NEW.runLease(deadline);
                single.end(
                        before,
                        List.of(),
                        new Ending(RunState.PENDING, RunStoreContract.stored("old"), "an old error", Duration.ZERO));
                RunLease again = single.take(before.id(), Set.of("batch"), 1_000)
                        .orElseThrow()
                        .runLease();
                ControlState unused = single.compensate(again, List.of());
                return again;
            }
        };

        abstract RunLease runLease(@Nullable Duration deadline);
    }

    /** A write of a run by any store. */
    interface Writing {
        Object by(RunStore store, RunLease runLease);
    }

    record Case(String name, Before before, @Nullable Duration deadline, Writing writing) {}

    private static List<List<JournalEntry>> journals() {
        JournalEntry withAll = new JournalEntry(
                0, "all", Call.SIGNAL, Mark.WAITING, RunStoreContract.stored("ü\0"), "a\0detail", HOUR, null, null);
        JournalEntry withNothing = RunStoreContract.entry(1, "nothing", Call.STOP_AMID, Mark.ABSENT, null);
        JournalEntry forEver = RunStoreContract.entry(2, "", Call.SLEEP, Mark.WAITING, Duration.ofDays(1_000_000));
        JournalEntry empty = new JournalEntry(
                2, "empty", Call.STEP, Mark.DONE, new StoredValue("none", new byte[0]), "", Duration.ZERO, null, null);
        return List.of(
                List.of(),
                List.of(withAll),
                List.of(withAll, withNothing, forEver),
                List.of(withAll, withNothing, empty));
    }

    static List<@Nullable Duration> maybe(Duration... durations) {
        List<@Nullable Duration> all = new ArrayList<>(Arrays.asList(durations));
        all.add(null);
        return all;
    }

    static List<Case> checkpoints() {
        List<Case> cases = new ArrayList<>();
        for (List<JournalEntry> entries : journals()) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR)) {
                add(cases, "checkpoint", deadline, entries, (store, runLease) -> store.checkpoint(runLease, entries));
            }
        }
        return cases;
    }

    static List<Case> suspensions() {
        List<Case> cases = new ArrayList<>();
        for (List<JournalEntry> entries : journals()) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR, HOUR.multipliedBy(3))) {
                for (Duration pause : maybe(Duration.ZERO, HOUR.multipliedBy(2), Duration.ofDays(1_000_000))) {
                    for (ControlState known :
                            List.of(afterSignals(0), new ControlState(0, null, true), afterSignals(1))) {
                        add(
                                cases,
                                "suspend for %s knowing %s".formatted(pause, known),
                                deadline,
                                entries,
                                (store, runLease) -> store.suspend(runLease, entries, pause, known));
                    }
                }
            }
        }
        return cases;
    }

    private static List<Ending> endings() {
        List<Ending> endings = new ArrayList<>();
        // A run does not end in the state WAITING. It is suspended instead.
        for (RunState state : EnumSet.complementOf(EnumSet.of(RunState.WAITING))) {
            for (Duration again : maybe(Duration.ZERO, HOUR)) {
                endings.add(new Ending(state, null, null, again));
                endings.add(new Ending(state, RunStoreContract.stored("result"), null, again));
                endings.add(new Ending(state, null, "an\0error" + "r".repeat(9_000), again));
                endings.add(new Ending(state, new StoredValue("none", new byte[0]), "", again));
            }
        }
        return endings;
    }

    private static String text(Ending ending) {
        String error = ending.error();
        return "%s %s error %s again %s"
                .formatted(ending.state(), ending.result(), error == null ? null : error.length(), ending.again());
    }

    /** Returns each ending with one of the journals, and each state with all journals. */
    static List<Case> ends() {
        List<Case> cases = new ArrayList<>();
        List<List<JournalEntry>> journals = journals();
        List<Ending> endings = endings();
        for (int each = 0; each < endings.size(); each++) {
            addEnd(cases, endings.get(each), journals.get(each % journals.size()));
        }
        for (Ending ending : oneOfEachState(endings)) {
            for (List<JournalEntry> entries : journals) {
                addEnd(cases, ending, entries);
            }
        }
        return cases;
    }

    private static void addEnd(List<Case> cases, Ending ending, List<JournalEntry> entries) {
        add(cases, "end " + text(ending), HOUR, entries, (store, runLease) -> {
            store.end(runLease, entries, ending);
            return "ended";
        });
    }

    /** Returns each ending once, and one ending of each state with all deadlines and all known control states. */
    static List<Case> endsUnlessChanged() {
        List<Case> cases = new ArrayList<>();
        List<Ending> endings =
                endings().stream().filter(each -> HOUR.equals(each.again())).toList();
        for (Ending ending : endings) {
            addEndUnlessChanged(cases, ending, null, afterSignals(0));
        }
        for (Ending ending : oneOfEachState(endings)) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR.dividedBy(2))) {
                for (ControlState known : List.of(afterSignals(0), new ControlState(0, null, true), afterSignals(1))) {
                    addEndUnlessChanged(cases, ending, deadline, known);
                }
            }
        }
        return cases;
    }

    private static void addEndUnlessChanged(
            List<Case> cases, Ending ending, @Nullable Duration deadline, ControlState known) {
        List<JournalEntry> entries = journals().get(1);
        add(
                cases,
                "end %s unless changed, knowing %s".formatted(text(ending), known),
                deadline,
                entries,
                (store, runLease) -> store.endUnlessChanged(runLease, entries, ending, known));
    }

    private static List<Ending> oneOfEachState(List<Ending> endings) {
        Map<RunState, Ending> one = new EnumMap<>(RunState.class);
        endings.forEach(each -> one.put(each.state(), each));
        return List.copyOf(one.values());
    }

    private static void add(
            List<Case> cases, String name, @Nullable Duration deadline, List<JournalEntry> entries, Writing writing) {
        for (Before before : Before.values()) {
            cases.add(new Case(
                    "%s, %s, deadline %s, %d entries".formatted(before, name, deadline, entries.size()),
                    before,
                    deadline,
                    writing));
        }
    }

    private BatchCases() {}
}
