package io.sagaspring.saga;

import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Stop;
import io.sagaspring.saga.Script.Where;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records the stops and crashes of a modelled saga, and stops the saga where the engine would notice a stop. */
final class Fate {

    /** The next part of the execution. It is written together with the outcome of the previous part. */
    enum Next {
        CODE,
        /** A condition, the decision about a failure, or the end of all steps. */
        NOTE,
        /** A pause, during which no node executes the saga. */
        PAUSE,
        /** The execution has ended, or waits for an operator. */
        REST
    }

    enum SeenStop {
        NOTHING,
        CANCEL,
        LATE
    }

    static final class Stopped extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private final Script script;
    private final List<String> lines;
    private final Map<String, StepState> states;
    final Set<Event> occurred = new HashSet<>();
    private boolean deadline;
    private boolean cancelled;
    private boolean late;
    boolean ended;
    boolean compensating;

    @Nullable
    Event pendingCrash;

    boolean interrupted;

    /** True if a compensation failed: the execution waits for an operator, and has not ended. */
    boolean unfinished;

    SeenStop seenStop = SeenStop.NOTHING;

    Fate(Script script, List<String> lines, Map<String, StepState> states) {
        this.script = script;
        this.lines = lines;
        this.states = states;
        this.deadline = script.deadline();
    }

    void applyStop(Stop stop) {
        if (stop == Stop.CANCEL) {
            lines.add("cancel -> %s".formatted(!ended));
            cancelled |= !ended;
        } else if (stop == Stop.LATE) {
            lines.add("late");
            late |= deadline;
        }
    }

    @Nullable
    Event trigger(Where where, Step step, int number, boolean isCrash) {
        Event event = script.event(where, step.name(), number).orElse(null);
        return event != null && (event.crash() != Crash.NONE) == isCrash && occurred.add(event) ? event : null;
    }

    void crashAfter(Where where, Step step, int number) {
        Event event = script.event(where, step.name(), number).orElse(null);
        if (event != null && event.crash() == Crash.AFTER && occurred.add(event)) {
            pendingCrash = event;
        }
    }

    /**
     * Crashes now if a crash is pending and the step is transactional ({@code dedupe}), because the result of such a
     * step is durable as soon as its effects are. Returns true if it crashed.
     */
    boolean crashBeforeTheNextEntry(Step step) {
        boolean isCrash = pendingCrash != null && step.deduped();
        if (isCrash) {
            boundary(Next.CODE);
        }
        return isCrash;
    }

    boolean isStopRequested() {
        return cancelled || late;
    }

    /**
     * Marks a write, after which the previous outcome is durable and the next part begins. If a crash is pending, it
     * happens here. Returns true if the next part may already have begun on a node that has died.
     */
    boolean boundary(Next upcoming) {
        Event event = pendingCrash;
        if (event != null) {
            pendingCrash = null;
            lines.add("crash");
            interrupted |= upcoming == Next.CODE || upcoming == Next.NOTE;
            ended = upcoming == Next.REST && !unfinished;
            applyStop(event.stop());
        }
        ended = upcoming == Next.REST && !unfinished;
        boolean was = interrupted;
        interrupted = false;
        return was;
    }

    void stopIfRequested(@Nullable Step step) {
        if (isStopRequested()) {
            seenStop = cancelled ? SeenStop.CANCEL : SeenStop.LATE;
            if (step != null) {
                states.put(step.name(), cancelled ? StepState.CANCELLED : StepState.TIMED_OUT);
            }
            throw new Stopped();
        }
    }

    /** Continues after a retry by an operator. The earlier stop no longer has any effect. */
    void resume() {
        deadline &= !late;
        late = false;
        seenStop = SeenStop.NOTHING;
    }
}
