package io.sagaspring.dashboard;

import io.sagaspring.due.DueWork;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.ReadLimit;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.Operator;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.workflow.Workflows;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.security.Principal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** Reads the data of the dashboard and writes it as JSON. The settings of the application's mapper have no effect. */
final class DashboardApi {

    /** The largest number of ended runs that are read for one interval of the trends. */
    private static final int MOST_ENDED = 10_000;

    /** Writes tokens as texts, because a number of JavaScript cannot hold every token. */
    private final JsonMapper mapper = JsonMapper.builder()
            .addModule(new SimpleModule().addSerializer(FencingToken.class, ToStringSerializer.instance))
            .build();

    private final DashboardSources sources;
    private final DatabaseClock clock;
    private final DashboardSettings settings;
    private final Operating operating;
    private final PayloadReading payloads;
    private final Content description = OpenApi.load();
    private final Denials denials;
    private final Map<String, Route> routes = new LinkedHashMap<>();

    /** Reads the data of one address. */
    @FunctionalInterface
    interface Reading {

        /** Returns the data, or null if the application does not use the capability. */
        @Nullable
        Object of(DashboardQuery query);
    }

    private record Route(Reading reading, Set<String> parameters) {}

    DashboardApi(DashboardSources sources, OwnTransactions own, DashboardSettings settings, BacklogHistory backlog) {
        this.sources = sources;
        this.clock = new DatabaseClock(own);
        this.settings = settings;
        this.operating = new Operating(sources);
        this.payloads = new PayloadReading(sources, own, settings.payloads());
        AuditReading audit = new AuditReading(sources);
        KindCounting kinds = new KindCounting(sources, settings.statementTimeout());
        RunReading runs = new RunReading(sources, audit, kinds, new RunWaits(sources, own));
        this.denials = new Denials(sources, operating.names());
        ListReading lists = new ListReading(sources);
        Trends trends = new Trends(
                sources, new EndedRuns(sources, own, MOST_ENDED), backlog, settings.statementTimeout(), clock::now);
        Overview overview = new Overview(sources, kinds, trends, clock::now);
        add("overview", query -> overview.latest());
        add("runs", runs::list, RunReading.PARAMETERS);
        add("run", runs::find, Set.of("id"));
        add("workflows", query -> lists.workflows());
        add("claims", lists::claims, Set.of("tenant", "after", "limit"));
        add("entity", new EntityReading(sources)::find, EntityReading.PARAMETERS);
        add("work", lists::work, Set.of("tenant", "after", "limit"));
        add("deliveries", lists::deliveries, Set.of("listener", "state", "key", "tenant", "after", "limit"));
        add("schedules", lists::schedules);
        add("queues", lists::queues);
        add("bulk", new Bulk(sources)::preview, Bulk.parameters());
        add("kinds", new KindReading(sources)::list);
        LockReading locks = new LockReading(sources);
        add("leases", locks::leases, LockReading.LEASES);
        add("keys", locks::keys, LockReading.KEYS);
        add("nodes", new NodeReading(sources)::list);
        add("audit", audit::list, AuditReading.PARAMETERS);
    }

    private void add(String name, Reading reading) {
        add(name, reading, Set.of());
    }

    private void add(String name, Reading reading, Set<String> parameters) {
        routes.put(name, new Route(reading, parameters));
    }

    /** Returns the addresses of lists and objects, each with its parameters. */
    Map<String, Set<String>> addresses() {
        Map<String, Set<String>> found = new TreeMap<>();
        routes.forEach((name, route) -> found.put(name, route.parameters()));
        return found;
    }

    boolean isWritable() {
        return settings.access() == DashboardAccess.UNRESTRICTED;
    }

    Operating.Performed perform(HttpServletRequest request, @Nullable Principal person) throws IOException {
        return operating.perform(OperationRequest.of(request, mapper), operator(person));
    }

    /** Puts a request into the audit that was denied. An unreadable request was denied, too. */
    void deny(HttpServletRequest request, @Nullable Principal person, String why) throws IOException {
        OperationRequest read;
        try {
            read = OperationRequest.of(request, mapper);
        } catch (ProblemException unreadable) {
            read = null;
        }
        denials.record(read, operator(person), why);
    }

    private static Operator operator(@Nullable Principal person) {
        return new Operator(person == null ? null : person.getName(), Operator.Access.DASHBOARD);
    }

    boolean showsPayloads() {
        return settings.payloads() != PayloadVisibility.HIDDEN;
    }

    /** Reads the stored values of a run for a person who may see them. */
    Content payloads(HttpServletRequest request, @Nullable Principal person) {
        return read(query -> payloads.find(query, person), DashboardQuery.of(request, Set.of("id"), false));
    }

    Content answer(
            String name,
            HttpServletRequest request,
            @Nullable Principal person,
            boolean mayOperate,
            boolean maySeePayloads) {
        if (name.equals("me")) {
            DashboardQuery unused = DashboardQuery.of(request, Set.of(), mayOperate);
            return answer(new Me(
                    person == null ? null : person.getName(),
                    mayOperate ? "unrestricted" : "read-only",
                    maySeePayloads,
                    mayOperate ? CsrfHeader.of(request) : null,
                    capabilities()));
        }
        if (name.equals(OpenApi.NAME)) {
            DashboardQuery unused = DashboardQuery.of(request, Set.of(), mayOperate);
            return description;
        }
        Route route = routes.get(name);
        if (route == null) {
            throw ProblemException.notFound("The dashboard has no such address.");
        }
        return read(route.reading(), DashboardQuery.of(request, route.parameters(), mayOperate));
    }

    private Content read(Reading reading, DashboardQuery query) {
        return ReadLimit.within(settings.statementTimeout(), () -> {
            Object found = sources.ofAllTenants(() -> reading.of(query));
            if (found == null) {
                throw ProblemException.notFound("The application does not use this capability.");
            }
            return answer(found);
        });
    }

    /** The tag does not depend on the time of the answer. */
    private Content answer(Object found) {
        ObjectNode body = mapper.valueToTree(found);
        String tag = Tags.weak(mapper.writeValueAsBytes(body));
        Instant now = ReadLimit.within(settings.statementTimeout(), clock::now);
        return new Content("application/json", mapper.writeValueAsBytes(body.put("now", now.toString())), tag);
    }

    byte[] json(Object value) {
        return mapper.writeValueAsBytes(value);
    }

    /**
     * The current person and what the dashboard offers.
     *
     * @param user the name of the person, or null if the request is anonymous
     * @param access {@code unrestricted} if the person may perform operations, otherwise {@code read-only}
     * @param payloads true if the person may see inputs, results and signals
     * @param csrf the header that Spring Security expects in a write request, or null if it expects none
     */
    record Me(
            @Nullable String user,
            String access,
            boolean payloads,
            @Nullable CsrfHeader csrf,
            List<String> capabilities) {}

    private List<String> capabilities() {
        List<String> found = new ArrayList<>();
        add(found, "runs", sources.find(Runs.class));
        add(found, "sagas", sources.find(Sagas.class));
        add(found, "workflows", sources.find(Workflows.class));
        add(found, "schedules", sources.find(Schedules.class));
        add(found, "queues", sources.find(RunEngine.class));
        add(found, "listeners", sources.find(Deliveries.class));
        add(found, "work", sources.find(DueWork.class));
        add(found, "pauses", sources.find(Pauses.class));
        add(found, "leases", sources.find(StoredLeases.class));
        add(found, "keys", sources.find(StoredKeys.class));
        add(found, "audit", sources.find(AuditLog.class));
        return found;
    }

    private static void add(List<String> found, String name, @Nullable Object capability) {
        if (capability != null) {
            found.add(name);
        }
    }
}
