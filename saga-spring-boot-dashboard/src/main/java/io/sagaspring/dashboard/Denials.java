package io.sagaspring.dashboard;

import io.sagaspring.operations.Audit;
import io.sagaspring.operations.OperationTarget;
import io.sagaspring.operations.Operator;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Puts requests into the audit that were denied before their operation began. */
final class Denials {

    private static final String UNREADABLE = "unreadable";

    private final DashboardSources sources;
    private final Set<String> operations;

    Denials(DashboardSources sources, Set<String> operations) {
        this.sources = sources;
        this.operations = operations;
    }

    /** Records a denied request. The request is null if it cannot be read. A name that is no operation is not kept. */
    void record(@Nullable OperationRequest request, Operator operator, String why) {
        Audit audit = sources.find(Audit.class);
        if (audit == null) {
            return;
        }
        String operation = request == null ? null : request.ifText("operation");
        if (request == null || operation == null || !operations.contains(operation)) {
            audit.deny(UNREADABLE, new OperationTarget("request", "operations", null), operator, why);
        } else {
            audit.deny(operation, target(operation, request), operator, why);
        }
    }

    /** The kind of the object is the part of the operation before the dot. A claim has an entity in addition. */
    private static OperationTarget target(String operation, OperationRequest request) {
        String named = Stream.of("entity", "id", "name")
                .map(request::ifText)
                .filter(Objects::nonNull)
                .collect(Collectors.joining(" "));
        return new OperationTarget(
                operation.substring(0, operation.indexOf('.')),
                named.isEmpty() ? "?" : named,
                request.ifText("tenant"));
    }
}
