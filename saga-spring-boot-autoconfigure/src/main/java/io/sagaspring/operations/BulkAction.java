package io.sagaspring.operations;

import io.sagaspring.run.RunState;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The operations that a person can perform on all runs that a query selects.
 *
 * @since 0.1.0
 */
public enum BulkAction {
    /** Retries the runs. */
    RETRY,
    /** Cancels the runs. */
    CANCEL,
    /** Ends the runs without executing their code. */
    GIVE_UP;

    /** {@return the states of runs that the operation can accept} */
    public Set<RunState> states() {
        return switch (this) {
            case RETRY -> Set.of(RunState.FAILED, RunState.BLOCKED, RunState.PARKED, RunState.COMPENSATION_FAILED);
            case CANCEL ->
                Set.of(
                        RunState.PENDING,
                        RunState.RUNNING,
                        RunState.WAITING,
                        RunState.COMPENSATING,
                        RunState.BLOCKED,
                        RunState.PARKED,
                        RunState.IN_DOUBT);
            case GIVE_UP -> Set.of(RunState.BLOCKED, RunState.PARKED, RunState.IN_DOUBT, RunState.COMPENSATION_FAILED);
        };
    }

    /** {@return the name of the operation as the audit shows it, such as {@code bulk.give-up}} */
    public String text() {
        return "bulk." + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds an operation by its name.
     *
     * @param text the name, such as {@code bulk.give-up}
     * @return the operation, or empty if there is none with this name
     */
    public static Optional<BulkAction> find(String text) {
        return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
    }
}
