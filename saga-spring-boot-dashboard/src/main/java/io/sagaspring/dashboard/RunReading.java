package io.sagaspring.dashboard;

import io.sagaspring.operations.RunDetails;
import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.TenantUnavailableException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads runs and sagas. Inputs, results and other stored values are left out, because they may be secret. */
final class RunReading {

    static final Set<String> PARAMETERS = Set.of(
            "run",
            "state",
            "key",
            "label",
            "node",
            "tenant",
            "startedFrom",
            "startedBefore",
            "olderThan",
            "before",
            "limit",
            "count");

    private final DashboardSources sources;
    private final AuditReading audit;
    private final KindCounting kinds;
    private final RunWaits waits;

    RunReading(DashboardSources sources, AuditReading audit, KindCounting kinds, RunWaits waits) {
        this.waits = waits;
        this.sources = sources;
        this.audit = audit;
        this.kinds = kinds;
    }

    /** A page of runs, latest first. */
    record Listed(
            List<Item> items,
            @Nullable RunId next,
            @Nullable Counted count,
            @Nullable List<KindCounting.Kind> kinds) {}

    /** A number that is exact unless it is capped. */
    record Counted(int count, boolean capped) {

        static Counted of(RunCount count) {
            return new Counted(count.number(), count.isMore());
        }

        Counted plus(Counted other) {
            return new Counted(count + other.count, capped || other.capped);
        }
    }

    /** A run in a list. */
    record Item(
            RunId id,
            String run,
            RunState state,
            @Nullable String key,
            @Nullable String tenant,
            Map<String, String> labels,
            @Nullable String node,
            Instant startedAt,
            Instant since,
            @Nullable Instant dueAt,
            @Nullable Instant endedAt,
            int attempt,
            @Nullable String error,
            @Nullable String cancelReason,
            @Nullable String current,
            List<String> operations) {

        static Item of(RunView run, DashboardQuery query) {
            return of(run, query, new String[0]);
        }

        static Item of(RunView run, DashboardQuery query, String[] ofWait) {
            String error = run.error();
            return new Item(
                    run.id(),
                    run.run(),
                    run.state(),
                    run.key(),
                    run.tenant(),
                    run.labels(),
                    run.node(),
                    run.startedAt(),
                    run.since(),
                    run.dueAt(),
                    run.endedAt(),
                    run.attempt(),
                    error == null ? null : error.lines().findFirst().orElse(""),
                    run.cancelReason(),
                    run.current() == null ? null : run.current().step(),
                    query.offered(Stream.of(ofWait, operations(run.state()))
                            .flatMap(Stream::of)
                            .toArray(String[]::new)));
        }

        private static String[] operations(RunState state) {
            return switch (state) {
                case FAILED -> new String[] {"run.retry"};
                case COMPLETED, CANCELLED -> new String[0];
                case PENDING, RUNNING, WAITING, COMPENSATING -> new String[] {"run.cancel"};
                case BLOCKED, PARKED -> new String[] {"run.retry", "run.cancel", "run.give-up"};
                case COMPENSATION_FAILED -> new String[] {"run.retry", "run.give-up"};
                case IN_DOUBT -> new String[] {"run.done", "run.not-done", "run.cancel", "run.give-up"};
            };
        }
    }

    /** A run with its steps, and with what people have done to it. */
    record Detailed(
            Item run,
            List<String> trace,
            RunWait waiting,
            List<RunView.StepView> steps,
            @Nullable SagaDetails saga,
            List<AuditReading.Item> history) {}

    /** An execution of a saga. */
    record SagaDetails(
            String name,
            RunDetails.@Nullable Cause cause,
            List<RunDetails.SagaStep> steps,
            List<String> openCompensations) {

        static SagaDetails of(RunView run, ExecutionView execution) {
            RunDetails details = RunDetails.of(run, Optional.of(execution));
            return new SagaDetails(execution.saga(), details.cause(), details.sagaSteps(), details.openCompensations());
        }
    }

    @Nullable
    Object list(DashboardQuery query) {
        Runs runs = sources.find(Runs.class);
        if (runs == null) {
            return null;
        }
        int limit = query.limit();
        RunQuery asked = asked(query).latest(limit + 1);
        String key = query.nonEmpty("key");
        List<RunQuery> all = key == null || asked.run() != null ? List.of(asked) : ofEachName(asked, key);
        List<RunView> found = all.stream()
                .flatMap(each -> runs.list(each).stream())
                .sorted(Comparator.comparing(RunView::id).reversed())
                .toList();
        List<Item> items =
                found.stream().limit(limit).map(each -> Item.of(each, query)).toList();
        RunId next = found.size() > limit ? items.get(limit - 1).id() : null;
        return new Listed(
                items,
                next,
                query.flag("count")
                        ? all.stream()
                                .map(each -> Counted.of(runs.count(each)))
                                .reduce(new Counted(0, false), Counted::plus)
                        : null,
                query.flag("count") ? kindsOf(asked.run()) : null);
    }

    /** Returns the latest numbers of runs of one name, or of all names. */
    private @Nullable List<KindCounting.Kind> kindsOf(@Nullable String run) {
        List<KindCounting.Kind> all = kinds.latest();
        return all == null || run == null
                ? all
                : all.stream().filter(each -> each.run().equals(run)).toList();
    }

    /** A key is unique only among the runs of one name. Of each name, the index finds the run at once. */
    private List<RunQuery> ofEachName(RunQuery asked, String key) {
        RunEngine engine = sources.find(RunEngine.class);
        return engine == null
                ? List.of()
                : engine.names().stream()
                        .map(name -> asked.of(name).withKey(key))
                        .toList();
    }

    static RunQuery asked(DashboardQuery query) {
        String run = query.nonEmpty("run");
        String key = run == null ? null : query.nonEmpty("key");
        RunState state = query.read("state", RunState::of, "Use the name of a state, such as in_doubt.");
        RunQuery asked = new RunQuery(
                        run,
                        key,
                        query.text("tenant"),
                        state == null ? Set.of() : Set.of(state),
                        query.age("olderThan"),
                        query.read("before", RunId::of, "Use the value of 'next' in the previous answer."),
                        1)
                .startedBetween(query.time("startedFrom"), query.time("startedBefore"));
        String node = query.nonEmpty("node");
        asked = node == null ? asked : asked.on(node);
        for (String label : query.labels()) {
            asked = labelled(asked, label);
        }
        return asked;
    }

    private static RunQuery labelled(RunQuery asked, String label) {
        int end = label.indexOf(':');
        if (end < 0) {
            throw ProblemException.badRequest(
                    "A label has no colon. Write its name and its value, such as customer:42.");
        }
        try {
            return asked.withLabel(label.substring(0, end), label.substring(end + 1));
        } catch (InvalidNameException refused) {
            throw ProblemException.badRequest("A label is not allowed: %s".formatted(refused.getMessage()));
        }
    }

    @Nullable
    Object find(DashboardQuery query) {
        Runs runs = sources.find(Runs.class);
        if (runs == null) {
            return null;
        }
        RunId id = query.read("id", RunId::of, "Use the id of a run, as the list shows it.");
        if (id == null) {
            throw ProblemException.badRequest("The parameter 'id' is missing. Use the id of a run.");
        }
        return runs.find(id)
                .map(run -> detailed(run, query))
                .orElseThrow(() -> ProblemException.notFound(
                        "There is no run with this id. It was never started, or it has been removed."));
    }

    /** Reads a saga. Without its tenant, only its run is shown, because its values may be unreadable. */
    private Optional<ExecutionView> executionOf(RunView run, Sagas sagas) {
        try {
            return sources.inTenant(run.tenant(), () -> sagas.find(run.id()));
        } catch (TenantUnavailableException unavailable) {
            return Optional.empty();
        }
    }

    private Detailed detailed(RunView run, DashboardQuery query) {
        Sagas sagas = sources.find(Sagas.class);
        SagaDetails saga = sagas == null
                ? null
                : executionOf(run, sagas)
                        .map(execution -> SagaDetails.of(run, execution))
                        .orElse(null);
        RunWait wait = waits.of(run, saga != null);
        return new Detailed(
                Item.of(run, query, wait.operations()),
                run.error() == null ? List.of() : run.error().lines().skip(1).toList(),
                wait,
                run.steps(),
                saga,
                audit.of("run", run.id().toString()));
    }
}
