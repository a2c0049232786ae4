package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What can be said about one attempt of an asynchronous step. It is said at any time: what comes before the step waits is
 * kept for it, and what comes too late changes nothing and says why.
 *
 * @since 0.1.0
 */
public final class StepCallback {

    private static final Duration LONGEST_EXTENSION = Duration.ofDays(365);

    private final Callbacks callbacks;

    /** As it was when this was asked for. */
    private final ExecutionHistory history;

    private final PlannedStep<?> step;
    private final int attempt;

    StepCallback(Callbacks callbacks, ExecutionHistory history, PlannedStep<?> step, int attempt) {
        this.callbacks = callbacks;
        this.history = history;
        this.step = step;
        this.attempt = attempt;
    }

    /**
     * Says that the step is over.
     *
     * @param payload stored under the step's name, or where {@code storeResultAs} says; null stores nothing
     * @return whether the step heard it
     */
    public CallbackResult complete(@Nullable Object payload) {
        return complete(null, payload);
    }

    /**
     * Says that the step is over, once for a key.
     *
     * @param key the same for each repetition, of whichever attempt
     * @param payload stored under the step's name, or where {@code storeResultAs} says; null stores nothing
     * @return whether the step heard it
     */
    public CallbackResult complete(@Nullable String key, @Nullable Object payload) {
        return callbacks.say(this, key, Callback.completed(callbacks.tree(payload)));
    }

    /**
     * Says that the step failed. It is begun again as often as its policy allows.
     *
     * @param error why
     * @return whether the step heard it
     */
    public CallbackResult fail(StepError error) {
        return fail(null, error);
    }

    /**
     * Says that the step failed, once for a key.
     *
     * @param key the same for each repetition, of whichever attempt
     * @param error why
     * @return whether the step heard it
     */
    public CallbackResult fail(@Nullable String key, StepError error) {
        return callbacks.say(this, key, Callback.failed(Objects.requireNonNull(error, "Who fails a step says why")));
    }

    /**
     * Says that the step failed, and that there is no use in beginning it again.
     *
     * @param error why
     * @return whether the step heard it
     */
    public CallbackResult failForGood(StepError error) {
        return callbacks.say(this, null, Callback.refused(Objects.requireNonNull(error, "Who fails a step says why")));
    }

    /**
     * Gives the step more time.
     *
     * @param by the additional time, at most 365 days
     * @return whether the step heard it; not if it waits for ever
     * @throws IllegalArgumentException if the additional time is not positive, or too long
     */
    public CallbackResult extend(Duration by) {
        if (by.isNegative() || by.isZero()) {
            throw new IllegalArgumentException("A step cannot be given %s more.".formatted(by));
        }
        if (by.compareTo(LONGEST_EXTENSION) > 0) {
            throw new IllegalArgumentException(
                    "A step cannot be extended by %d h at once. Extend it by at most %d days, and again later."
                            .formatted(by.toHours(), LONGEST_EXTENSION.toDays()));
        }
        return step.timeout() == null
                ? CallbackResult.tooLate("Step '%s' has no timeout: it waits for ever.".formatted(step.name()))
                : callbacks.say(this, null, Callback.extended(by));
    }

    /**
     * Says that somebody is at work, for people who look. It gives no more time.
     *
     * @return whether the step waits for it
     */
    public CallbackResult heartbeat() {
        return callbacks.heartbeat(this);
    }

    /** Whether the execution is over: what is correlated with it is of no interest any more. */
    boolean isOver() {
        return history.state().isEnd();
    }

    /** For how long the step had waited when this was asked for, or null if it did not. */
    @Nullable
    Duration waited() {
        Instant since = history.of(step).view().waitingSince();
        return since == null ? null : Durations.since(since);
    }

    boolean isSkipped() {
        return history.isSkipped(step);
    }

    @Override
    public String toString() {
        return "step '%s' of execution %s".formatted(step.name(), execution());
    }

    RunId execution() {
        return history.id();
    }

    String saga() {
        return history.plan().name();
    }

    PlannedStep<?> step() {
        return step;
    }

    int attempt() {
        return attempt;
    }
}
