package io.sagaspring.saga;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Mark;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The history of one step of an execution, read from the journal. */
final class StepHistory {

    private final ExecutionHistory history;
    private final PlannedStep<?> step;

    /** True if all earlier steps have completed, so that it is this step's turn. */
    private final boolean isReached;

    /** The number of the latest journaled attempt. */
    private final int attempt;

    private final Optional<JournalEntry> initiated;
    private final Optional<JournalEntry> stop;

    /** The entry that ended the latest attempt, if it has ended. */
    private final Optional<JournalEntry> end;

    /** The decision about the latest attempt, if the attempt failed. */
    private final Optional<Decision> decision;

    StepHistory(ExecutionHistory history, PlannedStep<?> step, boolean isReached) {
        this.history = history;
        this.step = step;
        this.isReached = isReached;
        int last = 0;
        while (history.isJournaled(JournalNames.attempt(step.name(), last + 1))) {
            last++;
        }
        this.attempt = last;
        this.initiated = step.kind() == PlannedStep.Kind.ASYNC
                ? history.last(JournalNames.attempt(step.name(), last)).filter(each -> each.mark() == Mark.DONE)
                : Optional.empty();
        this.end = history.last(lastId()).filter(this::isEnd).or(this::notFired);
        this.stop = stopped();
        this.decision = history.decision(step.name(), attempt);
    }

    /** Returns the failed entry of a fire-and-forget step whose run could not be started. */
    private Optional<JournalEntry> notFired() {
        return history.last(JournalNames.fired(step.name()))
                .filter(each -> each.mark() == Mark.FAILED && !ExecutionHistory.isStop(each));
    }

    /** Returns the name of the entry that ends the latest attempt. */
    private String lastId() {
        return step.kind() == PlannedStep.Kind.ASYNC && isWaited()
                ? JournalNames.callback(step.name(), attempt)
                : JournalNames.attempt(step.name(), attempt);
    }

    private boolean isWaited() {
        return initiated.isPresent() || cameFirst(attempt);
    }

    /** Returns true if a callback for an attempt was received, even if the code of that attempt failed. */
    private boolean cameFirst(int number) {
        return history.last(JournalNames.callback(step.name(), number))
                .filter(each ->
                        (each.mark() == Mark.DONE || each.mark() == Mark.REFUSED) && !ExecutionHistory.isStop(each))
                .isPresent();
    }

    private boolean isEnd(JournalEntry entry) {
        return switch (entry.mark()) {
            case FAILED, TIMED_OUT, REFUSED -> !ExecutionHistory.isStop(entry);
            case DONE ->
                switch (entry.call()) {
                    case STEP, TRANSACTIONAL_STEP -> true;
                    case SIGNAL -> callback(entry).endsWait();
                    default -> false;
                };
            default -> false;
        };
    }

    private Callback callback(JournalEntry entry) {
        return history.tree(entry).map(history::callback).orElseGet(Callback::nothing);
    }

    private Optional<JournalEntry> stopped() {
        return history.entries(JournalNames.condition(step.name())).stream()
                .filter(ExecutionHistory::isStop)
                .findFirst()
                .or(() -> stopOf(JournalNames.fired(step.name())))
                .or(() -> stopOf(JournalNames.attempt(step.name(), attempt)))
                .or(() -> stopOf(JournalNames.callback(step.name(), attempt)))
                .or(() -> stopOf(JournalNames.decision(step.name(), attempt)))
                .or(() -> stopOf(JournalNames.pauseBefore(step.name(), attempt + 1)));
    }

    private Optional<JournalEntry> stopOf(String id) {
        return history.last(id).filter(ExecutionHistory::isStop);
    }

    /** Returns true if it is the turn of the next step. */
    boolean isBehind() {
        return state() == StepState.COMPLETED || history.fired(step).isPresent();
    }

    StepView view() {
        Optional<JournalEntry> compensated = compensated();
        Optional<JournalEntry> waiting =
                history.last(lastId()).or(() -> initiated).filter(unused -> waits());
        return new StepView(
                step.name(),
                stateWithCompensation(),
                attempt,
                error(),
                trace(),
                attempt > 0 || isReached ? history.before(step) : null,
                waiting.map(JournalEntry::at).orElse(null),
                waiting.map(JournalEntry::until).orElse(null),
                history.heartbeatAt(step, attempt).orElse(null),
                isToBeTriedAgain() ? nextAttemptAt() : null,
                waits() || isToBeTriedAgain()
                        ? null
                        : end.or(() -> stop).map(JournalEntry::at).orElse(null),
                compensated.map(JournalEntry::at).orElse(null),
                compensated
                        .flatMap(each -> history.read(each, CompensationRecord.class))
                        .filter(CompensationRecord::empty)
                        .isPresent(),
                null);
    }

    private StepState stateWithCompensation() {
        if (isCompensated()) {
            return StepState.COMPENSATED;
        }
        return hasToBeCompensated() && (isCompensationBegun() || history.isCompensating(step))
                ? StepState.COMPENSATING
                : state();
    }

    private StepState state() {
        if (stop.isPresent()) {
            return stop.get().mark() == Mark.DONE ? StepState.CANCELLED : StepState.TIMED_OUT;
        }
        if (isToBeTriedAgain()) {
            return history.isExecuting() && !isPausing() ? StepState.RUNNING : StepState.PENDING;
        }
        if (failure().isPresent()) {
            return failure().get().isTimeout() ? StepState.TIMED_OUT : StepState.FAILED;
        }
        if (end.isPresent()) {
            return StepState.COMPLETED;
        }
        if (waits()) {
            return StepState.WAITING;
        }
        if (history.goesForward()) {
            return isReached && history.isExecuting() ? StepState.RUNNING : StepState.PENDING;
        }
        return StepState.CANCELLED;
    }

    private boolean waits() {
        return end.isEmpty() && stop.isEmpty() && (initiated.isPresent() || history.isJournaled(lastId()));
    }

    private Optional<StepError> failure() {
        return decision.map(Decision::error).or(() -> end.flatMap(this::failure));
    }

    private Optional<StepError> failure(JournalEntry end) {
        return switch (end.mark()) {
            case FAILED -> Optional.of(history.report(end).error());
            case TIMED_OUT -> Optional.of(new StepError(StepError.TIMEOUT, "No callback or signal arrived in time."));
            case REFUSED -> Optional.of(new StepError(StepError.UNREADABLE, end.reason()));
            default ->
                Optional.of(end)
                        .filter(each -> each.call() == JournalEntry.Call.SIGNAL)
                        .map(this::callback)
                        .map(Callback::error);
        };
    }

    /**
     * Returns true if another attempt will follow. This is also true for a step that was given up, if its execution
     * continues because {@link Sagas#retry} was called.
     */
    private boolean isToBeTriedAgain() {
        return failure().isPresent() && stop.isEmpty() && history.goesForward();
    }

    private boolean isPausing() {
        return history.isJournaled(JournalNames.pauseBefore(step.name(), attempt + 1)) && !history.isExecuting();
    }

    private @Nullable Instant nextAttemptAt() {
        return history.last(JournalNames.pauseBefore(step.name(), attempt + 1))
                .map(JournalEntry::until)
                .orElse(null);
    }

    private @Nullable StepError error() {
        return compensationFailure()
                .map(StepFailure.Report::error)
                .or(this::failure)
                .orElse(null);
    }

    private List<String> trace() {
        return compensationFailure()
                .or(() -> failure().isEmpty() ? Optional.empty() : reportOf(JournalNames.attempt(step.name(), attempt)))
                .map(StepFailure.Report::lines)
                .orElse(List.of());
    }

    private Optional<StepFailure.Report> reportOf(String id) {
        return history.last(id)
                .filter(each -> each.mark() == Mark.FAILED && !ExecutionHistory.isStop(each))
                .map(history::report);
    }

    private Optional<StepFailure.Report> compensationFailure() {
        String compensation = JournalNames.compensation(step.name());
        Optional<StepFailure.Report> failed = Optional.empty();
        for (int number = 1; history.isJournaled(JournalNames.attempt(compensation, number)); number++) {
            failed = reportOf(JournalNames.attempt(compensation, number));
        }
        return failed;
    }

    private boolean isCompensationBegun() {
        return history.isJournaled(JournalNames.compensation(step.name()));
    }

    /**
     * Returns true if the compensation was given up but earlier steps are compensated nevertheless. The compensation
     * stays incomplete until the execution is retried.
     */
    boolean isCompensationSkipped() {
        String compensation = JournalNames.compensation(step.name());
        Optional<Decision> last = Optional.empty();
        for (int number = 1; history.isJournaled(JournalNames.attempt(compensation, number)); number++) {
            last = history.decision(compensation, number);
        }
        return last.filter(each -> each.next() == Decision.Next.PASS_OVER).isPresent();
    }

    /**
     * Returns the attempt to which a callback applies. This is the latest attempt, or the next one if none has started
     * or the latest has failed and another will follow.
     */
    int openAttempt() {
        return attempt == 0 || isToBeTriedAgain() ? attempt + 1 : attempt;
    }

    int attempt() {
        return attempt;
    }

    boolean isOver() {
        return end.isPresent() || stop.isPresent() || !history.goesForward();
    }

    boolean isCompensated() {
        return compensated().isPresent();
    }

    private Optional<JournalEntry> compensated() {
        String compensation = JournalNames.compensation(step.name());
        for (int number = 1; history.isJournaled(JournalNames.attempt(compensation, number)); number++) {
            Optional<JournalEntry> done =
                    history.last(JournalNames.attempt(compensation, number)).filter(each -> each.mark() == Mark.DONE);
            if (done.isPresent()) {
                return done;
            }
        }
        return Optional.empty();
    }

    /** Returns true if the step has a compensation and took effect, or may have. */
    boolean hasToBeCompensated() {
        return step.compensation() != null
                && IntStream.rangeClosed(1, attempt)
                        .anyMatch(number -> cameFirst(number)
                                || history.last(JournalNames.attempt(step.name(), number))
                                        .filter(this::mayHaveTakenEffect)
                                        .isPresent());
    }

    private boolean mayHaveTakenEffect(JournalEntry entry) {
        return switch (entry.call()) {
            case STEP, TRANSACTIONAL_STEP ->
                entry.mark() == Mark.DONE
                        || (entry.mark() == Mark.FAILED
                                && !step.deduped()
                                && history.report(entry).maybe());
            case STOP_AMID -> !step.deduped();
            default -> false;
        };
    }

    void addTo(StepValues values) {
        for (int number = 1; number <= attempt; number++) {
            if (step.kind() != PlannedStep.Kind.SIGNAL) {
                history.last(JournalNames.attempt(step.name(), number))
                        .filter(each -> each.mark() == Mark.DONE && !ExecutionHistory.isStop(each))
                        .flatMap(history::tree)
                        .ifPresent(tree -> addTo(values, StepResult.of(tree).stored(step)));
            }
        }
        end.filter(each -> each.call() == JournalEntry.Call.SIGNAL && each.mark() == Mark.DONE && stop.isEmpty())
                .map(this::callback)
                .ifPresent(callback -> addTo(values, step.storedOfCallback(callback.payload())));
    }

    private void addTo(StepValues values, Map<String, JsonNode> added) {
        if (values.conflictingKey(step, added).isEmpty()) {
            values.add(step, added);
        }
    }
}
