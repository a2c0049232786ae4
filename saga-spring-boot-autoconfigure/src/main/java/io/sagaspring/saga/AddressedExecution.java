package io.sagaspring.saga;

import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An execution to which a callback or a signal is sent, as it was when it was read.
 *
 * @param row the run of the execution
 * @param plan the saga
 * @param history the supplier of the history, which may be read later than the row
 */
record AddressedExecution(RunRow row, SagaPlan<?> plan, Supplier<ExecutionHistory> history) {

    static AddressedExecution of(ExecutionHistory history) {
        return new AddressedExecution(history.row(), history.plan(), () -> history);
    }

    /** Returns true if the condition of a step was false. The history is not read if the step has no condition. */
    boolean isSkipped(PlannedStep<?> step) {
        return step.condition() != null && history.get().isSkipped(step);
    }

    /** Returns how long the execution had waited, or null if it did not wait. */
    @Nullable
    Duration waited() {
        return row.state() == RunState.WAITING ? Durations.since(row.since()) : null;
    }
}
