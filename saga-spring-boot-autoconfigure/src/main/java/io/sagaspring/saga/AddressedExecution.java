package io.sagaspring.saga;

import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An execution to which a callback or a signal is sent, as it was when it was read.
 *
 * @param row the run of the execution
 * @param plan the saga
 * @param history the supplier of the history, which may be read later than the row
 * @param isRead true if the history has already been read
 */
record AddressedExecution(RunRow row, SagaPlan<?> plan, Supplier<ExecutionHistory> history, boolean isRead) {

    static AddressedExecution of(ExecutionHistory history) {
        return new AddressedExecution(history.row(), history.plan(), () -> history, true);
    }

    /** Returns true if the condition of a step was false. The history is not read if the step has no condition. */
    boolean isSkipped(PlannedStep<?> step) {
        return step.condition() != null && history.get().isSkipped(step);
    }

    /**
     * Returns how long a step had waited, or null if it did not wait. If the history has not been read, returns the time
     * for which the execution had waited.
     */
    @Nullable
    Duration waited(PlannedStep<?> step) {
        Instant since = isRead
                ? history.get().of(step).view().waitingSince()
                : row.state() == RunState.WAITING ? row.since() : null;
        return since == null ? null : Durations.since(since);
    }
}
