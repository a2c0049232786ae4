package io.sagaspring.test.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The runs of a store in memory, with the store's clock and counters. The store's lock guards all of this state. */
final class MemoryRuns {

    private final Map<RunId, MemoryRun> byId = new TreeMap<>();
    private final Supplier<Instant> clock;
    private long tokens;
    private long signals;
    private long queueNumbers;

    MemoryRuns(Supplier<Instant> clock) {
        this.clock = clock;
    }

    Instant now() {
        return clock.get();
    }

    FencingToken nextToken() {
        return new FencingToken(++tokens);
    }

    long nextSignal() {
        return ++signals;
    }

    Optional<MemoryRun> find(RunId id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** Returns all runs, ordered by id. */
    Stream<MemoryRun> all() {
        return byId.values().stream();
    }

    /** Returns the run that a start with this run's key would find. */
    Optional<MemoryRun> withKeyOf(NewRun run) {
        return all().filter(each -> each.hasKeyOf(run)).findFirst();
    }

    void add(MemoryRun run) {
        run.queueNumber = ++queueNumbers;
        byId.put(run.started.id(), run);
    }

    /**
     * Gives a run, which has not begun, the values of a later start. If the later start names another queue, the run
     * gets the last place there.
     */
    void replace(MemoryRun run, NewRun by, Instant now) {
        QueuePlace before = run.started.place();
        run.replace(by, now);
        QueuePlace after = run.started.place();
        if (before != null && after != null && !before.queue().equals(after.queue())) {
            run.queueNumber = ++queueNumbers;
        }
    }

    int purge(Duration retention, int limit) {
        List<RunId> old = all().filter(run ->
                        run.endedAt != null && !run.endedAt.plus(retention).isAfter(now()))
                .limit(limit)
                .map(run -> run.started.id())
                .toList();
        old.forEach(byId::remove);
        return old.size();
    }
}
