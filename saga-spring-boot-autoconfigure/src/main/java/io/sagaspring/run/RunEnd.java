package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run, for a caller that waits for it.
 *
 * @param returned the object that the code returned, or null if it returned none or this node did not execute the code
 */
record RunEnd(
        RunId id,
        String run,
        RunState state,
        @Nullable StoredValue result,
        @Nullable String error,
        @Nullable String cancelReason,
        @Nullable Object returned) {

    static @Nullable RunEnd of(PickedUpRun pickedUp, Exit.Ended exit, @Nullable String cancelReason) {
        Ending ending = exit.ending();
        return ending.state().isEnd()
                ? new RunEnd(
                        pickedUp.runLease().id(),
                        pickedUp.run(),
                        ending.state(),
                        ending.result(),
                        ending.error(),
                        cancelReason,
                        exit.returned())
                : null;
    }

    static @Nullable RunEnd of(RunRow row) {
        return row.state().isEnd()
                ? new RunEnd(row.id(), row.run(), row.state(), row.result(), row.error(), row.cancelReason(), null)
                : null;
    }
}
