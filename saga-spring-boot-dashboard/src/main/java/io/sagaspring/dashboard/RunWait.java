package io.sagaspring.dashboard;

import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a run is waiting for.
 *
 * @param code the kind of the wait, from which the page makes a sentence
 * @param what the name of the step, signal or queue, or the reason of the pause, or null
 * @param until the time at which the wait ends by itself or the lease has ended, or null
 * @param who the node that executes the run or whose lease on it has ended, or the person who has paused its kind, or null
 */
record RunWait(
        Code code,
        @Nullable String what,
        @Nullable Instant until,
        @Nullable String who) {

    /** The kinds of waits. */
    enum Code {
        signal,
        callback,
        sleep,
        retry,
        person,
        node,
        lapsed,
        queue,
        paused,
        nothing
    }

    private static final String CALLBACK = ":callback";

    /** Returns the operations that end the wait. */
    String[] operations() {
        return switch (code) {
            case signal -> new String[] {"run.signal"};
            case callback -> new String[] {"callback.complete", "callback.fail"};
            case sleep, retry, person, node, lapsed, queue, paused, nothing -> new String[0];
        };
    }

    /** Describes the wait of a saga's execution. Its journal has the names of steps, with the kind and the attempt behind a colon. */
    static RunWait ofSaga(RunView run) {
        RunWait wait = of(run);
        String what = wait.what();
        return what == null || wait.code() != Code.signal
                ? wait
                : new RunWait(
                        what.endsWith(CALLBACK) ? Code.callback : Code.signal,
                        what.replaceFirst(":.*", ""),
                        wait.until(),
                        wait.who());
    }

    static RunWait of(RunView run) {
        RunState state = run.state();
        RunView.StepView last =
                run.steps().isEmpty() ? null : run.steps().get(run.steps().size() - 1);
        String step = last == null ? null : last.step();
        if (state.isEnd()) {
            return new RunWait(Code.nothing, null, null, null);
        }
        if (state.waitsForAPerson()) {
            return new RunWait(Code.person, step, null, null);
        }
        if (last != null && last.mark().equals("attempt_failed") && run.node() == null) {
            return new RunWait(Code.retry, step, run.dueAt(), null);
        }
        if (state == RunState.WAITING && last != null) {
            boolean sleeps = last.kind().equals("sleep");
            Instant until = last.until() == null ? run.dueAt() : last.until();
            return new RunWait(sleeps ? Code.sleep : Code.signal, step, until, null);
        }
        return new RunWait(
                Code.node, run.current() == null ? null : run.current().step(), null, run.node());
    }
}
