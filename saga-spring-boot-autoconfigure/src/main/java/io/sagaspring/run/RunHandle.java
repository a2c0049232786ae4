package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A handle on a run for the caller that started it.
 *
 * @param <O> the type of the result
 * @since 0.1.0
 */
public final class RunHandle<O extends @Nullable Object> {

    private final RunEnds ends;
    private final RunId id;
    private final Type output;
    private final StartOutcome outcome;

    RunHandle(RunEnds ends, RunId id, Type output, StartOutcome outcome) {
        this.ends = ends;
        this.id = id;
        this.output = output;
        this.outcome = outcome;
    }

    /**
     * Returns the id of the run.
     *
     * @return the run's id
     */
    public RunId id() {
        return id;
    }

    /**
     * Returns true if the call that returned this handle has started the run.
     *
     * @return false if the run had already been started before that call
     */
    public boolean isNew() {
        return outcome == StartOutcome.STARTED;
    }

    /**
     * Returns the effect of the call that returned this handle.
     *
     * @return the effect; {@link StartOutcome#REPLACED} is possible only with {@link RunOptions#orReplace} or
     *     {@link RunOptions#quietFor}
     */
    public StartOutcome outcome() {
        return outcome;
    }

    /**
     * Waits until the run has ended, on whichever node it is executed.
     *
     * @param timeout the longest time to wait
     * @return the result of the run
     * @throws RunNotCompletedException if the run failed or was cancelled
     * @throws TimeoutException if the run has not ended in time; the run continues
     * @throws InterruptedException if this thread is interrupted; the run continues
     * @throws NoSuchRunException if the run is unknown or was removed after its end
     * @throws IllegalStateException if the calling thread is executing a run, and the timeout is positive: let the
     *     other run signal this one, and wait with {@link RunContext#awaitSignal}
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The result was read as this type, or is null.
    public O await(Duration timeout) throws TimeoutException, InterruptedException {
        RunEnd end = ends.await(id, timeout);
        if (end == null) {
            throw new TimeoutException("Run %s has not ended after %s. The run is not affected by the end of this wait."
                    .formatted(id, DurationText.of(timeout)));
        }
        return (O) ends.result(end, output);
    }

    @Override
    public String toString() {
        return "run %s".formatted(id);
    }
}
