package io.sagaspring.operations;

import io.sagaspring.operations.OperationResult.Result;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a bulk operation. It counts what was done, also if it ends with an exception. */
final class BulkPass {

    private final Map<Result, Integer> tally = new EnumMap<>(Result.class);
    private final BiFunction<RunId, Integer, List<RunView>> runsBefore;
    private final Function<RunId, Result> change;
    private int left;
    private int failed;
    private @Nullable RunId next;

    /**
     * Creates a pass.
     *
     * @param most the largest number of runs to change
     * @param next the id before which the pass begins; ids descend
     * @param runsBefore lists the runs before an id, at most as many as the second argument says
     * @param change changes a run
     */
    BulkPass(
            int most,
            RunId next,
            BiFunction<RunId, Integer, List<RunView>> runsBefore,
            Function<RunId, Result> change) {
        this.left = most;
        this.next = next;
        this.runsBefore = runsBefore;
        this.change = change;
    }

    void changeAll() {
        while (next != null && left > 0) {
            int most = Math.min(BulkOperations.SLICE, left);
            List<RunView> slice = runsBefore.apply(next, most);
            slice.forEach(each -> changeOne(each.id()));
            if (slice.size() < most) {
                next = null;
            }
        }
        if (next != null && runsBefore.apply(next, 1).isEmpty()) {
            next = null;
        }
    }

    private void changeOne(RunId run) {
        // The next call continues behind this run, even if the change throws an exception.
        next = run;
        left--;
        failed++;
        tally.merge(change.apply(run), 1, Integer::sum);
        failed--;
    }

    boolean isUntouched() {
        return tally.isEmpty() && failed == 0;
    }

    @Nullable
    RunId next() {
        return next;
    }

    BulkResult result() {
        return BulkResult.of(
                tally.getOrDefault(Result.ACCEPTED, 0),
                tally.getOrDefault(Result.REFUSED, 0),
                tally.getOrDefault(Result.UNKNOWN, 0),
                failed,
                next);
    }
}
