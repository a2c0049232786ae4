package io.sagaspring.saga;

import io.sagaspring.run.Labels;
import io.sagaspring.saga.PlannedStep.Kind;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.DigestUtils;

/**
 * A checked definition of a saga.
 *
 * @param name the name under which its executions are stored
 * @param type the saga's class, without any proxy
 * @param input the type of an execution's input
 * @param key the function that computes the idempotency key from the input, or null
 * @param whileOpen true if the key is free again as soon as its execution has ended
 * @param labels the functions that compute the labels' values from the input, by the labels' names
 * @param timeout the maximum duration of an execution, or null for no limit
 * @param onCompensationFailure the way to continue after a compensation was given up
 * @param steps the steps, in the order in which they run
 * @param <I> the type of an execution's input
 */
record SagaPlan<I>(
        String name,
        Class<?> type,
        Type input,
        @Nullable Function<? super I, String> key,
        boolean whileOpen,
        Map<String, Function<? super I, @Nullable String>> labels,
        @Nullable Duration timeout,
        OnCompensationFailure onCompensationFailure,
        List<PlannedStep<I>> steps) {

    static <I> SagaPlan<I> of(
            Saga<I> saga,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            DefinitionRules rules,
            List<String> faults) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(saga);
        String name = saga.name();
        SagaDefinition<I> definition = new SagaDefinition<>(tasks);
        try {
            saga.define(definition);
        } catch (RuntimeException failed) {
            definition.faults.add("Its define method failed: %s".formatted(failed));
        }
        SagaPlan<I> plan = new SagaPlan<>(
                name,
                type,
                ResolvableType.forClass(type).as(Saga.class).getGeneric(0).getType(),
                definition.key,
                definition.whileOpen,
                Collections.unmodifiableMap(definition.labels),
                Durations.boundedOrNull(definition.timeout),
                definition.onCompensationFailure,
                definition.specs.stream()
                        .map(spec -> PlannedStep.<I>of(spec, definition.defaults, rules.stepDefaults()))
                        .toList());
        List<String> found = new ArrayList<>(definition.faults);
        found.addAll(rules.faultsOf(plan, definition.defaults));
        found.forEach(fault -> faults.add("Saga '%s' (%s): %s".formatted(name, type.getName(), fault)));
        return plan;
    }

    /** Computes the labels of an execution from its input, which must be of the input type of this saga. */
    @SuppressWarnings("unchecked")
    Map<String, String> labelsOf(Object input) {
        Map<String, String> computed = Map.of();
        for (Map.Entry<String, Function<? super I, @Nullable String>> label : labels.entrySet()) {
            String value = label.getValue().apply((I) input);
            computed = value == null ? computed : Labels.with(computed, label.getKey(), value);
        }
        return computed;
    }

    Optional<PlannedStep<I>> find(String step, Kind kind) {
        return steps.stream()
                .filter(each -> each.name().equals(step) && each.kind() == kind)
                .findFirst();
    }

    PlannedStep<I> require(String step, Kind kind) {
        return find(step, kind)
                .orElseThrow(() -> new IllegalArgumentException("Saga '%s' has no %s '%s'. Use one of %s."
                        .formatted(
                                name,
                                kind == Kind.SIGNAL ? "wait for a signal" : "asynchronous step",
                                step,
                                steps.stream()
                                        .filter(each -> each.kind() == kind)
                                        .map(PlannedStep::name)
                                        .toList())));
    }

    /**
     * Returns a hash of the steps: their names, their order, and for each whether it waits for a signal. A journal fits
     * only definitions with the same hash.
     */
    String hash() {
        String names = steps.stream()
                .map(step -> step.kind() == Kind.SIGNAL ? "signal " + step.name() : step.name())
                .collect(Collectors.joining("\n"));
        return DigestUtils.md5DigestAsHex(names.getBytes(StandardCharsets.UTF_8))
                .substring(0, 12);
    }
}
