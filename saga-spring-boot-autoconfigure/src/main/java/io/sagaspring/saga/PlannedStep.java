package io.sagaspring.saga;

import io.sagaspring.fence.DurationText;
import io.sagaspring.run.Retry;
import io.sagaspring.run.StepDefaults;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;

/**
 * A step with all its options.
 *
 * @param name the step's name
 * @param kind the way in which the step completes
 * @param code the step's code, or null if the step waits for a signal
 * @param compensation the compensation, or null
 * @param retry the retry policy of the step
 * @param compensationRetry the retry policy of the compensation
 * @param timeout the longest time of an attempt, or of the wait for a callback or a signal; null for no limit
 * @param condition the condition for executing the step, or null to always execute it
 * @param args the function that computes the arguments of the code, or null
 * @param storeAs the key under which a result that is not merged is stored
 * @param merged true if a result that is a record or a map is merged into the context
 * @param result the type of the code's result, if it is known
 * @param deduped true if the code's writes and its result are committed together
 * @param fireAndForget true if a separate run executes the step, and the saga continues immediately
 * @param <I> the type of the execution's input
 */
record PlannedStep<I>(
        String name,
        Kind kind,
        @Nullable StepCode<I> code,
        @Nullable StepCompensation<I> compensation,
        Retry retry,
        Retry compensationRetry,
        @Nullable Duration timeout,
        @Nullable Predicate<StepContext<I>> condition,
        @Nullable Function<StepContext<I>, ?> args,
        String storeAs,
        boolean merged,
        ResolvableType result,
        boolean deduped,
        boolean fireAndForget) {

    /** The way in which a step completes. */
    enum Kind {
        /** The step's code returns. */
        SYNC,
        /** A callback arrives. */
        ASYNC,
        /** A signal arrives. */
        SIGNAL
    }

    @SuppressWarnings("unchecked") // A definition has only specs of its own input type.
    static <I> PlannedStep<I> of(Object spec, @Nullable Retry defaults, StepDefaults ofAll) {
        return spec instanceof StepSpec<?> step ? of((StepSpec<I>) step, defaults, ofAll) : of((WaitSpec<I>) spec);
    }

    private static <I> PlannedStep<I> of(StepSpec<I> spec, @Nullable Retry defaults, StepDefaults ofAll) {
        Retry retry = Stream.of(spec.retry, defaults, ofAll.retry())
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(Retry::never);
        // The default limits the code of a step. An asynchronous step does not use the default, because the time-out of
        // such a step limits the wait for the callback instead.
        Duration timeout = spec.timeout == null && !spec.async ? ofAll.timeout() : spec.timeout;
        return new PlannedStep<>(
                spec.name,
                spec.async ? Kind.ASYNC : Kind.SYNC,
                spec.code,
                spec.compensation,
                retry,
                spec.compensationRetry == null ? retry : spec.compensationRetry,
                Durations.boundedOrNull(timeout),
                spec.condition,
                spec.args,
                spec.storeAs == null ? spec.name : spec.storeAs,
                spec.async || spec.storeAs == null,
                spec.result,
                spec.deduped,
                spec.fireAndForget);
    }

    private static <I> PlannedStep<I> of(WaitSpec<I> spec) {
        return new PlannedStep<>(
                spec.name,
                Kind.SIGNAL,
                null,
                null,
                Retry.never(),
                Retry.never(),
                Durations.boundedOrNull(spec.timeout),
                spec.condition,
                null,
                spec.storeAs == null ? spec.name : spec.storeAs,
                false,
                ResolvableType.forClass(Object.class),
                false,
                false);
    }

    /** Returns the keys under which the step stores values, if they are known before it is executed. */
    Set<String> knownKeys() {
        Set<String> keys = new TreeSet<>();
        if (fireAndForget) {
            return keys;
        }
        Class<?> known = result.resolve(Object.class);
        if (merged && known.isRecord()) {
            Stream.of(known.getRecordComponents()).map(RecordComponent::getName).forEach(keys::add);
        }
        // A synchronous step that returns a record stores nothing under its own name.
        if (keys.isEmpty() || kind == Kind.ASYNC) {
            keys.add(storeAs);
        }
        return keys;
    }

    /** Returns the values to store for a result of the code. */
    Map<String, JsonNode> stored(@Nullable JsonNode result) {
        return StepValues.stored(kind == Kind.ASYNC ? name : storeAs, merged, result);
    }

    /** Returns the values to store for a callback or a signal. */
    Map<String, JsonNode> storedOfCallback(@Nullable JsonNode payload) {
        return StepValues.stored(storeAs, false, payload);
    }

    /** Returns the faults of this step. Faults of the default policy are reported once, for the saga. */
    Stream<String> faults(@Nullable Retry defaults) {
        return Stream.of(
                        Stream.of(
                                timeout != null && (timeout.isNegative() || timeout.isZero())
                                        ? "has a timeout of %s, which is not positive"
                                                .formatted(DurationText.of(timeout))
                                        : "",
                                fireAndForget && compensation != null
                                        ? "combines fireAndForget with compensate: the saga does not learn the step's outcome, so it cannot compensate the step. Remove one of the two"
                                        : "",
                                fireAndForget && kind == Kind.ASYNC
                                        ? "combines fireAndForget with async: nothing would wait for its callback. Remove one of the two"
                                        : "",
                                fireAndForget && !storeAs.equals(name)
                                        ? "combines fireAndForget with storeResultAs: no later step could rely on the result. Remove one of the two"
                                        : "",
                                storeAs.isBlank() ? "stores its result under a blank key" : ""),
                        retry == defaults ? Stream.<String>empty() : retry.faults(),
                        compensationRetry == retry
                                ? Stream.<String>empty()
                                : compensationRetry.faults().map("has a compensation whose retry policy "::concat))
                .flatMap(each -> each)
                .filter(fault -> !fault.isEmpty());
    }
}
