package io.sagaspring.test.schedule;

import io.sagaspring.schedule.ScheduleRow;
import io.sagaspring.schedule.ScheduleRow.Change;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schedule.ScheduleStore;
import io.sagaspring.schedule.ScheduleTerms;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Stores schedules within this process, for tests. Its schedules are lost when the process ends, and it has no
 * transactions.
 *
 * @since 0.1.0
 */
public final class MemoryScheduleStore implements ScheduleStore {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ScheduleRow> rows = new TreeMap<>();
    private final Map<String, Map<Instant, WaitingFiring>> waiting = new TreeMap<>();
    private final Supplier<Instant> clock;

    /**
     * Creates an empty store.
     *
     * @param clock the supplier of the current time
     */
    public MemoryScheduleStore(Supplier<Instant> clock) {
        this.clock = clock;
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean declare(String name, ScheduleTerms terms, String by, Declaring first) {
        return locked(() -> {
            ScheduleRow before = rows.get(name);
            if (before != null && before.terms().equals(terms)) {
                return false;
            }
            Instant now = now();
            rows.put(
                    name,
                    new ScheduleRow(
                            name,
                            terms,
                            first.state(before, now),
                            before == null ? 0 : before.version() + 1,
                            new Change(now, by)));
            return true;
        });
    }

    private Stream<ScheduleRow> active(Known known) {
        return rows.values().stream()
                .filter(row -> known.names().contains(row.name())
                        && known.runs().contains(row.terms().run())
                        && row.state().pause() == null);
    }

    @Override
    public Look look(Known known, Duration within) {
        return locked(() -> {
            Instant now = now();
            return new Look(
                    now,
                    active(known)
                            .flatMap(row -> Stream.ofNullable(row.state().nextAt()))
                            .map(next -> Duration.between(now, next))
                            .filter(until -> until.compareTo(within) <= 0)
                            .min(Comparator.naturalOrder())
                            .orElse(null),
                    active(known).anyMatch(row -> row.state().waits()));
        });
    }

    @Override
    public <T> List<T> changeDue(Known known, int limit, Function<List<Locked>, Map<String, Changed<T>>> change) {
        return locked(() -> {
            Instant now = now();
            List<Locked> due = active(known)
                    .filter(row -> row.state().waits()
                            || (row.state().nextAt() != null
                                    && !row.state().nextAt().isAfter(now)))
                    .sorted(Comparator.comparing(
                            row -> row.state().nextAt(), Comparator.nullsLast(Comparator.naturalOrder())))
                    .limit(limit)
                    .map(this::locked)
                    .toList();
            Map<String, Changed<T>> changes = due.isEmpty() ? Map.of() : change.apply(due);
            changes.forEach((name, changed) -> write(Objects.requireNonNull(rows.get(name)), changed));
            return changes.values().stream().map(Changed::value).toList();
        });
    }

    @Override
    public <T> Optional<T> change(String name, Function<Locked, Changed<T>> change) {
        return locked(() -> {
            ScheduleRow row = rows.get(name);
            if (row == null) {
                return Optional.empty();
            }
            Changed<T> changed = change.apply(locked(row));
            write(row, changed);
            return Optional.of(changed.value());
        });
    }

    private Locked locked(ScheduleRow row) {
        return new Locked(
                row,
                waiting.getOrDefault(row.name(), Map.of()).values().stream()
                        .findFirst()
                        .orElse(null),
                now());
    }

    private <T> void write(ScheduleRow row, Changed<T> changed) {
        Change change = changed.by() == null ? row.change() : new Change(now(), changed.by());
        rows.put(row.name(), new ScheduleRow(row.name(), row.terms(), changed.state(), row.version() + 1, change));
        Map<Instant, WaitingFiring> firings = waiting.computeIfAbsent(row.name(), name -> new TreeMap<>());
        for (WaitingFiring each : changed.added()) {
            WaitingFiring unused = firings.putIfAbsent(each.at(), each);
        }
        if (changed.removed() != null) {
            firings.remove(changed.removed().at());
        }
    }

    @Override
    public List<ScheduleRow> list() {
        return locked(() -> List.copyOf(rows.values()));
    }

    @Override
    public boolean remove(String name) {
        return locked(() -> {
            waiting.remove(name);
            return rows.remove(name) != null;
        });
    }

    @Override
    public Instant now() {
        return Objects.requireNonNull(clock.get());
    }
}
