package io.sagaspring.actuate;

import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * The parameters of a request that lists runs. Each parameter may be missing.
 *
 * @param run the name of the runs' code
 * @param state the state of the runs
 * @param key the key that a run was started with
 * @param tenant the tenant of the runs, or an empty string for runs of no tenant
 * @param olderThan the minimum time that the runs have been in their state
 * @param before the id of a run, to list only runs that are older
 * @param limit the largest number of runs to list
 * @param label a label, or several labels in a collection, each as a name and a value with a colon between them
 * @param node the node that executes the runs
 * @param startedFrom the earliest time of the start
 * @param startedBefore the time before which the runs were started
 */
record RunFilter(
        @Nullable String run,
        @Nullable String state,
        @Nullable String key,
        @Nullable String tenant,
        @Nullable String olderThan,
        @Nullable String before,
        @Nullable Integer limit,
        @Nullable Object label,
        @Nullable String node,
        @Nullable String startedFrom,
        @Nullable String startedBefore) {

    private static final String A_TIME = "Write a time in UTC, such as 2026-11-25T08:00:00Z.";

    RunQuery query() {
        Set<RunState> states =
                state == null ? Set.of() : Set.of(BadRequest.read(state, RunState::of, "Set 'state' to one of these."));
        Duration age = olderThan == null
                ? null
                : BadRequest.read(olderThan, RunFilter::age, "Write a duration such as 10m or PT10M.");
        RunId than = before == null ? null : BadRequest.read(before, RunId::of, RunsEndpoint.AN_ID);
        if (key != null && run == null) {
            throw BadRequest.because(
                    "The key '%s' was given without the name of a run. A key is unique only among the runs of one name. Give the name in the parameter 'run'."
                            .formatted(key));
        }
        int most = Given.limit(limit);
        RunQuery query = new RunQuery(
                        Given.text("run", run),
                        Given.text("key", key),
                        Given.text("tenant", tenant),
                        states,
                        age,
                        than,
                        most)
                .startedBetween(timeOrNull(startedFrom), timeOrNull(startedBefore));
        String executing = Given.text("node", node);
        query = executing == null ? query : query.on(executing);
        for (Object each : labels()) {
            query = withLabel(query, String.valueOf(each));
        }
        return query;
    }

    private Collection<?> labels() {
        if (label == null) {
            return List.of();
        }
        return label instanceof Collection<?> several ? several : List.of(label);
    }

    private static RunQuery withLabel(RunQuery query, String label) {
        int end = label.indexOf(':');
        if (end < 0) {
            throw BadRequest.because(
                    "'%s' is not a label. Write the name and the value with a colon between them, such as customer:42."
                            .formatted(label));
        }
        try {
            return query.withLabel(label.substring(0, end), label.substring(end + 1));
        } catch (InvalidNameException refused) {
            throw BadRequest.because(String.valueOf(refused.getMessage()));
        }
    }

    private static @Nullable Instant timeOrNull(@Nullable String text) {
        return text == null ? null : BadRequest.read(text, RunFilter::time, A_TIME);
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException unreadable) {
            throw new IllegalArgumentException("It is not a time", unreadable);
        }
    }

    private static Duration age(String text) {
        Duration age = DurationStyle.detectAndParse(text);
        if (age.isNegative()) {
            throw new IllegalArgumentException("The age must not be negative");
        }
        return age;
    }
}
