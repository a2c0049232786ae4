package io.sagaspring.dashboard;

import io.sagaspring.claim.ClaimService;
import io.sagaspring.due.DueWork;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.ListenerBacklog;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.schedule.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The front page: first what needs a person, then counts. The result is kept for some seconds, so the cost does not
 * depend on the number of people who watch. While one request reads, the others wait for its result.
 */
final class Overview {

    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final int EXAMPLES = 3;
    private static final int MOST = 1_000;
    private static final List<RunState> TROUBLED =
            List.of(RunState.IN_DOUBT, RunState.COMPENSATION_FAILED, RunState.BLOCKED, RunState.PARKED);
    private static final Duration SILENT = Duration.ofMinutes(1);

    private final DashboardSources sources;
    private final Supplier<Instant> now;
    private final Object reading = new Object();
    private volatile @Nullable Kept kept;
    private @Nullable Instant wellSince;

    private record Kept(Sample sample, long at) {

        boolean isFresh() {
            return System.nanoTime() - at < FRESH.toNanos();
        }
    }

    /**
     * The content of the front page.
     *
     * @param wellSince the time from which this node has seen no trouble, or null if there is trouble
     */
    record Sample(Instant sampledAt, @Nullable Instant wellSince, List<Trouble> troubles, List<StateCount> counts) {}

    /** Something that needs a person. */
    record Trouble(
            String kind,
            int count,
            boolean capped,
            @Nullable Instant oldest,
            List<Example> examples,
            Map<String, String> filter) {}

    /** One of the things that need a person. */
    record Example(
            String view, String id, String title, @Nullable Instant since) {}

    /** The number of runs in a state. */
    record StateCount(RunState state, int count, boolean capped) {}

    Overview(DashboardSources sources, Supplier<Instant> now) {
        this.sources = sources;
        this.now = now;
    }

    Sample latest() {
        Kept before = kept;
        if (before != null && before.isFresh()) {
            return before.sample();
        }
        synchronized (reading) {
            Kept meanwhile = kept;
            if (meanwhile != null && meanwhile.isFresh()) {
                return meanwhile.sample();
            }
            Sample read = read();
            kept = new Kept(read, System.nanoTime());
            return read;
        }
    }

    private Sample read() {
        Instant at = now.get();
        List<Trouble> troubles = new ArrayList<>();
        List<StateCount> counts = new ArrayList<>();
        Runs runs = sources.runs().get();
        if (runs != null) {
            TROUBLED.forEach(state -> addRuns(troubles, runs, state));
        }
        addClaims(troubles, at);
        addWork(troubles);
        addDeliveries(troubles);
        addSchedules(troubles);
        addQueues(troubles);
        addPauses(troubles, Pause.Kind.RUN, "kind-paused");
        addPauses(troubles, Pause.Kind.JANITOR, "janitor-paused");
        if (runs != null) {
            addRuns(troubles, runs, RunState.FAILED);
            for (RunState state : RunState.values()) {
                RunCount count = runs.count(RunQuery.all().in(state));
                if (count.number() > 0) {
                    counts.add(new StateCount(state, count.number(), count.isMore()));
                }
            }
        }
        if (!troubles.isEmpty()) {
            wellSince = null;
        } else if (wellSince == null) {
            wellSince = at;
        }
        return new Sample(at, wellSince, troubles, counts);
    }

    private static void addRuns(List<Trouble> troubles, Runs runs, RunState state) {
        RunQuery query = RunQuery.all().in(state).latest(EXAMPLES);
        List<RunView> found = runs.list(query);
        if (!found.isEmpty()) {
            RunCount count = runs.count(query);
            troubles.add(new Trouble(
                    "run-" + state.text().replace('_', '-'),
                    count.number(),
                    count.isMore(),
                    null,
                    found.stream()
                            .map(each -> new Example("run", each.id().toString(), each.run(), each.since()))
                            .toList(),
                    Map.of("view", "runs", "state", state.text())));
        }
    }

    /** A claim is in trouble if its owner has not renewed it for long. */
    private void addClaims(List<Trouble> troubles, Instant at) {
        ClaimService claims = sources.claims().get();
        if (claims == null) {
            return;
        }
        var silent = claims.list(MOST).stream()
                .filter(each -> each.silentFor().compareTo(SILENT) > 0)
                .toList();
        add(
                troubles,
                "claim-silent",
                silent.size(),
                silent.isEmpty() ? null : silent.get(0).claimedAt(),
                silent.stream()
                        .limit(EXAMPLES)
                        .map(each -> new Example("claims", each.id(), each.entity(), at.minus(each.silentFor())))
                        .toList(),
                "claims");
    }

    private void addWork(List<Trouble> troubles) {
        DueWork work = sources.work().get();
        if (work == null) {
            return;
        }
        List<DueWork.Parked> parked = work.parked(null, EXAMPLES);
        add(
                troubles,
                "work-parked",
                parked.isEmpty() ? 0 : work.countParked(),
                parked.isEmpty() ? null : parked.get(0).since(),
                parked.stream()
                        .map(each -> new Example("work", Long.toString(each.id()), each.kind(), each.since()))
                        .toList(),
                "work");
        List<DueWork.Unhandled> unhandled = work.unhandled(null, MOST);
        add(
                troubles,
                "work-unhandled",
                unhandled.size(),
                unhandled.isEmpty() ? null : unhandled.get(0).dueSince(),
                unhandled.stream()
                        .limit(EXAMPLES)
                        .map(each -> new Example("work", Long.toString(each.id()), each.kind(), each.dueSince()))
                        .toList(),
                "work");
    }

    private void addDeliveries(List<Trouble> troubles) {
        Deliveries deliveries = sources.deliveries().get();
        if (deliveries == null) {
            return;
        }
        List<ListenerBacklog> parked =
                deliveries.backlog().stream().filter(each -> each.parked() > 0).toList();
        add(
                troubles,
                "delivery-parked",
                parked.stream().mapToInt(ListenerBacklog::parked).sum(),
                null,
                parked.stream()
                        .limit(EXAMPLES)
                        .map(each -> new Example("deliveries", each.listener(), each.listener(), null))
                        .toList(),
                "deliveries");
    }

    private void addSchedules(List<Trouble> troubles) {
        Schedules schedules = sources.schedules().get();
        if (schedules == null) {
            return;
        }
        var paused = schedules.list().stream().filter(each -> each.paused()).toList();
        add(
                troubles,
                "schedule-paused",
                paused.size(),
                null,
                paused.stream()
                        .limit(EXAMPLES)
                        .map(each -> new Example("schedules", each.name(), each.name(), each.pausedAt()))
                        .toList(),
                "schedules");
    }

    private void addQueues(List<Trouble> troubles) {
        RunEngine engine = sources.engine().get();
        if (engine == null) {
            return;
        }
        List<QueueDepth> paused =
                engine.queueDepths().stream().filter(QueueDepth::isPaused).toList();
        add(
                troubles,
                "queue-paused",
                paused.size(),
                null,
                paused.stream()
                        .limit(EXAMPLES)
                        .map(each -> new Example(
                                "queues",
                                each.queue(),
                                each.queue(),
                                each.pause() == null ? null : each.pause().at()))
                        .toList(),
                "queues");
    }

    private void addPauses(List<Trouble> troubles, Pause.Kind kind, String trouble) {
        Pauses pauses = sources.pauses();
        List<Pause> paused = pauses == null
                ? List.of()
                : pauses.all().stream().filter(each -> each.kind() == kind).toList();
        add(
                troubles,
                trouble,
                paused.size(),
                null,
                paused.stream()
                        .limit(EXAMPLES)
                        .map(each -> new Example("kinds", each.name(), each.name(), each.at()))
                        .toList(),
                "kinds");
    }

    private static void add(
            List<Trouble> troubles,
            String kind,
            int count,
            @Nullable Instant oldest,
            List<Example> examples,
            String view) {
        if (count > 0) {
            troubles.add(new Trouble(kind, count, count == MOST, oldest, examples, Map.of("view", view)));
        }
    }
}
