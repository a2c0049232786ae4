package io.sagaspring.saga;

import io.sagaspring.run.Entry;
import io.sagaspring.run.Entry.Mark;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
        this.end = history.last(lastId())
                .filter(each -> each.mark() != Mark.WAITING && !isExtension(each) && !History.isStop(each));
        this.stop = stopped();
    }

    /** Whose last entry says how the latest attempt ended. */
    private String lastId() {
        return step.kind() == PlannedStep.Kind.ASYNC && isWaited()
                ? Ids.callback(step.name(), attempt)
                : Ids.attempt(step.name(), attempt);
    }

    private boolean isWaited() {
        return initiated.isPresent() || callbackCameFirst();
    }

    /** Its initiation failed, and yet somebody called back. */
    private boolean callbackCameFirst() {
        return history.last(Ids.callback(step.name(), attempt))
                .filter(each -> each.mark() == Mark.DONE)
                .isPresent();
    }

    private boolean isExtension(Entry entry) {
        return step.kind() != PlannedStep.Kind.SYNC
                && entry.call() == Entry.Call.SIGNAL
                && entry.mark() == Mark.DONE
                && history.read(entry, Callback.class).kind() == Callback.Kind.EXTENDED;
    }

    private Optional<Entry> stopped() {
        return history.entries(Ids.condition(step.name())).stream()
                .filter(History::isStop)
                .findFirst()
                .or(() -> stopOf(Ids.attempt(step.name(), attempt)))
                .or(() -> stopOf(Ids.callback(step.name(), attempt)))
                .or(() -> stopOf(Ids.pauseBefore(step.name(), attempt + 1)));
    }

    private Optional<Entry> stopOf(String id) {
        return history.last(id).filter(History::isStop);
    }

    /** Whether what is behind it has its turn. */
    boolean isBehind() {
        return state() == StepState.COMPLETED || history.isPassed(step);
    }

    StepView view() {
        Optional<Entry> undone = undone();
        return new StepView(
                step.name(),
                stateWithUndo(),
                attempt,
                error(),
                attempt > 0 || isReached ? history.before(step) : null,
                waits()
                        ? history.last(lastId())
                                .map(Entry::at)
                                .or(() -> initiated.map(Entry::at))
                                .orElse(null)
                        : null,
                waits() ? history.last(lastId()).map(Entry::until).orElse(null) : null,
                history.heardOf(step, attempt).orElse(null),
                isToBeTriedAgain() ? nextAttemptAt() : null,
                state() == StepState.WAITING || isToBeTriedAgain()
                        ? null
                        : end.or(() -> stop).map(Entry::at).orElse(null),
                undone.map(Entry::at).orElse(null),
                undone.filter(each -> history.read(each, Undone.class).empty()).isPresent());
    }

    private StepState stateWithUndo() {
        if (isUndone()) {
            return StepState.COMPENSATED;
        }
        return hasToBeUndone() && history.isBeingUndone(step) ? StepState.COMPENSATING : state();
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
        return history.isCancelled() ? StepState.CANCELLED : StepState.PENDING;
    }

    private boolean waits() {
        return end.isEmpty() && stop.isEmpty() && (initiated.isPresent() || history.isTold(lastId()));
    }

    private Optional<StepError> failure() {
        if (end.isEmpty()) {
            return Optional.empty();
        }
        Entry entry = end.get();
        if (entry.mark() == Mark.FAILED) {
            return Optional.of(history.error(entry));
        }
        if (entry.mark() == Mark.TIMED_OUT) {
            return Optional.of(
                    new StepError(StepError.TIMEOUT, "Nobody answered within %s.".formatted(step.timeout())));
        }
        return callback().map(Callback::error);
    }

    private Optional<Callback> callback() {
        return end.filter(each -> each.call() == Entry.Call.SIGNAL && each.mark() == Mark.DONE)
                .map(each -> history.read(each, Callback.class));
    }

    private boolean isToBeTriedAgain() {
        return failure().isPresent() && stop.isEmpty() && history.goesForward() && !history.isPassed(step);
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
        String undo = Ids.undo(step.name());
        Optional<StepError> ofUndo = Optional.empty();
        for (int number = 1; history.isTold(Ids.attempt(undo, number)); number++) {
            ofUndo = history.last(Ids.attempt(undo, number))
                    .filter(each -> each.mark() == Mark.FAILED)
                    .map(history::error);
        }
        return ofUndo.or(this::failure).orElse(null);
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
        if (step.undo() == null) {
            return false;
        }
        for (int number = 1; number <= attempt; number++) {
            Optional<Entry> entry = history.last(Ids.attempt(step.name(), number));
            if (entry.filter(this::mayHaveTakenEffect).isPresent()) {
                return true;
            }
        }
        return callbackCameFirst();
    }

    private boolean mayHaveTakenEffect(Entry entry) {
        return switch (entry.mark()) {
            case FAILED -> history.isMaybe(entry);
            case DONE -> !History.isStop(entry) || entry.call() == Entry.Call.STOP_AMID;
            default -> entry.call() == Entry.Call.STOP_AMID;
        };
    }

    void addTo(Values values) {
        for (int number = 1; number <= attempt; number++) {
            if (step.kind() != PlannedStep.Kind.SIGNAL) {
                history.last(Ids.attempt(step.name(), number))
                        .filter(each -> each.mark() == Mark.DONE && !History.isStop(each))
                        .ifPresent(each -> values.add(step, step.stored(history.tree(each))));
            }
        }
        callback().ifPresent(said -> values.add(step, step.storedOfCallback(said.payload())));
    }
}
