package io.sagaspring.saga;

import io.sagaspring.fence.DurationText;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunRow;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The API that completes, fails or extends one attempt of an asynchronous step. You can call it at any time. A callback
 * that arrives before the step waits is stored for the step. If a callback arrives too late, it has no effect, and the
 * {@link CallbackResult} contains the reason.
 *
 * @since 0.1.0
 */
public final class StepCallback {

    private static final Duration LONGEST_EXTENSION = Duration.ofDays(365);

    private final Callbacks callbacks;

    /** The execution as it was when this callback was requested. */
    private final AddressedExecution addressed;

    private final PlannedStep<?> step;
    private final int attempt;

    StepCallback(Callbacks callbacks, AddressedExecution addressed, PlannedStep<?> step, int attempt) {
        this.callbacks = callbacks;
        this.addressed = addressed;
        this.step = step;
        this.attempt = attempt;
    }

    /**
     * Completes the step.
     *
     * @param payload the value to store under the step's name, or under the key that {@code storeResultAs} sets;
     *     null stores nothing
     * @return the result: applied if the step has received the callback or will receive it
     */
    public CallbackResult complete(@Nullable Object payload) {
        return complete(null, payload);
    }

    /**
     * Completes the step, at most once for each key.
     *
     * @param key the callback's key, which must be the same if you send the callback again, even to a later attempt;
     *     null for none
     * @param payload the value to store under the step's name, or under the key that {@code storeResultAs} sets;
     *     null stores nothing
     * @return the result: applied if the step has received the callback or will receive it; not applied if a callback
     *     with the same key was accepted before
     */
    public CallbackResult complete(@Nullable String key, @Nullable Object payload) {
        return callbacks.submit(this, key, Callback.completed(callbacks.tree(payload)));
    }

    /**
     * Fails the attempt. The step is attempted again if its retry policy allows it.
     *
     * @param error the cause
     * @return the result: applied if the step has received the callback or will receive it
     */
    public CallbackResult fail(StepError error) {
        return fail(null, error);
    }

    /**
     * Fails the attempt, at most once for each key. The step is attempted again if its retry policy allows it.
     *
     * @param key the callback's key, which must be the same if you send the callback again, even to a later attempt;
     *     null for none
     * @param error the cause
     * @return the result: applied if the step has received the callback or will receive it; not applied if a callback
     *     with the same key was accepted before
     */
    public CallbackResult fail(@Nullable String key, StepError error) {
        return callbacks.submit(this, key, Callback.failed(requireError(error)));
    }

    /**
     * Fails the step without further attempts.
     *
     * @param error the cause
     * @return the result: applied if the step has received the callback or will receive it
     */
    public CallbackResult failForGood(StepError error) {
        return callbacks.submit(this, null, Callback.refused(requireError(error)));
    }

    private static StepError requireError(StepError error) {
        return Objects.requireNonNull(error, "The error is null. A callback that fails a step needs an error.");
    }

    /**
     * Gives the attempt more time.
     *
     * @param by the additional time, at most 365 days
     * @return the result: applied if the step has received the extension or will receive it; never applied to a step
     *     without a timeout
     * @throws IllegalArgumentException if the additional time is not positive, or too long
     */
    public CallbackResult extend(Duration by) {
        if (by.isNegative() || by.isZero()) {
            throw new IllegalArgumentException(
                    "A timeout cannot be extended by %s. Use a positive duration.".formatted(DurationText.of(by)));
        }
        if (by.compareTo(LONGEST_EXTENSION) > 0) {
            throw new IllegalArgumentException(
                    "A timeout cannot be extended by %d h at once. Extend it by at most %d days now, and again later."
                            .formatted(by.toHours(), LONGEST_EXTENSION.toDays()));
        }
        return step.timeout() == null
                ? CallbackResult.tooLate("Step '%s' has no timeout that could be extended. It waits indefinitely."
                        .formatted(step.name()))
                : callbacks.submit(this, null, Callback.extended(by));
    }

    /**
     * Records that the work is still in progress, for display. A heartbeat does not extend the timeout.
     *
     * @return the result: applied if the attempt has not ended
     */
    public CallbackResult heartbeat() {
        return callbacks.heartbeat(this);
    }

    /**
     * Returns true if the execution has ended. {@link Sagas#correlated} ignores ended executions, unless all
     * executions with the external id have ended.
     */
    boolean isOver() {
        return addressed.row().state().isEnd();
    }

    @Nullable
    Duration waited() {
        return addressed.waited(step);
    }

    boolean isSkipped() {
        return addressed.isSkipped(step);
    }

    @Override
    public String toString() {
        return "step '%s' of execution %s".formatted(step.name(), execution());
    }

    RunId execution() {
        return addressed.row().id();
    }

    RunRow run() {
        return addressed.row();
    }

    String saga() {
        return addressed.plan().name();
    }

    PlannedStep<?> step() {
        return step;
    }

    int attempt() {
        return attempt;
    }
}
