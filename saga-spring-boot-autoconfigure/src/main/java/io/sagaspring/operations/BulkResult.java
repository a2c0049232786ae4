package io.sagaspring.operations;

import io.sagaspring.run.RunId;
import org.jspecify.annotations.Nullable;

/**
 * The result of an operation on many runs.
 *
 * @param operation the result as a whole: unknown if the query selects no run any more, otherwise accepted
 * @param done the number of runs for which the operation was done
 * @param refused the number of runs whose state did not allow the operation
 * @param unknown the number of runs that were removed meanwhile
 * @param failed 1 if the operation stopped because the change of a run threw an exception, otherwise 0
 * @param next the value with which the next call continues, or null if no run is left
 * @since 0.1.0
 */
public record BulkResult(
        OperationResult operation,
        int done,
        int refused,
        int unknown,
        int failed,
        @Nullable RunId next) {

    static BulkResult of(int done, int refused, int unknown, int failed, @Nullable RunId next) {
        String message = "Changed: %s. Refused: %s. Removed meanwhile: %s.%s"
                .formatted(
                        done,
                        refused,
                        unknown,
                        failed == 0
                                ? ""
                                : " The change of the next run failed, and the operation stopped. The entry of this run in the audit names the cause.");
        OperationResult operation = done + refused + unknown + failed == 0
                ? OperationResult.unknown("The query selects no run any more. Nothing was changed.")
                : OperationResult.accepted(message);
        return new BulkResult(operation, done, refused, unknown, failed, next);
    }
}
