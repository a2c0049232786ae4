package io.sagaspring.dashboard;

import io.sagaspring.operations.AuditEntry;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.AuditQuery;
import io.sagaspring.operations.OperationPerformed;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the operations that people have performed. */
final class AuditReading {

    static final Set<String> PARAMETERS =
            Set.of("kind", "target", "tenant", "operator", "operation", "before", "limit");

    /** The largest number of operations on the page of one object. */
    private static final int OF_ONE = 20;

    private final DashboardSources sources;

    AuditReading(DashboardSources sources) {
        this.sources = sources;
    }

    /** A page of operations, latest first. */
    record Listed(List<Item> items, @Nullable String next) {}

    /** An operation. */
    record Item(
            String id,
            Instant at,
            @Nullable String operator,
            String access,
            String operation,
            String kind,
            String target,
            @Nullable String tenant,
            @Nullable String reason,
            String outcome,
            String message) {

        static Item of(AuditEntry entry) {
            OperationPerformed performed = entry.operation();
            return new Item(
                    Long.toString(entry.id()),
                    entry.at(),
                    performed.operator().name(),
                    performed.operator().access().text(),
                    performed.operation(),
                    performed.target().kind(),
                    performed.target().id(),
                    performed.target().tenant(),
                    performed.reason(),
                    performed.outcome().text(),
                    performed.message());
        }
    }

    @Nullable
    Object list(DashboardQuery query) {
        AuditLog audit = sources.find(AuditLog.class);
        if (audit == null) {
            return null;
        }
        int limit = query.limit();
        List<Item> found =
                audit.list(asked(query, limit + 1)).stream().map(Item::of).toList();
        List<Item> items = found.stream().limit(limit).toList();
        return new Listed(items, found.size() > limit ? items.get(limit - 1).id() : null);
    }

    /** Lists the latest operations on one object. */
    List<Item> of(String kind, String id) {
        AuditLog audit = sources.find(AuditLog.class);
        return audit == null
                ? List.of()
                : audit.list(AuditQuery.latest(OF_ONE).on(kind, id)).stream()
                        .map(Item::of)
                        .toList();
    }

    private static AuditQuery asked(DashboardQuery query, int limit) {
        String target = query.nonEmpty("target");
        String kind = query.nonEmpty("kind");
        if (target != null && kind == null) {
            throw ProblemException.badRequest(
                    "The parameter 'target' needs the parameter 'kind', because an id is unique only among the objects of one kind.");
        }
        return new AuditQuery(
                kind,
                target,
                query.nonEmpty("tenant"),
                query.nonEmpty("operator"),
                query.nonEmpty("operation"),
                query.read("before", Long::valueOf, "Use the value of 'next' in the previous answer."),
                limit);
    }
}
