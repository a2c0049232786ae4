package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.Ticks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs in this process alone, as exact as those of a database, and gone with it: for tests. It takes part in no
 * transaction.
 */
public final class MemoryRunStore implements RunStore {

    /** What its clock shows when its ticks show nothing. */
    public static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    /** Of a wait there is one reply that ends it. */
    private static final String LAST_REPLY = "last";

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<RunId, Row> rows = new TreeMap<>();
    private final String node;
    private final Ticks ticks;
    private final Duration lease;
    private final Duration retention;
    private final Lanes lanes = new Lanes();
    private long tokens;
    private long numbers;

    /**
     * An empty store.
     *
     * @param node the name of this node
     * @param ticks its clock
     * @param lease how long a run is kept after its node was last heard of
     * @param retention how long a run is known that is over
     */
    public MemoryRunStore(String node, Ticks ticks, Duration lease, Duration retention) {
        this.node = node;
        this.ticks = ticks;
        this.lease = lease;
        this.retention = retention;
    }

    private static final class Row {
        private final NewRun started;
        private final Instant at;
        private final @Nullable Instant deadline;
        private final List<Entry> journal = new ArrayList<>();
        private final Map<String, Signal> signals = new HashMap<>();
        private final Map<String, Note> notes = new HashMap<>();
        private RunState state = RunState.PENDING;
        private @Nullable Stored result;
        private @Nullable String error;
        private @Nullable String cancelReason;
        private @Nullable FencingToken token;
        private @Nullable FencingToken tokenOfStart;
        private @Nullable String node;
        private @Nullable Instant dueAt;
        private @Nullable Instant endedAt;
        private Instant since;
        private @Nullable Instant pickedUpAt;
        private boolean hasDeadline = true;
        private boolean compensating;
        private boolean amid;
        private int attempts;
        private int retries;
        private int journaled;
        private int told;

        Row(NewRun started, Instant at) {
            this.started = started;
            this.at = at;
            this.since = at;
            this.deadline = started.deadline() == null ? null : at.plus(Storable.pause(started.deadline()));
            this.dueAt = at;
        }

        @Nullable
        Instant deadline() {
            return hasDeadline ? deadline : null;
        }

        boolean isDrivenBy(FencingToken other) {
            return node != null && other.equals(token);
        }

        Lanes.Lane lane() {
            return new Lanes.Lane(started.run(), token == null);
        }

        boolean isDue(Instant now) {
            return dueAt != null && !dueAt.isAfter(now);
        }

        Standing standing(Instant now) {
            Instant until = deadline();
            return new Standing(told, cancelReason, until != null && !until.isAfter(now));
        }

        void note(String name, String key, Instant now) {
            notes.put(name + '\0' + key, new Note(started.id(), name, key, now));
        }

        boolean isOver(String wait) {
            return endedAt != null
                    || compensating
                    || signals.containsKey(wait + '\0' + LAST_REPLY)
                    || journal.stream()
                            .anyMatch(each -> each.step().equals(wait)
                                    && (each.mark() == Entry.Mark.TIMED_OUT || each.isStopAt(wait)));
        }

        /** Shows a run that compensates as compensating, although its stored state is pending, running or waiting. */
        RunState shownState() {
            return compensating
                            && Set.of(RunState.PENDING, RunState.RUNNING, RunState.WAITING)
                                    .contains(state)
                    ? RunState.COMPENSATING
                    : state;
        }

        Instant shownSince() {
            return state == RunState.RUNNING ? Objects.requireNonNullElse(pickedUpAt, at) : since;
        }

        RunRow seen() {
            return new RunRow(
                    started.id(),
                    started.run(),
                    started.key(),
                    shownState(),
                    node,
                    attempts,
                    result,
                    error,
                    cancelReason,
                    at,
                    dueAt,
                    endedAt,
                    shownSince(),
                    List.of());
        }
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    private Instant now() {
        return BEGINNING.plus(ticks.now());
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.EXACT;
    }

    @Override
    public Started start(NewRun run) {
        return locked(() -> {
            Instant now = now();
            Optional<Row> before = Optional.ofNullable(rows.get(run.id())).or(() -> withKeyOf(run));
            if (before.isPresent()) {
                Row row = before.get();
                boolean isMine = row.started.id().equals(run.id())
                        && row.tokenOfStart != null
                        && row.isDrivenBy(row.tokenOfStart);
                return new Started(row.started.id(), isMine ? row.token : null, now);
            }
            Row row = new Row(run, now);
            rows.put(run.id(), row);
            if (run.here()) {
                drive(row, now, 1);
                row.tokenOfStart = row.token;
            }
            return new Started(run.id(), row.token, now);
        });
    }

    private Optional<Row> withKeyOf(NewRun run) {
        return rows.values().stream()
                .filter(each -> each.started.run().equals(run.run())
                        && run.key() != null
                        && run.key().equals(each.started.key()))
                .findFirst();
    }

    private void drive(Row row, Instant now, int attempt) {
        row.state = RunState.RUNNING;
        row.token = new FencingToken(++tokens);
        row.node = node;
        row.dueAt = now.plus(lease);
        row.attempts = attempt;
        row.pickedUpAt = now;
        row.journaled = row.journal.size();
    }

    @Override
    public Optional<Duration> untilDue(Set<String> runs, Duration within) {
        return locked(() -> rows.values().stream()
                .filter(each -> each.dueAt != null && runs.contains(each.started.run()))
                .map(each -> Duration.between(now(), each.dueAt))
                .filter(each -> each.compareTo(within) <= 0)
                .min(Comparator.naturalOrder()));
    }

    @Override
    public List<Taken> take(Set<String> runs, int slots, int attempts) {
        return locked(() -> {
            Instant now = now();
            List<Row> due = rows.values().stream()
                    .filter(each -> each.isDue(now))
                    .sorted(Comparator.comparing(each -> Objects.requireNonNull(each.dueAt)))
                    .toList();
            List<Row> chosen = lanes.dividing(
                    slots,
                    runs,
                    lane -> due.stream()
                            .filter(each -> each.lane().equals(lane))
                            .toList());
            lanes.served(chosen.stream().map(Row::lane).toList());
            return due.stream()
                    .filter(chosen::contains)
                    .map(each -> taken(each, now, attempts))
                    .toList();
        });
    }

    @Override
    public Optional<Taken> take(RunId id, Set<String> runs, int attempts) {
        return locked(() -> {
            Instant now = now();
            return Optional.ofNullable(rows.get(id))
                    .filter(each -> runs.contains(each.started.run()) && each.dueAt != null)
                    .filter(each -> each.node == null || each.isDue(now))
                    .map(each -> taken(each, now, attempts));
        });
    }

    private Taken taken(Row row, Instant now, int attempts) {
        int attempt = row.journal.size() > row.journaled ? 1 : row.attempts + 1;
        boolean interrupted = row.amid || row.state == RunState.RUNNING;
        row.amid = interrupted;
        boolean parked = attempt > attempts;
        drive(row, now, parked ? row.attempts : attempt);
        if (parked) {
            leave(row, RunState.PARKED, null, now);
        }
        return new Taken(
                new Driven(row.started.id(), Objects.requireNonNull(row.token)),
                row.started.run(),
                row.started.input(),
                row.started.carried(),
                List.copyOf(row.journal),
                row.standing(now),
                now,
                row.attempts,
                row.retries,
                interrupted,
                parked);
    }

    private static void leave(Row row, RunState state, @Nullable Instant due, Instant since) {
        row.state = state;
        row.since = since;
        row.node = null;
        row.dueAt = due;
    }

    @Override
    public Standing checkpoint(Driven driven, List<Entry> entries) {
        return locked(() -> {
            Row row = mine(driven, entries);
            add(row, entries);
            return row.standing(now());
        });
    }

    @Override
    public Standing compensate(Driven driven, List<Entry> entries) {
        return locked(() -> {
            Row row = mine(driven, entries);
            row.compensating = true;
            add(row, entries);
            return row.standing(now());
        });
    }

    private Row mine(Driven driven, List<Entry> entries) {
        Row row = rows.get(driven.id());
        if (row == null || !row.isDrivenBy(driven.token()) || driven.positionBefore(entries) >= row.journal.size()) {
            throw new FencedException(driven);
        }
        return row;
    }

    /** Whether a change was made by this token although its answer was lost. */
    private boolean wasLeftIn(Driven driven, RunState state) {
        Row row = rows.get(driven.id());
        return row != null && row.node == null && driven.token().equals(row.token) && row.state == state;
    }

    private void add(Row row, List<Entry> entries) {
        Instant now = now();
        entries.stream()
                .filter(each -> each.position() == row.journal.size())
                .forEach(each -> row.journal.add(new Entry(
                        each.position(),
                        each.step(),
                        each.call(),
                        each.mark(),
                        each.value(),
                        Storable.text(each.detail()),
                        null,
                        each.pause() == null ? null : now.plus(Storable.pause(each.pause())),
                        now)));
    }

    @Override
    public boolean conclude(Driven driven, List<Entry> entries, Standing known) {
        return locked(() -> {
            Row row = mine(driven, entries);
            boolean wasAdded =
                    row.journal.size() > entries.get(entries.size() - 1).position();
            if (!wasAdded && row.told != known.signals()) {
                return false;
            }
            add(row, entries);
            return true;
        });
    }

    @Override
    public boolean suspend(Driven driven, List<Entry> entries, @Nullable Duration pause, Standing known) {
        return locked(() -> {
            if (wasLeftIn(driven, RunState.WAITING)) {
                return true;
            }
            Row row = mine(driven, entries);
            if (row.told != known.signals()) {
                return false;
            }
            add(row, entries);
            Instant deadline = known.late() ? null : row.deadline();
            leave(
                    row,
                    RunState.WAITING,
                    earlier(pause == null ? null : now().plus(Storable.pause(pause)), deadline),
                    entries.isEmpty() ? row.since : now());
            row.attempts = 0;
            row.amid = false;
            return true;
        });
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return Stream.of(Optional.ofNullable(one), Optional.ofNullable(other))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    @Override
    public void end(Driven driven, List<Entry> entries, Ending ending) {
        boolean unused = ended(driven, entries, ending, null);
    }

    @Override
    public boolean endUnlessTold(Driven driven, List<Entry> entries, Ending ending, Standing known) {
        return ended(driven, entries, ending, known);
    }

    private boolean ended(Driven driven, List<Entry> entries, Ending ending, @Nullable Standing known) {
        return locked(() -> {
            if (wasLeftIn(driven, ending.state())) {
                return true;
            }
            Row row = mine(driven, entries);
            if (known != null && !row.standing(now()).equals(known)) {
                return false;
            }
            add(row, entries);
            String error = Storable.text(ending.error());
            leave(
                    row,
                    ending.state(),
                    ending.again() == null ? null : now().plus(ending.again()),
                    error != null && error.equals(row.error) ? row.since : now());
            row.result = ending.result();
            row.error = error;
            row.endedAt = ending.state().isEnd() ? now() : null;
            row.attempts = ending.isWaitingForSomebody() ? 0 : row.attempts;
            row.amid = Objects.requireNonNullElse(ending.leavesAmid(), row.amid);
            return true;
        });
    }

    @Override
    public boolean giveBack(Driven driven, Duration pause) {
        return locked(() -> {
            Row row = rows.get(driven.id());
            if (row == null || !row.isDrivenBy(driven.token())) {
                return false;
            }
            leave(row, RunState.PENDING, now().plus(pause), now());
            row.amid = true;
            row.attempts = Math.max(0, row.attempts - 1);
            return true;
        });
    }

    @Override
    public List<Signal> signals(RunId id, String name) {
        return locked(() -> Optional.ofNullable(rows.get(id)).stream()
                .flatMap(each -> each.signals.values().stream())
                .filter(each -> each.name().equals(name))
                .sorted(Comparator.comparing(Signal::number))
                .toList());
    }

    @Override
    public Answer signal(RunId id, String name, String key, Stored value) {
        return locked(() -> told(
                id,
                row -> {
                    row.told++;
                    Signal before = row.signals.putIfAbsent(name + '\0' + key, new Signal(++numbers, name, value));
                    if (row.state == RunState.WAITING) {
                        row.dueAt = now();
                    }
                    return before == null;
                },
                row -> row.signals.containsKey(name + '\0' + key)));
    }

    @Override
    public Answer reply(RunId id, Reply reply) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null) {
                return Answer.UNKNOWN;
            }
            if (reply.key() != null && row.notes.containsKey(keyOf(reply) + '\0' + reply.key())) {
                return Answer.REPEATED;
            }
            if (row.isOver(reply.signal())) {
                return Answer.TOO_LATE;
            }
            row.told++;
            String key = reply.last() ? LAST_REPLY : UUID.randomUUID().toString();
            row.signals.put(reply.signal() + '\0' + key, new Signal(++numbers, reply.signal(), reply.value()));
            if (row.state == RunState.WAITING) {
                row.dueAt = now();
            }
            if (reply.key() != null) {
                row.note(keyOf(reply), reply.key(), now());
            }
            return Answer.ACCEPTED;
        });
    }

    private static String keyOf(Reply reply) {
        return "key:" + reply.scope();
    }

    @Override
    public boolean note(RunId id, String name, String key) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null || row.endedAt != null) {
                return false;
            }
            row.note(name, key, now());
            return true;
        });
    }

    @Override
    public List<Note> notes(RunId id) {
        return locked(() -> Optional.ofNullable(rows.get(id)).stream()
                .flatMap(row -> row.notes.values().stream())
                .sorted(Comparator.comparing(Note::at).reversed())
                .toList());
    }

    @Override
    public List<Note> notes(String name, String key) {
        return locked(() -> rows.values().stream()
                .flatMap(row -> row.notes.values().stream())
                .filter(note -> note.name().startsWith(name) && note.key().equals(key))
                .sorted(Comparator.comparing(Note::at).reversed())
                .toList());
    }

    @Override
    public Answer cancel(RunId id, String reason) {
        return locked(() -> told(
                id,
                row -> {
                    row.told++;
                    row.cancelReason = row.cancelReason == null ? Storable.text(reason) : row.cancelReason;
                    if (row.state == RunState.PARKED) {
                        row.attempts = 0;
                    }
                    if (Set.of(RunState.PARKED, RunState.BLOCKED, RunState.IN_DOUBT)
                            .contains(row.state)) {
                        row.state = RunState.PENDING;
                        row.since = now();
                    }
                    if (row.node == null && row.state != RunState.COMPENSATION_FAILED) {
                        row.dueAt = now();
                    }
                    return true;
                },
                row -> false));
    }

    private Answer told(RunId id, Predicate<Row> tell, Predicate<Row> wasTold) {
        Row row = rows.get(id);
        if (row == null) {
            return Answer.UNKNOWN;
        }
        if (wasTold.test(row)) {
            return Answer.REPEATED;
        }
        if (row.endedAt != null) {
            return Answer.TOO_LATE;
        }
        return tell.test(row) ? Answer.ACCEPTED : Answer.REPEATED;
    }

    @Override
    public boolean retry(RunId id) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null
                    || (row.state == RunState.FAILED && row.compensating)
                    || !Set.of(RunState.FAILED, RunState.PARKED, RunState.BLOCKED, RunState.COMPENSATION_FAILED)
                            .contains(row.state)) {
                return false;
            }
            row.retries += Set.of(RunState.FAILED, RunState.COMPENSATION_FAILED).contains(row.state) ? 1 : 0;
            leave(row, RunState.PENDING, now(), now());
            row.hasDeadline &= !row.standing(now()).late();
            row.attempts = 0;
            row.error = null;
            row.endedAt = null;
            return true;
        });
    }

    @Override
    public boolean resolve(RunId id, Entry entry) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null || row.journal.isEmpty()) {
                return false;
            }
            Entry last = row.journal.get(row.journal.size() - 1);
            boolean isResult = last.call() == Entry.Call.STEP && last.mark() == Entry.Mark.DONE;
            boolean isOpen = row.state == RunState.IN_DOUBT || (row.state == RunState.BLOCKED && isResult);
            if (!isOpen || !last.step().equals(entry.step())) {
                return false;
            }
            add(
                    row,
                    List.of(new Entry(
                            last.position() + 1,
                            last.step(),
                            last.call(),
                            entry.mark(),
                            entry.value(),
                            Storable.text(entry.detail()),
                            null,
                            null,
                            null)));
            leave(row, RunState.PENDING, now(), now());
            row.attempts = 0;
            return true;
        });
    }

    @Override
    public boolean giveUp(RunId id, String reason, boolean orphaned) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null || row.endedAt != null) {
                return false;
            }
            boolean waitsForAPerson = Set.of(
                            RunState.BLOCKED, RunState.IN_DOUBT, RunState.PARKED, RunState.COMPENSATION_FAILED)
                    .contains(row.state);
            boolean isAbandoned = orphaned && (row.node == null || row.isDue(now()));
            if (!waitsForAPerson && !isAbandoned) {
                return false;
            }
            String before = row.error == null ? "" : "\n" + row.error;
            row.error = Storable.text("%s while it was %s. Nothing was compensated.%s"
                    .formatted(reason, row.shownState().text(), before));
            row.cancelReason = row.cancelReason == null ? Storable.text(reason) : row.cancelReason;
            leave(row, RunState.CANCELLED, null, now());
            row.token = new FencingToken(++tokens);
            row.endedAt = now();
            return true;
        });
    }

    @Override
    public Optional<RunRow> look(RunId id) {
        return locked(() -> Optional.ofNullable(rows.get(id)).map(Row::seen));
    }

    @Override
    public Optional<RunRow> find(RunId id) {
        return locked(
                () -> Optional.ofNullable(rows.get(id)).map(row -> row.seen().with(List.copyOf(row.journal))));
    }

    @Override
    public List<RunRow> list(Query query) {
        return locked(() -> rows.values().stream()
                .filter(row -> query.run() == null || query.run().equals(row.started.run()))
                .filter(row -> query.key() == null || query.key().equals(row.started.key()))
                .filter(row -> query.olderThan() == null || !row.shownSince().isAfter(now().minus(query.olderThan())))
                .filter(row -> query.states().isEmpty() || query.states().contains(row.shownState()))
                .filter(row -> query.before() == null || row.started.id().compareTo(query.before()) < 0)
                .sorted(Comparator.comparing((Row row) -> row.started.id()).reversed())
                .limit(query.limit())
                .map(Row::seen)
                .toList());
    }

    @Override
    public Map<RunState, Long> troubled() {
        return locked(() -> {
            Map<RunState, Long> counted = new EnumMap<>(RunState.class);
            rows.values().stream()
                    .map(row -> row.state)
                    .filter(
                            Set.of(RunState.PARKED, RunState.BLOCKED, RunState.IN_DOUBT, RunState.COMPENSATION_FAILED)
                                    ::contains)
                    .forEach(state -> counted.merge(state, 1L, Long::sum));
            return counted;
        });
    }

    @Override
    public List<Backlog> backlog(Set<String> known) {
        return locked(() -> rows.values().stream()
                .filter(row -> row.isDue(now()))
                .collect(Collectors.groupingBy(row -> row.started.run(), TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(each -> new Backlog(
                        each.getKey(),
                        known.contains(each.getKey()),
                        each.getValue().size(),
                        each.getValue().stream()
                                .map(row -> Duration.between(Objects.requireNonNull(row.dueAt), now()))
                                .max(Comparator.naturalOrder())
                                .orElseThrow()))
                .toList());
    }

    @Override
    public int purge(int limit) {
        return locked(() -> {
            List<RunId> old = rows.values().stream()
                    .filter(row ->
                            row.endedAt != null && !row.endedAt.plus(retention).isAfter(now()))
                    .limit(limit)
                    .map(row -> row.started.id())
                    .toList();
            old.forEach(rows::remove);
            return old.size();
        });
    }

    @Override
    public Set<Held> renew(Connecting keeper, Collection<Held> held) {
        return locked(() -> {
            Set<Held> mine = driven(held);
            Instant until = now().plus(lease);
            mine.forEach(each -> Objects.requireNonNull(rows.get(RunId.of(each.id()))).dueAt = until);
            return mine;
        });
    }

    @Override
    public Set<Held> stillThere(Connecting keeper, Collection<Held> held) {
        return locked(() -> driven(held));
    }

    private Set<Held> driven(Collection<Held> held) {
        Set<Held> mine = new HashSet<>();
        for (Held each : held) {
            Row row = rows.get(RunId.of(each.id()));
            if (row != null && row.isDrivenBy(each.token())) {
                mine.add(each);
            }
        }
        return mine;
    }
}
