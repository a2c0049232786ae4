package io.sagaspring.saga;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;

/**
 * One step with all of its options.
 *
 * @param name its name
 * @param kind how it comes to its end
 * @param body what it does; null where it waits for a signal
 * @param undo undoes it, or null
 * @param retry when it is tried again
 * @param compensationRetry when its undo is tried again
 * @param timeout of an attempt, or null
 * @param condition whether it is run, or null for always
 * @param args made for its body, or null
 * @param storeAs where a result that is not merged is stored
 * @param merged whether a record or a map is merged into the context
 * @param result what its body returns, as far as that is known
 * @param deduped whether its body is committed with its result
 * @param fireAndForget whether the saga goes on although it failed
 * @param <I> what the execution is given
 */
record PlannedStep<I>(
        String name,
        Kind kind,
        @Nullable StepCode<I> body,
        @Nullable StepCompensation<I> undo,
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

    /** How a step comes to its end. */
    enum Kind {
        /** Its body returns. */
        SYNC,
        /** Somebody calls back. */
        ASYNC,
        /** Somebody signals. */
        SIGNAL
    }

    @SuppressWarnings("unchecked") // A definition takes only specs of its own input.
    static <I> PlannedStep<I> of(Object spec, @Nullable Retry defaults) {
        return spec instanceof StepSpec<?> step ? of((StepSpec<I>) step, defaults) : of((WaitSpec<I>) spec);
    }

    private static <I> PlannedStep<I> of(StepSpec<I> spec, @Nullable Retry defaults) {
        Retry retry = spec.retry != null ? spec.retry : defaults != null ? defaults : Retry.never();
        return new PlannedStep<>(
                spec.name,
                spec.async ? Kind.ASYNC : Kind.SYNC,
                spec.body,
                spec.undo,
                retry,
                spec.compensationRetry == null ? retry : spec.compensationRetry,
                Durations.boundedOrNull(spec.timeout),
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

    /** What is stored, as far as that is known before it is run. */
    Set<String> knownKeys() {
        Set<String> keys = new TreeSet<>();
        if (fireAndForget) {
            return keys;
        }
        Class<?> known = result.resolve(Object.class);
        if (merged && known.isRecord()) {
            Stream.of(known.getRecordComponents()).map(RecordComponent::getName).forEach(keys::add);
        }
        // A step that returns a record, and nothing later, stores nothing under its own name.
        if (keys.isEmpty() || kind == Kind.ASYNC) {
            keys.add(storeAs);
        }
        return keys;
    }

    /** What is stored of what its body returned. */
    Map<String, JsonNode> stored(@Nullable JsonNode result) {
        return StepValues.stored(kind == Kind.ASYNC ? name : storeAs, merged, result);
    }

    /** What is stored of what somebody said. */
    Map<String, JsonNode> storedOfCallback(@Nullable JsonNode payload) {
        return StepValues.stored(storeAs, false, payload);
    }

    /** Those of the defaults are the saga's. */
    Stream<String> faults(@Nullable Retry defaults) {
        return Stream.of(
                        Stream.of(
                                timeout != null && (timeout.isNegative() || timeout.isZero())
                                        ? "is never over within its timeout of %s".formatted(timeout)
                                        : "",
                                fireAndForget && undo != null
                                        ? "is forgotten when it is fired, and has an undo: who needs one must know what became of the step. Leave out fireAndForget or compensate"
                                        : "",
                                fireAndForget && kind == Kind.ASYNC
                                        ? "is forgotten when it is fired, and asynchronous: nobody would wait for its callback. Leave out fireAndForget or async"
                                        : "",
                                fireAndForget && !storeAs.equals(name)
                                        ? "is forgotten when it is fired, and stores its result: no later step could rely on it. Leave out fireAndForget or storeResultAs"
                                        : "",
                                storeAs.isBlank() ? "stores its result under a blank key" : ""),
                        retry == defaults ? Stream.<String>empty() : retry.faults(),
                        compensationRetry == retry
                                ? Stream.<String>empty()
                                : compensationRetry.faults().map("in its undo "::concat))
                .flatMap(each -> each)
                .filter(fault -> !fault.isEmpty());
    }
}
