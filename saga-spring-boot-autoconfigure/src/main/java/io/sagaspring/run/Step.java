package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryPolicy;

/**
 * A step of a run: its name, whether its code may be executed again, its retry policy and its time-out.
 *
 * @since 0.1.0
 */
public final class Step {

    private static final int LONGEST = 200;

    private final String id;
    private final boolean repeatable;
    private final @Nullable Resolver resolver;
    private final @Nullable Retry retry;
    private final @Nullable Duration timeout;

    private Step(
            String id,
            boolean repeatable,
            @Nullable Resolver resolver,
            @Nullable Retry retry,
            @Nullable Duration timeout) {
        this.id = id;
        this.repeatable = repeatable;
        this.resolver = resolver;
        this.retry = retry;
        this.timeout = timeout;
        TextRules.requireName("The name of a step, including its key if it has one,", id, LONGEST);
        if (!repeatable && retry != null && retry.allowsAfter(1)) {
            throw new IllegalArgumentException(
                    "Step '%s' must not be repeated, but it has a retry policy. Remove the policy, or allow the step to be repeated."
                            .formatted(id));
        }
    }

    /**
     * Finds out whether a step that must not be repeated took effect. The library calls the resolver if the process
     * died during the step, or if the step's time-out passed.
     */
    @FunctionalInterface
    public interface Resolver {

        /**
         * Asks the system that the step called.
         *
         * @param idempotencyKey the idempotency key of the step
         * @return the result of the step if it took effect; empty if it did not: the code is then executed or, after a
         *     time-out, the step fails
         * @throws Exception if it is impossible to find out; the run is then in doubt, and a person must decide
         */
        Optional<?> resolve(String idempotencyKey) throws Exception;
    }

    /**
     * Creates a step that occurs once in a run.
     *
     * @param name the name of the step
     * @return a step whose code may be executed again
     * @throws InvalidNameException if the name is blank or too long, or contains a character that cannot be stored
     */
    public static Step of(String name) {
        return new Step(name, true, null, null, null);
    }

    /**
     * Creates a step that a run executes for each of several items.
     *
     * @param name the name of the step
     * @param key the key of the item; its string form must be the same on each execution
     * @return a step whose code may be executed again
     * @throws InvalidNameException if the name is blank or too long, or contains a character that cannot be stored
     */
    public static Step of(String name, Object key) {
        return of("%s:%s".formatted(name, key));
    }

    /**
     * Declares that the code must not be executed again. Before the run executes the code, it journals that the step is
     * about to begin. If the process dies before the result is journaled, the run is in doubt, and a person must
     * decide.
     *
     * @return a step that must not be repeated
     * @throws IllegalArgumentException if the step has a retry policy that allows more than one attempt
     */
    public Step notRepeatable() {
        return new Step(id, false, resolver, retry, timeout);
    }

    /**
     * Declares that the code must not be executed again, and sets how to find out whether the step took effect.
     *
     * @param resolver the resolver, which finds out whether the step took effect by asking the system that the step
     *     calls
     * @return a step that must not be repeated
     * @throws IllegalArgumentException if the step has a retry policy that allows more than one attempt
     */
    public Step notRepeatable(Resolver resolver) {
        return new Step(id, false, resolver, retry, timeout);
    }

    /**
     * Sets the policy by which the step is attempted again after its code has thrown an exception. Each attempt has the same {@link
     * RunContext#idempotencyKey()}. The attempts and the pauses between them are durable, and a pause uses no thread.
     *
     * @param policy the policy
     * @return a step with the retry policy
     * @throws IllegalArgumentException if the policy is invalid, or allows more than one attempt although the step must
     *     not be repeated
     */
    public Step retry(Retry policy) {
        String faults = policy.faults().collect(Collectors.joining(", and "));
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(
                    "The retry policy of step '%s' %s. Correct the policy.".formatted(id, faults));
        }
        return new Step(id, repeatable, resolver, policy, timeout);
    }

    /**
     * Sets a retry policy of Spring.
     *
     * @param policy the policy, see {@link Retry#of}
     * @return a step with the retry policy
     * @throws IllegalArgumentException if the policy has a timeout, or the step must not be repeated
     */
    public Step retry(RetryPolicy policy) {
        return retry(Retry.of(policy));
    }

    /**
     * Sets the longest time that an attempt may take. After that time, the thread of the attempt is interrupted, and a
     * result that the code returns later is discarded. The run continues when the code has returned. The time-out
     * guarantees neither that the code stops nor that the step had no effect. If the step must not be repeated, the run
     * is then in doubt, unless a resolver finds out whether the step took effect.
     *
     * @param longest the longest time
     * @return a step with a time-out
     * @throws IllegalArgumentException if the time is not positive
     */
    public Step timeout(Duration longest) {
        if (longest.isNegative() || longest.isZero()) {
            throw new IllegalArgumentException(
                    "Step '%s' has a time-out of %s, which is not positive. Use a longer time."
                            .formatted(id, DurationText.of(longest)));
        }
        return new Step(id, repeatable, resolver, retry, longest);
    }

    /**
     * Returns the name of the step.
     *
     * @return the name, including the key if the step has one; unique within the run
     */
    public String id() {
        return id;
    }

    boolean repeatable() {
        return repeatable;
    }

    @Nullable
    Resolver resolver() {
        return resolver;
    }

    @Nullable
    Retry retry() {
        return retry;
    }

    @Nullable
    Duration timeout() {
        return timeout;
    }

    @Override
    public String toString() {
        return "Step '%s'".formatted(id);
    }
}
