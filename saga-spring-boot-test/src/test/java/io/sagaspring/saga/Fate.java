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

/** Records stops and crashes of a modelled saga, and stops it where it hears of them. */
final class Fate {

    /** What comes next, and so is written together with what was done. */
    enum Next {
        BODY,
        /** A condition, or that it was given up, or that all is done. */
        NOTE,
        /** Nothing for a while: nobody drives it. */
        PAUSE,
        /** It is over, or waits for an operator. */
        REST
    }

    enum Heard {
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
    final Set<Event> happened = new HashSet<>();
    private boolean deadline;
    private boolean cancelled;
    private boolean late;
    boolean over;
    boolean compensating;

    @Nullable
    Event doom;

    boolean interrupted;

    /** It could not be undone: it rests, and is not over. */
    boolean unfinished;

    Heard heard = Heard.NOTHING;

    Fate(Script script, List<String> lines, Map<String, StepState> states) {
        this.script = script;
        this.lines = lines;
        this.states = states;
        this.deadline = script.deadline();
    }

    void happen(Stop stop) {
        if (stop == Stop.CANCEL) {
            lines.add("cancel -> %s".formatted(!over));
            cancelled |= !over;
        } else if (stop == Stop.LATE) {
            lines.add("late");
            late |= deadline;
        }
    }

    @Nullable
    Event take(Where where, Step step, int number, boolean isCrash) {
        Event event = script.event(where, step.name(), number).orElse(null);
        return event != null && (event.crash() != Crash.NONE) == isCrash && happened.add(event) ? event : null;
    }

    void doomAfter(Where where, Step step, int number) {
        Event event = script.event(where, step.name(), number).orElse(null);
        if (event != null && event.crash() == Crash.AFTER && happened.add(event)) {
            doom = event;
        }
    }

    boolean isToStop() {
        return cancelled || late;
    }

    /**
     * What was done is durable before what is next: there the node dies that is to die after it. Returns whether what is
     * next may have begun on a node that is gone, as far as anybody can know.
     */
    boolean boundary(Next what) {
        Event event = doom;
        if (event != null) {
            doom = null;
            lines.add("crash");
            interrupted |= what == Next.BODY || what == Next.NOTE;
            over = what == Next.REST && !unfinished;
            happen(event.stop());
        }
        over = what == Next.REST && !unfinished;
        boolean was = interrupted;
        interrupted = false;
        return was;
    }

    void hear(@Nullable Step step) {
        if (isToStop()) {
            heard = cancelled ? Heard.CANCEL : Heard.LATE;
            if (step != null) {
                states.put(step.name(), cancelled ? StepState.CANCELLED : StepState.TIMED_OUT);
            }
            throw new Stopped();
        }
    }

    /** An operator has it go on: what had stopped it does so no more. */
    void goOn() {
        deadline &= !late;
        late = false;
        heard = Heard.NOTHING;
    }
}
