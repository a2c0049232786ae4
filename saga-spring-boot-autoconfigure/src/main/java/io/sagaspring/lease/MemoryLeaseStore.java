package io.sagaspring.lease;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Stores the leases of one process. */
final class MemoryLeaseStore implements LeaseStore {

    private final ElapsedClock ticks;
    private final Duration retention;
    private final Map<LeaseName, Row> rows = new HashMap<>();
    private long latest;

    MemoryLeaseStore(ElapsedClock ticks, Duration retention) {
        this.ticks = ticks;
        this.retention = retention;
    }

    /** The state of a name. After a release or a completion, {@code expiresAt} is the time at which it happened. */
    private record Row(
            FencingToken token,
            UUID attempt,
            Duration ttl,
            Duration expiresAt,
            @Nullable Completion completion) {

        Row until(Duration time) {
            return new Row(token, attempt, ttl, time, completion);
        }

        Row completed(Completion how, Duration time) {
            return new Row(token, attempt, ttl, time, how);
        }
    }

    @Override
    public synchronized Found acquire(LeaseName name, Attempt attempt) {
        Row row = rows.get(name);
        if (row == null || !found(row).isTaken()) {
            row = new Row(
                    new FencingToken(++latest),
                    attempt.id(),
                    attempt.ttl(),
                    ticks.now().plus(attempt.ttl()),
                    null);
            rows.put(name, row);
        }
        return found(row);
    }

    @Override
    public synchronized Optional<Found> find(LeaseName name) {
        return Optional.ofNullable(rows.get(name)).map(this::found);
    }

    @Override
    public synchronized boolean renew(LeaseName name, FencingToken token) {
        Row row = rowOf(name, token, this::isLive);
        if (row != null) {
            rows.put(name, row.until(ticks.now().plus(row.ttl())));
        }
        return row != null;
    }

    @Override
    public synchronized boolean reattach(LeaseName name, FencingToken token, Duration ttl) {
        Row row = rowOf(name, token, any -> true);
        if (row != null) {
            rows.put(name, new Row(token, row.attempt(), ttl, ticks.now().plus(ttl), null));
        }
        return row != null;
    }

    @Override
    public synchronized boolean release(LeaseName name, FencingToken token) {
        Row row = rowOf(name, token, this::isLive);
        if (row != null) {
            rows.put(name, row.until(ticks.now()));
        }
        return row != null;
    }

    @Override
    public synchronized boolean complete(LeaseName name, FencingToken token, Completion completion) {
        Row row = rows.get(name);
        if (row == null || !row.token().equals(token)) {
            return false;
        }
        if (row.completion() == null) {
            rows.put(name, row.completed(completion, ticks.now()));
        }
        return row.completion() == null || row.completion() == completion;
    }

    @Override
    public synchronized int purge(int limit) {
        Duration horizon = ticks.now().minus(retention);
        List<LeaseName> old = rows.entrySet().stream()
                .filter(each -> each.getValue().expiresAt().compareTo(horizon) <= 0)
                .map(Map.Entry::getKey)
                .limit(limit)
                .toList();
        old.forEach(rows::remove);
        return old.size();
    }

    @Override
    public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
        return held.stream()
                .filter(each -> renew(LeaseName.read(each.id()), each.token()))
                .collect(Collectors.toSet());
    }

    @Override
    public synchronized Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
        return held.stream()
                .filter(each -> rowOf(LeaseName.read(each.id()), each.token(), this::isLive) != null)
                .collect(Collectors.toSet());
    }

    private @Nullable Row rowOf(LeaseName name, FencingToken token, Predicate<Row> condition) {
        Row row = rows.get(name);
        return row != null && row.completion() == null && row.token().equals(token) && condition.test(row) ? row : null;
    }

    private boolean isLive(Row row) {
        return row.expiresAt().compareTo(ticks.now()) > 0;
    }

    private Found found(Row row) {
        return new Found(
                row.token(), row.attempt(), row.completion(), row.expiresAt().minus(ticks.now()));
    }

    @Override
    public String toString() {
        return "The lease store in memory";
    }
}
