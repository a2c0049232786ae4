package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import org.jspecify.annotations.Nullable;

/** The end of a run, for a caller that waits for it. */
record RunEnd(
        RunId id,
        String run,
        RunState state,
        @Nullable StoredValue result,
        @Nullable String error,
        @Nullable String cancelReason) {

    static @Nullable RunEnd of(PickedUpRun pickedUp, Ending ending, @Nullable String cancelReason) {
        return ending.state().isEnd()
                ? new RunEnd(
                        pickedUp.runLease().id(),
                        pickedUp.run(),
                        ending.state(),
                        ending.result(),
                        ending.error(),
                        cancelReason)
                : null;
    }

    static @Nullable RunEnd of(RunRow row) {
        return row.state().isEnd()
                ? new RunEnd(row.id(), row.run(), row.state(), row.result(), row.error(), row.cancelReason())
                : null;
    }
}
