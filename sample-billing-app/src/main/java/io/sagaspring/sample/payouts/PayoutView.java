package io.sagaspring.sample.payouts;

import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.saga.StepError;
import io.sagaspring.saga.StepState;
import io.sagaspring.sample.simulation.TroubleException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A payout as clients see it. */
record PayoutView(String runId, RunState state, String tenant, String reference, List<Step> steps) {

    private static final String FAILED_ATTEMPT = "attempt_failed";
    private static final String SIMULATED = TroubleException.class.getName() + ": ";

    record Step(
            String name,
            StepState state,
            int attempt,
            @Nullable StepError error) {}

    static PayoutView of(RunView run, String tenant, String reference) {
        return new PayoutView(run.id().toString(), run.state(), tenant, reference, List.of(transfer(run)));
    }

    /** Returns the number of the current attempt, while the step is being executed. */
    static int attempts(RunView run) {
        return failures(run).size() + 1;
    }

    private static List<String> failures(RunView run) {
        return entries(run)
                .filter(entry -> entry.mark().equals(FAILED_ATTEMPT))
                .map(entry -> String.valueOf(entry.detail()))
                .toList();
    }

    private static Stream<RunView.StepView> entries(RunView run) {
        return run.steps().stream().filter(entry -> entry.step().equals(PayOut.TRANSFER));
    }

    private static Step transfer(RunView run) {
        List<String> failures = failures(run);
        StepState state = state(run);
        boolean waits = state == StepState.PENDING || state == StepState.CANCELLED;
        int attempt = failures.size() + (waits ? 0 : 1);
        String failure = state == StepState.FAILED
                ? run.error()
                : state == StepState.COMPLETED || failures.isEmpty() ? null : failures.get(failures.size() - 1);
        return new Step(PayOut.TRANSFER, state, attempt, failure == null ? null : forClients(failure));
    }

    private static StepState state(RunView run) {
        if (entries(run).anyMatch(entry -> entry.mark().equals("done"))) {
            return StepState.COMPLETED;
        }
        return switch (run.state()) {
            case RUNNING -> StepState.RUNNING;
            case FAILED -> StepState.FAILED;
            case CANCELLED -> StepState.CANCELLED;
            default -> StepState.PENDING;
        };
    }

    /**
     * Replaces the text of an exception that was not simulated, because the text may contain SQL and belongs in the
     * logs.
     */
    private static StepError forClients(String failure) {
        int start = failure.indexOf(SIMULATED);
        return start < 0
                ? new StepError("error", "The step failed. Only the application's log shows the cause.")
                : new StepError(
                        "simulated",
                        failure.substring(start + SIMULATED.length())
                                .lines()
                                .findFirst()
                                .orElse(""));
    }
}
