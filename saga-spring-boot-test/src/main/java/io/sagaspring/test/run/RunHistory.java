package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.KeyInUseException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the same random calls on the store and the model. Their tokens differ, but are issued in the same order. */
final class RunHistory {

    private static final int ATTEMPTS = 2;

    private final RunStoreContract contract;
    private final Random random;
    private final String name = "contract-" + UUID.randomUUID();
    private final Set<String> both = Set.of(name, name + "-other");
    private final RunModel model = new RunModel(RunStoreContract.LEASE, RunStoreContract.RETENTION);
    private final List<NewRun> requested = new ArrayList<>();
    private final List<RunId> ids = new ArrayList<>();
    private final List<RunLease> storeLeases = new ArrayList<>();
    private final List<RunLease> modelLeases = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();

    RunHistory(RunStoreContract contract, long seed, Random random) {
        this.contract = contract;
        this.random = random;
        calls.add("seed " + seed);
    }

    void run(int length) throws Exception {
        start();
        for (int call = 0; call < length; call++) {
            RunId touched = step();
            same(
                    "find " + ids.indexOf(touched),
                    RunStoreContract.seen(contract.another(), touched),
                    model.seen(touched));
        }
        for (RunId id : ids) {
            same("at the end", RunStoreContract.seen(contract.store(), id), model.seen(id));
        }
    }

    private RunId step() throws Exception {
        int latest = random.nextInt(4) == 0 || storeLeases.isEmpty() ? -1 : storeLeases.size() - 1;
        RunId id = ids.get(random.nextInt(ids.size()));
        if (storeLeases.isEmpty()) {
            return callByAnyone(id);
        }
        int at = latest < 0 ? random.nextInt(storeLeases.size()) : latest;
        return random.nextInt(20) < 9 ? callByOwner(storeLeases.get(at), modelLeases.get(at)) : callByAnyone(id);
    }

    private RunStore any() {
        return random.nextBoolean() ? contract.store() : contract.another();
    }

    private @Nullable Duration maybe(int seconds) {
        return random.nextInt(3) == 0 ? null : Duration.ofSeconds(10L * random.nextInt(seconds / 10));
    }

    private List<JournalEntry> entries(RunId id) {
        int next = model.entries(id);
        int from = Math.max(0, next - random.nextInt(3));
        return RunStoreContract.doneOrFailed(from, next + random.nextInt(3), random);
    }

    /** Makes a call as the owner of a run, or as a previous owner. */
    private RunId callByOwner(RunLease mine, RunLease modelMine) throws Exception {
        RunId id = mine.id();
        String caller = ids.indexOf(id) + " by " + modelMine.token();
        List<JournalEntry> entries = entries(id);
        switch (random.nextInt(10)) {
            case 8 -> compensateRarely(mine, modelMine, caller, entries);
            case 9 -> {
                int next = model.entries(id);
                List<JournalEntry> conclusion =
                        new ArrayList<>(RunStoreContract.done(Math.max(0, next - random.nextInt(2)), next));
                conclusion.add(RunStoreContract.entry(
                        Math.max(0, next - random.nextInt(4) / 3),
                        awaited(),
                        Call.SIGNAL,
                        random.nextBoolean() ? Mark.TIMED_OUT : Mark.WAITING,
                        null));
                int received = model.ids().contains(id) ? model.controlState(id).signals() : 0;
                int signals = Math.max(0, received - (random.nextInt(4) == 0 ? 1 : 0));
                same(
                        "conclude %s with %s after %d signals".formatted(caller, conclusion, signals),
                        unlessRefused(() ->
                                contract.store().conclude(mine, conclusion, RunStoreContract.afterSignals(signals))),
                        unlessRefused(() -> model.conclude(modelMine, conclusion, signals)));
            }
            case 0, 1, 2 ->
                same(
                        "checkpoint %s with %s".formatted(caller, entries),
                        unlessRefused(() -> contract.store().checkpoint(mine, entries)),
                        unlessRefused(() -> model.checkpoint(modelMine, entries)));
            case 3 -> {
                Duration pause = maybe(300);
                int received = model.ids().contains(id) ? model.controlState(id).signals() : 0;
                int signals = Math.max(0, received - (random.nextInt(4) == 0 ? 1 : 0));
                same(
                        "suspend %s with %s for %s after %d signals".formatted(caller, entries, pause, signals),
                        unlessRefused(() ->
                                contract.store().suspend(mine, entries, pause, RunStoreContract.afterSignals(signals))),
                        unlessRefused(() -> model.suspend(modelMine, entries, pause, signals)));
            }
            case 4, 5 -> {
                Ending ending = ending();
                same(
                        "end %s with %s and %s".formatted(caller, entries, ending),
                        unlessRefused(() -> {
                            contract.store().end(mine, entries, ending);
                            return true;
                        }),
                        unlessRefused(() -> model.end(modelMine, entries, ending)));
            }
            case 6 -> {
                Duration pause = Objects.requireNonNullElse(maybe(100), Duration.ZERO);
                same(
                        "release %s for %s".formatted(caller, pause),
                        contract.store().release(mine, pause),
                        model.release(modelMine, pause));
            }
            default -> {
                Set<HeldLease> held = Set.of(RunStoreContract.held(mine));
                same(
                        "still held " + caller,
                        !contract.store().stillHeld(contract.connecting(), held).isEmpty(),
                        model.isExecuting(modelMine));
                same(
                        "renew " + caller,
                        !contract.store().renew(contract.connecting(), held).isEmpty(),
                        model.renew(modelMine));
            }
        }
        return id;
    }

    /** Compensates rarely, because a compensating run accepts few calls. */
    private void compensateRarely(RunLease mine, RunLease modelMine, String caller, List<JournalEntry> entries) {
        if (random.nextInt(3) == 0) {
            same(
                    "compensate %s %s".formatted(caller, entries),
                    unlessRefused(() -> contract.store().compensate(mine, entries)),
                    unlessRefused(() -> model.compensate(modelMine, entries)));
        }
    }

    private String awaited() {
        return random.nextBoolean() ? "answer" : "another";
    }

    private RunReply reply() {
        String key = random.nextBoolean() ? null : "key-" + random.nextInt(3);
        String value = "value " + calls.size();
        return random.nextBoolean()
                ? RunStoreContract.last(awaited(), key, value)
                : RunStoreContract.further(awaited(), key, value);
    }

    private Ending ending() {
        RunState state = List.of(
                        RunState.COMPLETED,
                        RunState.FAILED,
                        RunState.FAILED,
                        RunState.CANCELLED,
                        RunState.BLOCKED,
                        RunState.IN_DOUBT,
                        RunState.COMPENSATION_FAILED,
                        RunState.PENDING)
                .get(random.nextInt(8));
        return new Ending(
                state,
                random.nextBoolean() ? null : RunStoreContract.stored("result"),
                random.nextBoolean() ? null : "error",
                state == RunState.PENDING || state == RunState.BLOCKED
                        ? Duration.ofSeconds(10L * random.nextInt(10))
                        : null);
    }

    private RunId callByAnyone(RunId id) {
        String about = "" + ids.indexOf(id);
        String signal = random.nextInt(3) == 0 ? awaited() : random.nextBoolean() ? "paid" : "sent";
        String key = "key-" + random.nextInt(3);
        switch (random.nextInt(18)) {
            case 16, 17 -> {
                RunReply reply = reply();
                same(
                        "reply %s: %s, key %s, last=%s".formatted(about, reply.signal(), reply.key(), reply.last()),
                        any().reply(id, reply),
                        model.reply(id, reply));
            }
            case 0 -> start();
            case 1, 2, 3 -> take();
            case 4, 5 -> take(id);
            case 6, 7 -> pass(Duration.ofSeconds(10L * (1 + random.nextInt(10))));
            case 8 -> pass(random.nextInt(5) == 0 ? RunStoreContract.RETENTION : RunStoreContract.LEASE);
            case 9, 10 ->
                same(
                        "signal run %s with '%s', key %s".formatted(about, signal, key),
                        any().signal(id, signal, key, RunStoreContract.stored(key)),
                        model.signal(id, signal, key, key));
            case 11 ->
                same(
                        "signals " + about,
                        any().signals(id, signal).stream()
                                .map(each -> RunStoreContract.text(each.value()))
                                .toList(),
                        model.signals(id, signal).stream()
                                .map(each -> RunStoreContract.text(RunStoreContract.stored(each)))
                                .toList());
            case 12 -> {
                String reason = "reason " + calls.size();
                same("cancel " + about, any().cancel(id, reason), model.cancel(id, reason));
            }
            case 13 ->
                same("retry " + about, unlessRefused(() -> any().retry(id)), unlessRefused(() -> model.retry(id)));
            case 14 -> {
                String step = "step-" + Math.max(0, model.entries(id) - 1 - random.nextInt(2));
                Mark mark = random.nextBoolean() ? Mark.DONE : Mark.ABSENT;
                same(
                        "resolve %s %s".formatted(about, step),
                        any().resolve(id, RunStoreContract.entry(0, step, Call.STEP, mark, null)),
                        model.resolve(id, step, mark));
            }
            default -> {
                calls.add("purge");
                contract.purge();
                model.purge();
                Set<RunState> states = random.nextBoolean()
                        ? Set.of()
                        : Set.of(RunState.PENDING, RunState.FAILED, RunState.COMPENSATING);
                same(
                        "list " + states,
                        any().list(new RunQuery(name, states, null, RunStoreContract.MANY)).stream()
                                .map(each -> ids.indexOf(each.id()))
                                .toList(),
                        model.list(name, states).stream().map(ids::indexOf).toList());
            }
        }
        return id;
    }

    private void start() {
        boolean again = !requested.isEmpty() && random.nextInt(3) == 0;
        NewRun next = again
                ? requested.get(random.nextInt(requested.size()))
                : RunStoreContract.newRunWith(
                        random.nextInt(4) == 0 ? name + "-other" : name,
                        random.nextBoolean() ? null : RunStoreContract.anyKey(random),
                        ids.size() % 3 == 0 ? null : "tenant-" + ids.size() % 3,
                        maybe(300),
                        random.nextBoolean());
        Set<RunId> before = Set.copyOf(model.ids());
        RunId expected = model.start(next);
        FencingToken expectedToken = model.tokenOfStart(next);
        Started started = contract.store().start(next);
        if (!again) {
            requested.add(next);
            ids.add(next.id());
        }
        same(
                "start %d %s".formatted(ids.indexOf(next.id()), next.here()),
                ids.indexOf(started.id()),
                ids.indexOf(expected));
        if (started.token() != null && expectedToken != null && !before.contains(expected)) {
            grant(RunStoreContract.granted(started), expectedToken);
        }
        if (model.looksStarted(expected)) {
            return;
        }
        same("token of the start", tokenOf(expected, started.token()), Objects.toString(expectedToken));
    }

    private String tokenOf(RunId id, @Nullable FencingToken token) {
        return token == null
                ? "null"
                : modelLeases
                        .get(storeLeases.indexOf(new RunLease(id, token)))
                        .token()
                        .toString();
    }

    private void grant(RunLease mine, FencingToken modelToken) {
        assertThat(storeLeases.stream().filter(each -> each.id().equals(mine.id())))
                .as(this::callsSoFar)
                .allSatisfy(each -> assertThat(mine.token()).isGreaterThan(each.token()));
        storeLeases.add(mine);
        modelLeases.add(new RunLease(mine.id(), modelToken));
    }

    /** Picks up due runs. If several runs became due at the same time, the store decides their order. */
    private void take() {
        int slots = 1 + random.nextInt(3);
        Set<String> names = random.nextInt(4) == 0 ? Set.of(name) : both;
        List<RunId> due = model.due(names);
        List<PickedUpRun> pickedUp = any().take(names, slots, ATTEMPTS);
        List<RunId> pickedUpIds =
                pickedUp.stream().map(each -> each.runLease().id()).toList();
        same("number of picked up runs", pickedUpIds.size(), Math.min(slots, due.size()));
        same(
                "due times of the picked up runs, compared with the longest due runs of each kind",
                longestDueOf(due, pickedUpIds),
                pickedUpIds.stream().map(model::due).toList());
        same("slots divided fairly", model.isDivided(due, pickedUpIds), true);
        same("picked up twice", new HashSet<>(pickedUpIds).size(), pickedUpIds.size());
        same("only due runs", due.containsAll(pickedUpIds), true);
        pickedUp.forEach(this::pickedUp);
    }

    /** Returns the due times of the runs that have been due longest: for each kind, as many as were picked up. */
    private List<?> longestDueOf(List<RunId> due, List<RunId> pickedUp) {
        Map<String, List<RunId>> pickedUpOf = pickedUp.stream().collect(Collectors.groupingBy(model::kind));
        Map<String, List<RunId>> dueOf = due.stream().collect(Collectors.groupingBy(model::kind));
        return pickedUpOf.entrySet().stream()
                .flatMap(kind -> dueOf.getOrDefault(kind.getKey(), List.of()).stream()
                        .limit(kind.getValue().size()))
                .map(model::due)
                .sorted()
                .toList();
    }

    private void take(RunId id) {
        PickedUpRun pickedUp = any().take(id, both, ATTEMPTS).orElse(null);
        same("pick up " + ids.indexOf(id), pickedUp != null, model.isFree(id, both));
        if (pickedUp != null) {
            pickedUp(pickedUp);
        }
    }

    private void pickedUp(PickedUpRun pickedUp) {
        RunId id = pickedUp.runLease().id();
        grant(pickedUp.runLease(), model.take(id, ATTEMPTS));
        String found = RunStoreContract.seen(contract.another(), id);
        same("picked up " + ids.indexOf(id), found, model.seen(id));
        same("control state", pickedUp.controlState(), model.controlState(id));
        same("journal", RunStoreContract.texts(pickedUp.journal()), RunStoreContract.texts(row(id).journal()));
        same("attempt", pickedUp.attempt(), row(id).attempt());
        same("retries", pickedUp.retries(), model.retries(id));
        same("interrupted", pickedUp.interrupted(), model.wasInterrupted(id));
        same("parked", pickedUp.parked(), row(id).state() == RunState.PARKED);
    }

    private void pass(Duration duration) {
        calls.add("let " + duration + " pass");
        contract.pass(duration);
        model.pass(duration);
    }

    private RunRow row(RunId id) {
        return contract.another().find(id).orElseThrow();
    }

    private Object unlessRefused(Supplier<?> call) {
        try {
            return call.get();
        } catch (FencedException | KeyInUseException refused) {
            return refused.getClass().getSimpleName();
        }
    }

    private String callsSoFar() {
        return String.join("\n", calls);
    }

    private void same(String call, Object answer, Object expected) {
        calls.add(call + ": " + answer);
        assertThat(answer).as(this::callsSoFar).isEqualTo(expected);
    }
}
