package io.sagaspring.dashboard;

import io.sagaspring.actuate.HealthLimits;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.dashboard.Overview.Example;
import io.sagaspring.dashboard.Overview.Trouble;
import io.sagaspring.due.Backlog;
import io.sagaspring.due.DueWork;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.Loops;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.ListenerBacklog;
import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.schedule.ScheduleEngine;
import io.sagaspring.schedule.ScheduleView;
import io.sagaspring.schedule.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds what needs a person. The limits are those of the health indicator. */
final class Troubles {

    private static final int EXAMPLES = 3;
    private static final int MOST = 1_000;

    /** The number of runs up to which the oldest one is known. The lists begin with the latest run. */
    private static final int READ = 50;

    private static final List<RunState> OF_RUNS =
            List.of(RunState.IN_DOUBT, RunState.COMPENSATION_FAILED, RunState.BLOCKED, RunState.PARKED);

    private final DashboardSources sources;
    private final Map<RunState, RunCount> numbers;
    private final Instant at;
    private final List<Trouble> found = new ArrayList<>();

    /**
     * Creates the search.
     *
     * @param sources the capabilities of the application
     * @param numbers the number of runs in each state that any run is in
     * @param at the time of the search
     */
    Troubles(DashboardSources sources, Map<RunState, RunCount> numbers, Instant at) {
        this.sources = sources;
        this.numbers = numbers;
        this.at = at;
    }

    List<Trouble> find() {
        Runs runs = sources.find(Runs.class);
        if (runs != null) {
            OF_RUNS.forEach(state -> addRuns(runs, state));
        }
        addThreads();
        addClaims();
        addOverdueRuns();
        addWork();
        addDeliveries();
        addSchedules();
        addQueues();
        addPauses(Pause.Kind.RUN, "kind-paused");
        addPauses(Pause.Kind.JANITOR, "janitor-paused");
        if (runs != null) {
            addRuns(runs, RunState.FAILED);
        }
        return found;
    }

    private void addRuns(Runs runs, RunState state) {
        RunCount count = numbers.get(state);
        if (count == null) {
            return;
        }
        boolean areAll = count.number() < READ;
        List<RunView> read = runs.list(RunQuery.all().in(state).latest(areAll ? READ : EXAMPLES));
        found.add(new Trouble(
                "run-" + state.text().replace('_', '-'),
                count.number(),
                count.isMore(),
                areAll ? oldest(read, RunView::since) : null,
                examples(read, each -> new Example("run", each.id().toString(), each.run(), each.since())),
                Map.of("view", "runs", "state", state.text())));
    }

    /** A background thread of this node. */
    private void addThreads() {
        Keeper keeper = sources.find(Keeper.class);
        List<Loops.State> threads = keeper == null ? List.of() : keeper.loops().states();
        Function<Loops.State, Example> example =
                each -> new Example("front", each.name(), each.name(), at.minus(each.silentFor()));
        add("thread-ended", threads.stream().filter(Loops.State::gone).toList(), example, "front");
        add(
                "thread-hangs",
                threads.stream().filter(each -> each.overdue() && !each.gone()).toList(),
                example,
                "front");
    }

    /** A claim is in trouble before a janitor may revert it. A person can release it earlier. */
    private void addClaims() {
        JanitorRegistry janitors = sources.find(JanitorRegistry.class);
        if (janitors == null) {
            return;
        }
        List<ClaimedRow> silent = janitors.silent(MOST).values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(ClaimedRow::silentFor).reversed())
                .toList();
        add(
                "claim-silent",
                silent,
                each -> new Example("claims", each.id(), each.entity(), at.minus(each.silentFor())),
                "claims");
    }

    private void addOverdueRuns() {
        RunEngine engine = sources.find(RunEngine.class);
        HealthLimits limits = sources.find(HealthLimits.class);
        if (engine != null && limits != null) {
            addBacklog("run-overdue", engine.backlog(), limits.runsOverdueAfter(), "runs");
        }
    }

    private void addWork() {
        DueWork work = sources.find(DueWork.class);
        HealthLimits limits = sources.find(HealthLimits.class);
        if (work == null) {
            return;
        }
        List<DueWork.Parked> parked = work.parked(null, EXAMPLES);
        int count = parked.isEmpty() ? 0 : work.countParked();
        add(
                "work-parked",
                count,
                count >= DueWork.MOST_PARKED,
                oldest(parked, DueWork.Parked::since),
                examples(parked, each -> new Example("work", Long.toString(each.id()), each.kind(), each.since())),
                "work");
        add(
                "work-unhandled",
                work.unhandled(null, MOST),
                each -> new Example("work", Long.toString(each.id()), each.kind(), each.dueSince()),
                "work");
        if (limits != null) {
            List<Backlog> known = work.backlog().stream().filter(Backlog::known).toList();
            addBacklog("work-overdue", known, limits.dueWorkOverdueAfter(), "work");
        }
    }

    private void addBacklog(String kind, List<Backlog> backlog, Duration longest, String view) {
        List<Backlog> late = backlog.stream()
                .filter(each -> each.isOverdue(longest))
                .sorted(Comparator.comparing(Backlog::oldest).reversed())
                .toList();
        add(
                kind,
                late.stream().mapToInt(Backlog::due).sum(),
                late.stream().anyMatch(each -> each.due() >= MOST),
                late.isEmpty() ? null : at.minus(late.get(0).oldest()),
                examples(late, each -> new Example(view, each.kind(), each.kind(), at.minus(each.oldest()))),
                view);
    }

    private void addDeliveries() {
        Deliveries deliveries = sources.find(Deliveries.class);
        ListenerEngine engine = sources.find(ListenerEngine.class);
        if (deliveries == null || engine == null) {
            return;
        }
        List<ListenerBacklog> backlog = deliveries.backlog();
        List<ListenerBacklog> parked =
                backlog.stream().filter(each -> each.parked() > 0).toList();
        add(
                "delivery-parked",
                parked.stream().mapToInt(ListenerBacklog::parked).sum(),
                parked.stream().anyMatch(each -> each.parked() >= MOST),
                null,
                examples(parked, each -> new Example("deliveries", each.listener(), each.listener(), null)),
                "deliveries");
        List<ListenerBacklog> late = backlog.stream()
                .filter(each -> each.isOverdue(engine.overdueAfter()))
                .toList();
        add(
                "delivery-overdue",
                late.stream().mapToInt(ListenerBacklog::due).sum(),
                late.stream().anyMatch(each -> each.due() >= MOST),
                oldest(late, each -> at.minus(each.overdue())),
                examples(
                        late,
                        each -> new Example("deliveries", each.listener(), each.listener(), at.minus(each.overdue()))),
                "deliveries");
    }

    private void addSchedules() {
        Schedules schedules = sources.find(Schedules.class);
        ScheduleEngine engine = sources.find(ScheduleEngine.class);
        if (schedules == null || engine == null) {
            return;
        }
        List<ScheduleView> all = schedules.list();
        add(
                "schedule-overdue",
                all.stream()
                        .filter(each -> each.isOverdue(at, engine.overdueAfter()))
                        .toList(),
                each -> new Example("schedules", each.name(), each.name(), each.next()),
                "schedules");
        add(
                "schedule-paused",
                all.stream().filter(ScheduleView::paused).toList(),
                each -> new Example("schedules", each.name(), each.name(), each.pausedAt()),
                "schedules");
    }

    private void addQueues() {
        RunEngine engine = sources.find(RunEngine.class);
        HealthLimits limits = sources.find(HealthLimits.class);
        if (engine == null || limits == null) {
            return;
        }
        List<QueueDepth> all = engine.queueDepths();
        Set<String> declared = engine.queueNames();
        add(
                "queue-overdue",
                all.stream()
                        .filter(each -> each.isOverdue(limits.runsOverdueAfter(), declared.contains(each.queue())))
                        .toList(),
                each -> new Example("queues", each.queue(), each.queue(), at.minus(each.oldest())),
                "queues");
        add(
                "queue-paused",
                all.stream().filter(QueueDepth::isPaused).toList(),
                each -> new Example("queues", each.queue(), each.queue(), pausedAt(each)),
                "queues");
    }

    private void addPauses(Pause.Kind kind, String trouble) {
        Pauses pauses = sources.find(Pauses.class);
        if (pauses != null) {
            add(
                    trouble,
                    pauses.all().stream().filter(each -> each.kind() == kind).toList(),
                    each -> new Example("kinds", each.name(), each.name(), each.at()),
                    "kinds");
        }
    }

    private static @Nullable Instant pausedAt(QueueDepth queue) {
        QueueDepth.Decision pause = queue.pause();
        return pause == null ? null : pause.at();
    }

    private <T> void add(String kind, List<T> troubled, Function<T, Example> example, String view) {
        add(
                kind,
                troubled.size(),
                troubled.size() >= MOST,
                troubled.stream()
                        .map(example)
                        .map(Example::since)
                        .filter(Objects::nonNull)
                        .min(Comparator.naturalOrder())
                        .orElse(null),
                examples(troubled, example),
                view);
    }

    private void add(
            String kind, int count, boolean capped, @Nullable Instant oldest, List<Example> examples, String view) {
        if (count > 0) {
            found.add(new Trouble(kind, count, capped, oldest, examples, Map.of("view", view)));
        }
    }

    private static <T> List<Example> examples(List<T> troubled, Function<T, Example> example) {
        return troubled.stream().limit(EXAMPLES).map(example).toList();
    }

    private static <T> @Nullable Instant oldest(List<T> troubled, Function<T, Instant> since) {
        return troubled.stream().map(since).min(Comparator.naturalOrder()).orElse(null);
    }
}
