package io.sagaspring.test.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQueries;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads and counts runs in memory. */
final class MemoryQueries implements RunQueries {

    private final MemoryRuns runs;

    MemoryQueries(MemoryRuns runs) {
        this.runs = runs;
    }

    @Override
    public Optional<RunRow> findRow(RunId id) {
        return runs.find(id).map(MemoryRun::seen);
    }

    @Override
    public Optional<RunRow> find(RunId id) {
        return runs.find(id).map(run -> run.seen().with(List.copyOf(run.journal)));
    }

    @Override
    public List<RunRow> list(RunQuery query) {
        return selected(query)
                .sorted(Comparator.comparing((MemoryRun run) -> run.started.id())
                        .reversed())
                .limit(query.limit())
                .map(MemoryRun::seen)
                .toList();
    }

    @Override
    public RunCount count(RunQuery query, int most) {
        return RunCount.of(selected(query).count(), most);
    }

    private Stream<MemoryRun> selected(RunQuery query) {
        return runs.all()
                .filter(run -> query.run() == null || query.run().equals(run.started.run()))
                .filter(run ->
                        query.key() == null || (run.hasItsKey() && query.key().equals(run.started.keyText())))
                .filter(run -> query.tenant() == null
                        || query.tenant()
                                .equals(Objects.requireNonNullElse(run.started.tenant(), RunQuery.WITHOUT_TENANT)))
                .filter(run -> query.olderThan() == null
                        || !run.shownSince().isAfter(runs.now().minus(query.olderThan())))
                .filter(run -> query.states().isEmpty() || query.states().contains(run.shownState()))
                .filter(run -> query.before() == null || run.started.id().compareTo(query.before()) < 0)
                .filter(run -> run.labels.entrySet().containsAll(query.labels().entrySet()))
                .filter(run -> query.node() == null || query.node().equals(run.node))
                .filter(run -> query.startedFrom() == null || !run.at.isBefore(query.startedFrom()))
                .filter(run -> query.startedBefore() == null || run.at.isBefore(query.startedBefore()));
    }

    @Override
    public Map<RunState, Long> troubled() {
        Map<RunState, Long> counted = new EnumMap<>(RunState.class);
        runs.all()
                .map(run -> run.state)
                .filter(RunState::waitsForAPerson)
                .forEach(state -> counted.merge(state, 1L, Long::sum));
        return counted;
    }

    @Override
    public List<Backlog> backlog(Set<String> known) {
        return runs
                .all()
                .filter(run -> run.isDue(runs.now()) && !run.needsPermit)
                .collect(Collectors.groupingBy(run -> run.started.run(), TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(each -> new Backlog(
                        each.getKey(),
                        known.contains(each.getKey()),
                        each.getValue().size(),
                        each.getValue().stream()
                                .map(run -> Duration.between(Objects.requireNonNull(run.dueAt), runs.now()))
                                .max(Comparator.naturalOrder())
                                .orElseThrow()))
                .toList();
    }
}
