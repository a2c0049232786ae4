package io.sagaspring.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryPolicy;

/**
 * A policy for attempting a failed step or compensation again:
 * {@code retry().max(5).exponential(ofSeconds(1)).jitter()}. The default is three attempts, one second apart. Pauses
 * are durable: they continue after a node has died.
 *
 * @since 0.1.0
 */
public final class Retry {

    private static final int DEEPEST_CAUSE = 100;

    private final int max;
    private final RetryPauses pauses;
    private final @Nullable SpringRetry spring;
    private final List<Class<? extends Throwable>> only;
    private final List<Class<? extends Throwable>> never;
    private final List<Function<Throwable, @Nullable Duration>> delays;

    private Retry(
            int max,
            RetryPauses pauses,
            @Nullable SpringRetry spring,
            List<Class<? extends Throwable>> only,
            List<Class<? extends Throwable>> never,
            List<Function<Throwable, @Nullable Duration>> delays) {
        this.max = max;
        this.pauses = pauses;
        this.spring = spring;
        this.only = List.copyOf(only);
        this.never = List.copyOf(never);
        this.delays = List.copyOf(delays);
    }

    private Retry with(RetryPauses others) {
        if (spring != null) {
            throw new IllegalStateException(
                    "The pauses of this policy are those of Spring's RetryPolicy. Set them there, or use Retry.retry().");
        }
        return new Retry(max, others, null, only, never, delays);
    }

    /**
     * Returns the default policy: three attempts, one second apart.
     *
     * @return the policy; use the other methods to refine it
     */
    public static Retry retry() {
        return new Retry(3, RetryPauses.standard(), null, List.of(), List.of(), List.of());
    }

    /**
     * Converts a retry policy of Spring. Spring's policy counts retries, so a maximum of n retries allows n + 1
     * attempts. It decides after which exceptions, including a {@link StepTimeoutException}, the step is attempted
     * again. The library starts the policy's back-off again at each failure and advances it to the current attempt. So
     * do not use a back-off that keeps state or measures time.
     *
     * @param policy the policy
     * @return a policy with the same maximum and the same pauses
     * @throws IllegalArgumentException if the policy has a timeout, which would limit all attempts together
     */
    public static Retry of(RetryPolicy policy) {
        return new Retry(
                Integer.MAX_VALUE, RetryPauses.standard(), new SpringRetry(policy), List.of(), List.of(), List.of());
    }

    /**
     * Returns a policy that allows a single attempt.
     *
     * @return the policy
     */
    public static Retry never() {
        return retry().max(1);
    }

    /**
     * Returns a policy with a different number of attempts.
     *
     * @param attempts the number of attempts, including the first
     * @return the changed policy
     */
    public Retry max(int attempts) {
        return new Retry(attempts, pauses, spring, only, never, delays);
    }

    /**
     * Returns a policy with the same pause before each further attempt.
     *
     * @param pause the pause
     * @return the changed policy
     */
    public Retry delay(Duration pause) {
        return with(pauses.first(pause).factor(1));
    }

    /**
     * Returns a policy whose pause doubles after each attempt.
     *
     * @param pause the first pause
     * @return the changed policy
     */
    public Retry exponential(Duration pause) {
        return with(pauses.first(pause).factor(2));
    }

    /**
     * Returns a policy with a different first pause. A doubling pause still doubles, and a constant pause stays
     * constant.
     *
     * @param pause the first pause
     * @return the changed policy
     */
    public Retry firstDelay(Duration pause) {
        return with(pauses.first(pause));
    }

    /**
     * Returns a policy with a different longest pause. The default is one minute.
     *
     * @param pause the longest pause
     * @return the changed policy
     */
    public Retry maxDelay(Duration pause) {
        return with(pauses.longest(pause));
    }

    /**
     * Returns a policy whose pauses are shortened at random, by up to one half. So steps that failed together are not
     * all attempted again at the same time.
     *
     * @return the changed policy
     */
    public Retry jitter() {
        return with(pauses.withJitter());
    }

    /**
     * Returns a policy whose pauses grow by the given factor. {@link #exponential} sets the factor 2.
     *
     * @param factor the ratio of a pause to the one before, at least 1
     * @return the changed policy
     */
    public Retry multiplier(double factor) {
        return with(pauses.factor(factor));
    }

    /**
     * Returns a policy that also takes the next pause from an exception, for example from its {@code Retry-After}. Use
     * this method for exceptions of other libraries. Let your own exceptions implement {@link RetryLater}.
     *
     * @param type the class of the exceptions; subclasses are included
     * @param delay the function that returns the pause, or null if the exception requests none
     * @return the changed policy
     * @param <E> the class of the exceptions
     */
    public <E extends Throwable> Retry delayFrom(Class<E> type, Function<? super E, @Nullable Duration> delay) {
        List<Function<Throwable, @Nullable Duration>> more = new ArrayList<>(delays);
        more.add(failure -> type.isInstance(failure) ? delay.apply(type.cast(failure)) : null);
        return new Retry(max, pauses, spring, only, never, more);
    }

    /**
     * Returns a policy that retries only after these exceptions, and after a {@link StepTimeoutException}.
     *
     * @param failures the classes of the exceptions; subclasses are included
     * @return the changed policy
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // The array is only read.
    public final Retry retryOn(Class<? extends Throwable>... failures) {
        return new Retry(max, pauses, spring, List.copyOf(Arrays.asList(failures)), never, delays);
    }

    /**
     * Returns a policy that does not retry after these exceptions.
     *
     * @param failures the classes of the exceptions; subclasses are included
     * @return the changed policy
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // The array is only read.
    public final Retry noRetryOn(Class<? extends Throwable>... failures) {
        return new Retry(max, pauses, spring, only, List.copyOf(Arrays.asList(failures)), delays);
    }

    /**
     * Returns the faults of this policy.
     *
     * @return the faults, each as the rest of a sentence about the policy, such as {@code has a pause of -1 s, which is
     *     negative}
     */
    public Stream<String> faults() {
        return Stream.concat(
                        Stream.of(max < 1 ? "allows %d attempts, but at least 1 is needed".formatted(max) : ""),
                        pauses.faults())
                .filter(fault -> !fault.isEmpty());
    }

    /**
     * Returns true if the policy allows another attempt.
     *
     * @param attempt the number of attempts so far
     * @return true if the step may be attempted again
     */
    public boolean allowsAfter(int attempt) {
        return attempt < max && (spring == null || spring.pauseAfter(attempt) != null);
    }

    /**
     * Returns true if the policy retries after a failure. If the policy itself throws an exception, the failure is
     * final.
     *
     * @param failure the exception that the code threw; an exception of the policy is added to it as suppressed
     * @return true if the step is attempted again after this failure, as long as the policy allows another attempt
     */
    public boolean covers(Throwable failure) {
        try {
            return isCovered(failure);
        } catch (RuntimeException | LinkageError broken) {
            note(failure, broken);
            return false;
        }
    }

    /** Adds an exception of the policy's own code to the failure, as a suppressed exception. */
    static void note(Throwable failure, Throwable broken) {
        if (broken != failure) {
            failure.addSuppressed(broken);
        }
    }

    private boolean isCovered(Throwable failure) {
        boolean isExcluded = never.stream().anyMatch(each -> each.isInstance(failure))
                || causes(failure).anyMatch(PermanentFailure.class::isInstance);
        return !isExcluded && isIncluded(failure) && (spring == null || spring.covers(failure));
    }

    private boolean isIncluded(Throwable failure) {
        return only.isEmpty()
                || failure instanceof StepTimeoutException
                || only.stream().anyMatch(each -> each.isInstance(failure));
    }

    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(DEEPEST_CAUSE);
    }

    /**
     * Returns the pause that the failure requests before the next attempt. If reading the pause throws an exception,
     * returns null.
     *
     * @param failure the exception that the code threw; an exception from reading the pause is added to it as suppressed
     * @return the pause of the first {@link RetryLater} among the exception and its causes, or of a function of
     *     {@link #delayFrom}; null if there is no such pause
     */
    public @Nullable Duration delayNamedBy(Throwable failure) {
        try {
            return causes(failure)
                    .map(this::delayOf)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .map(delay -> delay.isNegative() ? Duration.ZERO : StorageLimits.pause(delay))
                    .orElse(null);
        } catch (RuntimeException | LinkageError broken) {
            note(failure, broken);
            return null;
        }
    }

    private @Nullable Duration delayOf(Throwable failure) {
        if (failure instanceof RetryLater later) {
            return later.retryAfter();
        }
        return delays.stream()
                .map(each -> each.apply(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the pause before the next attempt.
     *
     * @param attempt the number of attempts so far
     * @param random the random generator for the jitter
     * @return the pause
     */
    public Duration pauseAfter(int attempt, RandomGenerator random) {
        Duration ofSpring = spring == null ? null : spring.pauseAfter(attempt);
        return ofSpring == null ? pauses.after(attempt, random) : ofSpring;
    }
}
