package io.sagaspring.dashboard;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.due.DueWork;
import io.sagaspring.jdbc.TimePlace;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.listener.ListenerBacklog;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunEngine;
import io.sagaspring.schedule.ScheduleView;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.workflow.Workflows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the lists of everything except runs. */
final class ListReading {

    private final DashboardSources sources;

    ListReading(DashboardSources sources) {
        this.sources = sources;
    }

    /** A list. It is complete unless {@code more} is true. */
    record Listed<T>(List<T> items, boolean more) {

        static <T> Listed<T> all(List<T> found) {
            return new Listed<>(found, false);
        }
    }

    /** A workflow with the edges of its diagram. */
    record WorkflowItem(String name, String module, String entity, List<String> states, List<Edge> edges) {

        static WorkflowItem of(WorkflowDefinition workflow) {
            return new WorkflowItem(
                    workflow.name(),
                    workflow.module(),
                    workflow.entity(),
                    workflow.statusTypes(),
                    workflow.steps().stream().flatMap(Edge::of).toList());
        }
    }

    /** One way from a state to another. */
    record Edge(
            String from, String to, String step, @Nullable String claim, String by) {

        /** Each requester that the step names has an edge of its own. All others share the edge of {@code any}. */
        static Stream<Edge> of(StepDefinition step) {
            Map<String, StepDefinition.ClaimPair> claims = step.claimState().entries();
            Map<String, String> successes = step.successfulState().entries();
            return Stream.concat(successes.keySet().stream(), claims.keySet().stream())
                    .distinct()
                    .map(by -> new Edge(
                            step.status(),
                            Objects.requireNonNull(successes.getOrDefault(by, successes.get("any"))),
                            step.key(),
                            claims.containsKey(by) ? claims.get(by).into() : null,
                            by));
        }
    }

    @Nullable
    Object workflows() {
        Workflows workflows = sources.find(Workflows.class);
        return workflows == null
                ? null
                : Listed.all(
                        workflows.definitions().stream().map(WorkflowItem::of).toList());
    }

    /** A claim. */
    record ClaimItem(@JsonUnwrapped ClaimedRow claim, List<String> operations) {}

    @Nullable
    Object claims(DashboardQuery query) {
        ClaimService claims = sources.find(ClaimService.class);
        if (claims == null) {
            return null;
        }
        int limit = query.limit();
        String tenant = query.text("tenant");
        List<ClaimedRow> found = query.nonEmpty("after") == null
                ? claims.listBySilence(tenant, limit + 1)
                : query.read("after", after -> claims.listBySilence(tenant, after, limit + 1), LockReading.NEXT);
        return Paged.of(
                Objects.requireNonNull(found),
                limit,
                ClaimedRow::place,
                each -> new ClaimItem(each, query.offered("claim.release")));
    }

    /** A piece of background work that waits for a person. It is parked, or it has no handler on this node. */
    record WorkItem(
            String id,
            String kind,
            String key,
            @Nullable String tenant,
            int attempt,
            Instant since,
            @Nullable String lastError,
            boolean handled,
            List<String> operations) {

        static WorkItem of(DueWork.Parked work, DashboardQuery query) {
            return new WorkItem(
                    Long.toString(work.id()),
                    work.kind(),
                    work.key(),
                    work.tenant(),
                    work.attempts(),
                    work.since(),
                    work.lastError(),
                    true,
                    query.offered("work.retry", "work.give-up"));
        }

        static WorkItem of(DueWork.Unhandled work, DashboardQuery query) {
            return new WorkItem(
                    Long.toString(work.id()),
                    work.kind(),
                    work.key(),
                    work.tenant(),
                    work.attempts(),
                    work.dueSince(),
                    null,
                    false,
                    query.offered("work.give-up"));
        }
    }

    @Nullable
    Object work(DashboardQuery query) {
        DueWork work = sources.find(DueWork.class);
        if (work == null) {
            return null;
        }
        WorkPlace after = query.read("after", WorkPlace::read, LockReading.NEXT);
        int most = query.limit() + 1;
        String tenant = query.text("tenant");
        List<PlacedWork> found = new ArrayList<>();
        if (after == null || after.isParked()) {
            work.parked(tenant, after == null ? null : after.place(), most)
                    .forEach(each -> found.add(new PlacedWork("p" + each.place(), WorkItem.of(each, query))));
        }
        work.unhandled(tenant, after == null || after.isParked() ? null : after.place(), most)
                .forEach(each -> found.add(new PlacedWork("u" + each.place(), WorkItem.of(each, query))));
        return Paged.of(found, query.limit(), PlacedWork::place, PlacedWork::item);
    }

    private record PlacedWork(String place, WorkItem item) {}

    /** A place in the list of background work. Parked work comes first, then work without a handler. */
    private record WorkPlace(boolean isParked, String place) {

        static WorkPlace read(String text) {
            if (!text.startsWith("p") && !text.startsWith("u")) {
                throw new IllegalArgumentException(text);
            }
            String place = TimePlace.read(text.substring(1)).text();
            return new WorkPlace(text.startsWith("p"), place);
        }
    }

    /** A delivery of a durable listener. */
    record DeliveryItem(
            String id,
            String listener,
            String event,
            @Nullable String key,
            @Nullable String tenant,
            String state,
            int attempt,
            Instant publishedAt,
            Instant dueAt,
            @Nullable String node,
            @Nullable String lastError,
            List<String> operations) {

        static DeliveryItem of(DeliveryView view, DashboardQuery query) {
            return new DeliveryItem(
                    Long.toString(view.id()),
                    view.listener(),
                    view.event(),
                    view.orderKey(),
                    view.tenant(),
                    view.state().name().toLowerCase(Locale.ROOT),
                    view.attempts(),
                    view.publishedAt(),
                    view.dueAt(),
                    view.node(),
                    view.lastError(),
                    view.state() == DeliveryState.DELIVERING
                            ? List.of()
                            : query.offered("delivery.retry", "delivery.give-up"));
        }
    }

    /** Deliveries, oldest first, and all listeners that have any. */
    record DeliveriesListed(
            List<DeliveryItem> items, @Nullable String next, List<ListenerBacklog> listeners) {}

    @Nullable
    Object deliveries(DashboardQuery query) {
        Deliveries deliveries = sources.find(Deliveries.class);
        if (deliveries == null) {
            return null;
        }
        int limit = query.limit();
        DeliveryState state = query.read(
                "state",
                text -> DeliveryState.valueOf(text.toUpperCase(Locale.ROOT)),
                "Use waiting, delivering, retrying or parked.");
        String key = query.nonEmpty("key");
        String tenant = query.text("tenant");
        Paged<DeliveryItem> page = Paged.of(
                deliveries.find(new DeliveryQuery(
                        query.nonEmpty("listener"),
                        key,
                        key == null ? tenant : tenantOfKey(tenant),
                        state,
                        query.read("after", Long::valueOf, LockReading.NEXT),
                        limit + 1)),
                limit,
                each -> Long.toString(each.id()),
                each -> DeliveryItem.of(each, query));
        return new DeliveriesListed(page.items(), page.next(), deliveries.backlog());
    }

    /** A key is unique only within a tenant. Together, they are in an index. */
    private String tenantOfKey(@Nullable String tenant) {
        Tenants tenants = sources.find(Tenants.class);
        if (tenant == null && tenants != null && !tenants.areNone()) {
            throw ProblemException.badRequest(
                    "The parameter 'key' needs the parameter 'tenant', because a key is unique only within a tenant. Use an empty value for no tenant.");
        }
        return tenant == null ? "" : tenant;
    }

    /** A schedule. */
    record ScheduleItem(ScheduleView schedule, List<Instant> next, List<String> operations) {}

    @Nullable
    Object schedules(DashboardQuery query) {
        Schedules schedules = sources.find(Schedules.class);
        if (schedules == null) {
            return null;
        }
        return Listed.all(schedules.list().stream()
                .map(each -> new ScheduleItem(
                        each,
                        each.next() == null ? List.of() : List.of(each.next()),
                        each.known()
                                ? query.offered(
                                        each.paused() ? "schedule.resume" : "schedule.pause",
                                        "schedule.trigger",
                                        "schedule.backfill")
                                : query.offered("schedule.remove")))
                .toList());
    }

    /** A queue. */
    record QueueItem(
            String name,
            boolean declared,
            int limit,
            @Nullable Integer perKey,
            @Nullable String rate,
            int inUse,
            int waiting,
            Duration oldestWaiting,
            QueueDepth.@Nullable Decision pause,
            QueueDepth.@Nullable Decision change,
            List<String> operations) {

        static QueueItem of(QueueDepth depth, Set<String> declared, DashboardQuery query) {
            return new QueueItem(
                    depth.queue(),
                    declared.contains(depth.queue()),
                    depth.limits().atOnce(),
                    depth.limits().atOnceForEach(),
                    depth.limits().starts() == null
                            ? null
                            : depth.limits().starts().toString(),
                    depth.inUse(),
                    depth.waiting(),
                    depth.oldest(),
                    depth.pause(),
                    depth.change(),
                    !declared.contains(depth.queue())
                            ? List.of()
                            : query.offered(depth.isPaused() ? "queue.resume" : "queue.pause", "queue.limits"));
        }
    }

    @Nullable
    Object queues(DashboardQuery query) {
        RunEngine engine = sources.find(RunEngine.class);
        if (engine == null) {
            return null;
        }
        Set<String> declared = engine.queueNames();
        return Listed.all(engine.queueDepths().stream()
                .map(each -> QueueItem.of(each, declared, query))
                .toList());
    }
}
