package io.sagaspring.actuate;

import io.sagaspring.operations.BulkAction;
import io.sagaspring.operations.BulkOperations.Confirmed;
import io.sagaspring.run.RunId;
import org.jspecify.annotations.Nullable;

/**
 * A request to change all runs that a filter selects. Each parameter may be missing.
 *
 * @param operation {@code retry}, {@code cancel} or {@code give-up}
 * @param filter the filter
 * @param latest the id of the first run in the list
 * @param count the number of runs, as the list has counted them
 * @param next the {@code next} of the previous answer
 * @param reason the reason
 */
record RunsChange(
        @Nullable String operation,
        RunFilter filter,
        @Nullable String latest,
        @Nullable Integer count,
        @Nullable String next,
        @Nullable String reason) {

    private static final String AN_OPERATION = "Write retry, cancel or give-up.";

    BulkAction action() {
        String text = Given.required("operation", operation, AN_OPERATION);
        return BulkAction.find("bulk." + text)
                .orElseThrow(
                        () -> BadRequest.because("'%s' is not an operation on runs. %s".formatted(text, AN_OPERATION)));
    }

    Confirmed confirmed() {
        return new Confirmed(
                filter.query(),
                BadRequest.read(
                        Given.required("latest", latest, "Copy the id of the first run in the list."),
                        RunId::of,
                        RunsEndpoint.AN_ID),
                Given.required("count", count, "Copy the number of runs from a list with count=true."),
                next == null ? null : BadRequest.read(next, RunId::of, Given.NEXT_PAGE),
                reason);
    }
}
