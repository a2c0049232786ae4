package io.sagaspring.saga;

import io.sagaspring.run.Entry;
import io.sagaspring.run.Entry.Mark;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the journal of one execution says of one step. */
final class StepHistory {

    private final History history;
    private final PlannedStep<?> step;

    /** Whether all that is before it is over, so that it is its turn. */
    private final boolean isReached;

    /** The latest attempt that is journaled. */
    private final int attempt;

    private final Optional<Entry> initiated;
    private final Optional<Entry> stop;

    /** How the latest attempt ended, if it did. */
    private final Optional<Entry> end;

    /** What was decided about the latest attempt, if that failed. */
    private final Optional<Decision> decision;

    StepHistory(History history, PlannedStep<?> step, boolean isReached) {
        this.history = history;
        this.step = step;
        this.isReached = isReached;
        int last = 0;
        while (history.isTold(Ids.attempt(step.name(), last + 1))) {
            last++;
        }
        this.attempt = last;
        this.initiated = step.kind() == PlannedStep.Kind.ASYNC
                ? history.last(Ids.attempt(step.name(), last)).filter(each -> each.mark() == Mark.DONE)
                : Optional.empty();
        this.end = history.last(lastId()).filter(this::isEnd).or(this::notFired);
        this.stop = stopped();
        this.decision = history.decision(step.name(), attempt);
    }

    /** Its run could not be started. */
    private Optional<Entry> notFired() {
        return history.last(Ids.fired(step.name())).filter(each -> each.mark() == Mark.FAILED && !History.isStop(each));
    }

    /** Whose last entry says how the latest attempt ended. */
    private String lastId() {
        return step.kind() == PlannedStep.Kind.ASYNC && isWaited()
                ? Ids.callback(step.name(), attempt)
                : Ids.attempt(step.name(), attempt);
    }

    private boolean isWaited() {
        return initiated.isPresent() || cameFirst(attempt);
    }

    /** The initiation failed, and yet somebody called back. */
    private boolean cameFirst(int number) {
        return history.last(Ids.callback(step.name(), number))
                .filter(each -> (each.mark() == Mark.DONE || each.mark() == Mark.REFUSED) && !History.isStop(each))
                .isPresent();
    }

    private boolean isEnd(Entry entry) {
        return switch (entry.mark()) {
            case FAILED, TIMED_OUT, REFUSED -> !History.isStop(entry);
            case DONE ->
                switch (entry.call()) {
                    case STEP, TRANSACTIONAL_STEP -> true;
                    case SIGNAL -> callback(entry).isLast();
                    default -> false;
                };
            default -> false;
        };
    }

    private Callback callback(Entry entry) {
        return history.tree(entry).map(history::callback).orElseGet(Callback::nothing);
    }

    private Optional<Entry> stopped() {
        return history.entries(Ids.condition(step.name())).stream()
                .filter(History::isStop)
                .findFirst()
                .or(() -> stopOf(Ids.fired(step.name())))
                .or(() -> stopOf(Ids.attempt(step.name(), attempt)))
                .or(() -> stopOf(Ids.callback(step.name(), attempt)))
                .or(() -> stopOf(Ids.decision(step.name(), attempt)))
                .or(() -> stopOf(Ids.pauseBefore(step.name(), attempt + 1)));
    }

    private Optional<Entry> stopOf(String id) {
        return history.last(id).filter(History::isStop);
    }

    /** Whether what is behind it has its turn. */
    boolean isBehind() {
        return state() == StepState.COMPLETED || history.fired(step).isPresent();
    }

    StepView view() {
        Optional<Entry> undone = undone();
        Optional<Entry> waiting = history.last(lastId()).or(() -> initiated).filter(unused -> waits());
        return new StepView(
                step.name(),
                stateWithUndo(),
                attempt,
                error(),
                trace(),
                attempt > 0 || isReached ? history.before(step) : null,
                waiting.map(Entry::at).orElse(null),
                waiting.map(Entry::until).orElse(null),
                history.heardOf(step, attempt).orElse(null),
                isToBeTriedAgain() ? nextAttemptAt() : null,
                waits() || isToBeTriedAgain()
                        ? null
                        : end.or(() -> stop).map(Entry::at).orElse(null),
                undone.map(Entry::at).orElse(null),
                undone.flatMap(each -> history.read(each, Undone.class))
                        .filter(Undone::empty)
                        .isPresent(),
                null);
    }

    private StepState stateWithUndo() {
        if (isUndone()) {
            return StepState.COMPENSATED;
        }
        return hasToBeUndone() && (isUndoBegun() || history.isBeingUndone(step)) ? StepState.COMPENSATING : state();
    }

    private StepState state() {
        if (stop.isPresent()) {
            return stop.get().mark() == Mark.DONE ? StepState.CANCELLED : StepState.TIMED_OUT;
        }
        if (isToBeTriedAgain()) {
            return history.isDriven() && !isPausing() ? StepState.RUNNING : StepState.PENDING;
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
            return isReached && history.isDriven() ? StepState.RUNNING : StepState.PENDING;
        }
        return StepState.CANCELLED;
    }

    private boolean waits() {
        return end.isEmpty() && stop.isEmpty() && (initiated.isPresent() || history.isTold(lastId()));
    }

    private Optional<StepError> failure() {
        return decision.map(Decision::error).or(() -> end.flatMap(this::failure));
    }

    private Optional<StepError> failure(Entry end) {
        return switch (end.mark()) {
            case FAILED -> Optional.of(history.words(end).error());
            case TIMED_OUT -> Optional.of(new StepError(StepError.TIMEOUT, "Nobody answered in time."));
            case REFUSED -> Optional.of(new StepError(StepError.UNREADABLE, end.reason()));
            default ->
                Optional.of(end)
                        .filter(each -> each.call() == Entry.Call.SIGNAL)
                        .map(this::callback)
                        .map(Callback::error);
        };
    }

    /** Also if it was given up: who goes forward nevertheless was retried. */
    private boolean isToBeTriedAgain() {
        return failure().isPresent() && stop.isEmpty() && history.goesForward();
    }

    private boolean isPausing() {
        return history.isTold(Ids.pauseBefore(step.name(), attempt + 1)) && !history.isDriven();
    }

    private @Nullable Instant nextAttemptAt() {
        return history.last(Ids.pauseBefore(step.name(), attempt + 1))
                .map(Entry::until)
                .orElse(null);
    }

    private @Nullable StepError error() {
        return failureOfUndo().map(StepFailure.Words::error).or(this::failure).orElse(null);
    }

    private List<String> trace() {
        return failureOfUndo()
                .or(() -> failure().isEmpty() ? Optional.empty() : wordsOf(Ids.attempt(step.name(), attempt)))
                .map(StepFailure.Words::lines)
                .orElse(List.of());
    }

    private Optional<StepFailure.Words> wordsOf(String id) {
        return history.last(id)
                .filter(each -> each.mark() == Mark.FAILED && !History.isStop(each))
                .map(history::words);
    }

    private Optional<StepFailure.Words> failureOfUndo() {
        String undo = Ids.undo(step.name());
        Optional<StepFailure.Words> failed = Optional.empty();
        for (int number = 1; history.isTold(Ids.attempt(undo, number)); number++) {
            failed = wordsOf(Ids.attempt(undo, number));
        }
        return failed;
    }

    private boolean isUndoBegun() {
        return history.isTold(Ids.undo(step.name()));
    }

    /** Tells whether it is left out until somebody retries the execution, and earlier ones are undone nevertheless. */
    boolean isUndoPassedOver() {
        String undo = Ids.undo(step.name());
        Optional<Decision> last = Optional.empty();
        for (int number = 1; history.isTold(Ids.attempt(undo, number)); number++) {
            last = history.decision(undo, number);
        }
        return last.filter(each -> each.next() == Decision.Next.PASS_OVER).isPresent();
    }

    /** The attempt that what somebody says is about: the latest, unless that is over and there will be another one. */
    int openAttempt() {
        return attempt == 0 || isToBeTriedAgain() ? attempt + 1 : attempt;
    }

    int attempt() {
        return attempt;
    }

    boolean isOver() {
        return end.isPresent() || stop.isPresent() || !history.goesForward();
    }

    boolean isUndone() {
        return undone().isPresent();
    }

    private Optional<Entry> undone() {
        String undo = Ids.undo(step.name());
        for (int number = 1; history.isTold(Ids.attempt(undo, number)); number++) {
            Optional<Entry> done = history.last(Ids.attempt(undo, number)).filter(each -> each.mark() == Mark.DONE);
            if (done.isPresent()) {
                return done;
            }
        }
        return Optional.empty();
    }

    /** Whether it has an undo, and took effect or may have. */
    boolean hasToBeUndone() {
        return step.undo() != null
                && IntStream.rangeClosed(1, attempt)
                        .anyMatch(number -> cameFirst(number)
                                || history.last(Ids.attempt(step.name(), number))
                                        .filter(this::mayHaveTakenEffect)
                                        .isPresent());
    }

    private boolean mayHaveTakenEffect(Entry entry) {
        return switch (entry.call()) {
            case STEP, TRANSACTIONAL_STEP ->
                entry.mark() == Mark.DONE
                        || (entry.mark() == Mark.FAILED
                                && !step.deduped()
                                && history.words(entry).maybe());
            case STOP_AMID -> !step.deduped();
            default -> false;
        };
    }

    void addTo(Values values) {
        for (int number = 1; number <= attempt; number++) {
            if (step.kind() != PlannedStep.Kind.SIGNAL) {
                history.last(Ids.attempt(step.name(), number))
                        .filter(each -> each.mark() == Mark.DONE && !History.isStop(each))
                        .flatMap(history::tree)
                        .ifPresent(tree -> addTo(values, StepResult.of(tree).stored(step)));
            }
        }
        end.filter(each -> each.call() == Entry.Call.SIGNAL && each.mark() == Mark.DONE && stop.isEmpty())
                .map(this::callback)
                .ifPresent(said -> addTo(values, step.storedOfCallback(said.payload())));
    }

    private void addTo(Values values, Map<String, JsonNode> added) {
        if (values.taken(step, added).isEmpty()) {
            values.add(step, added);
        }
    }
}
