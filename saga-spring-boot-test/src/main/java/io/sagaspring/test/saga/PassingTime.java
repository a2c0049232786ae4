package io.sagaspring.test.saga;

import io.sagaspring.fence.DurationText;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Lets time pass in a test: moves the clock from one due time to the next, and executes the runs that become due. */
final class PassingTime {

    /** A caller with a longer time-out counts as one that waits for ever. */
    private static final Duration FOR_EVER = Duration.ofDays(3_650);

    private final Nodes nodes;
    private final SagaClock clock;

    PassingTime(Nodes nodes, SagaClock clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    /** Lets the time pass. */
    void pass(Duration time) {
        passTheRest(toDueRuns(time, () -> false));
    }

    /**
     * Lets time pass while a caller waits for a run, until the run has ended or the time-out has passed. Returns the remaining time, which
     * is always zero.
     */
    Duration await(RunId id, Duration timeout) {
        Duration remaining = toDueRuns(timeout.isNegative() ? Duration.ZERO : timeout, () -> isOver(nodes.view(id)));
        RunView view = nodes.view(id);
        if (view.state().isEnd()) {
            return Duration.ZERO;
        }
        if (timeout.compareTo(FOR_EVER) > 0) {
            throw new AssertionError(
                    "The run waits, and nothing in this test ends its wait, so the caller would wait for ever. Pass a time-out to the call, or start the run with RunScenario, and let the test cause the event for which the run waits.%n%s"
                            .formatted(RunText.of(view)));
        }
        passTheRest(remaining);
        return Duration.ZERO;
    }

    private static boolean isOver(RunView view) {
        return view.state().isEnd() || view.state().waitsForAPerson();
    }

    private void passTheRest(Duration remaining) {
        clock.advance(remaining);
        nodes.runWhatIsDue();
    }

    /**
     * Executes each run when it becomes due. Stops when no further run becomes due within the time, or when {@code
     * enough} is true. Returns the remaining time.
     */
    private Duration toDueRuns(Duration time, BooleanSupplier enough) {
        nodes.runWhatIsDue();
        Duration remaining = time;
        for (int moment = 0; !enough.getAsBoolean(); moment++) {
            Optional<Duration> due = nodes.untilDue(remaining);
            if (due.isEmpty()) {
                break;
            }
            if (moment == Nodes.MAX_ACTIVATIONS) {
                throw new AssertionError(
                        "Within %s, runs became due more than %d times, so an execution does not end. Unfinished runs: %s"
                                .formatted(DurationText.of(time), Nodes.MAX_ACTIVATIONS, nodes.unfinishedRuns()));
            }
            Duration until = due.get().isNegative() ? Duration.ZERO : due.get();
            clock.advance(until);
            remaining = remaining.minus(until);
            nodes.runWhatIsDue();
        }
        return remaining;
    }
}
