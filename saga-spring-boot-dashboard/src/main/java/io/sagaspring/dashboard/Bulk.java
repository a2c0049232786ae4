package io.sagaspring.dashboard;

import io.sagaspring.operations.BulkAction;
import io.sagaspring.operations.BulkOperations;
import io.sagaspring.operations.BulkOperations.Confirmed;
import io.sagaspring.operations.BulkOperations.Preview;
import io.sagaspring.operations.BulkResult;
import io.sagaspring.operations.InvalidOperationException;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;

/** Previews and performs operations on all runs that a query selects. */
final class Bulk {

    private final DashboardSources sources;

    Bulk(DashboardSources sources) {
        this.sources = sources;
    }

    static Set<String> parameters() {
        Set<String> all = new HashSet<>(RunReading.PARAMETERS);
        all.add("operation");
        return all;
    }

    /** The number of runs that a person would change, and some of them. */
    record Previewed(RunReading.Counted count, @Nullable RunId latest, List<Example> examples) {}

    /** One of these runs. */
    record Example(RunId id, String run) {}

    /** What an operation has changed. */
    record Answer(
            OperationResult.Result result,
            String message,
            int done,
            int refused,
            int unknown,
            int failed,
            @Nullable RunId next) {

        static Answer of(BulkResult result) {
            return new Answer(
                    result.operation().result(),
                    result.operation().message(),
                    result.done(),
                    result.refused(),
                    result.unknown(),
                    result.failed(),
                    result.next());
        }
    }

    @Nullable
    Object preview(DashboardQuery query) {
        BulkOperations operations = sources.find(BulkOperations.class);
        if (operations == null) {
            return null;
        }
        BulkAction action = query.read("operation", Bulk::action, "Use bulk.retry, bulk.cancel or bulk.give-up.");
        if (action == null) {
            throw ProblemException.badRequest("The parameter 'operation' is missing. Use bulk.retry, for example.");
        }
        try {
            Preview preview = operations.preview(action, asked(query));
            return new Previewed(
                    RunReading.Counted.of(preview.count()),
                    preview.latest(),
                    preview.examples().stream()
                            .map(each -> new Example(each.id(), each.run()))
                            .toList());
        } catch (InvalidOperationException invalid) {
            throw ProblemException.badRequest(String.valueOf(invalid.getMessage()));
        }
    }

    /** Refuses a key without the name of its code. The list searches each name for it, but one query cannot. */
    private static RunQuery asked(DashboardQuery query) {
        if (query.nonEmpty("key") != null && query.nonEmpty("run") == null) {
            throw ProblemException.badRequest(
                    "A bulk operation with the filter 'key' also needs the filter 'run', because a key belongs to the runs of one name. Add the name, or remove the key.");
        }
        return RunReading.asked(query);
    }

    private static BulkAction action(String text) {
        return BulkAction.find(text).orElseThrow(IllegalArgumentException::new);
    }

    /** Performs an operation. The request repeats the query as the address of the page has it, and the number of runs. */
    Answer perform(BulkAction action, OperationRequest request, Operator operator) {
        Confirmed confirmed = new Confirmed(
                asked(query(request.text("query"))),
                request.read("latest", RunId::of),
                request.integer("count"),
                request.textOrNull("next") == null ? null : request.read("next", RunId::of),
                request.textOrNull("reason"));
        return Answer.of(sources.operations(BulkOperations.class).perform(action, confirmed, operator));
    }

    private static DashboardQuery query(String text) {
        Map<String, String[]> values = new HashMap<>();
        try {
            MultiValueMap<String, String> raw = UriComponentsBuilder.newInstance()
                    .query(text.replace("+", "%20"))
                    .build()
                    .getQueryParams();
            raw.forEach((name, found) -> values.put(
                    name,
                    found.stream()
                            .map(each -> each == null ? "" : UriUtils.decode(each, "UTF-8"))
                            .toArray(String[]::new)));
        } catch (IllegalArgumentException malformed) {
            throw ProblemException.badRequest(
                    "The field 'query' cannot be decoded. Copy it from the address of the list.");
        }
        return DashboardQuery.of(values, RunReading.PARAMETERS, true);
    }
}
