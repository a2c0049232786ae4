package io.sagaspring.run;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A run, for who has started it.
 *
 * @param <O> what it returns
 * @since 0.1.0
 */
public final class RunHandle<O extends @Nullable Object> {

    private final Runs runs;
    private final RunId id;
    private final Type output;
    private final boolean isNew;

    RunHandle(Runs runs, RunId id, Type output, boolean isNew) {
        this.runs = runs;
        this.id = id;
        this.output = output;
        this.isNew = isNew;
    }

    /**
     * Which run.
     *
     * @return its id
     */
    public RunId id() {
        return id;
    }

    /**
     * Whether this call has started it.
     *
     * @return false if it had been started with its key before
     */
    public boolean isNew() {
        return isNew;
    }

    /**
     * Waits for its end, wherever it is driven.
     *
     * @param patience for how long
     * @return what it returned
     * @throws RunNotCompletedException if it ended otherwise
     * @throws TimeoutException if it is not over in time; it goes on
     * @throws InterruptedException if this thread is interrupted; the run goes on
     * @throws NoSuchRunException if it is no longer known
     * @throws IllegalStateException if the calling thread executes a run, and there is patience: have the other one signal this
     *     one, and wait by {@link RunContext#awaitSignal}
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // It was read as this type, or is null where that is one.
    public O await(Duration patience) throws TimeoutException, InterruptedException {
        RunEnd end = runs.await(id, patience);
        if (end == null) {
            throw new TimeoutException("Run %s was not over after %s. It goes on.".formatted(id, patience));
        }
        if (end.state() != RunState.COMPLETED) {
            throw new RunNotCompletedException(end);
        }
        return (O) runs.result(end.result(), output);
    }

    @Override
    public String toString() {
        return "run %s".formatted(id);
    }
}
