package io.sagaspring.saga;

import io.sagaspring.saga.PlannedStep.Kind;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.DigestUtils;

/**
 * What a saga said that it is, checked.
 *
 * @param name under which its executions are stored
 * @param type its class, behind any proxy
 * @param input what an execution is given
 * @param key made from the input, or null
 * @param timeout of an execution, or null
 * @param steps in their order
 * @param <I> what an execution is given
 */
record Plan<I>(
        String name,
        Class<?> type,
        Type input,
        @Nullable Function<? super I, String> key,
        @Nullable Duration timeout,
        List<PlannedStep<I>> steps) {

    private static final int LONGEST_NAME = 100;

    /** Journals, effect keys and signals append to a step's name what tells their own apart. */
    private static final char RESERVED = ':';

    static <I> Plan<I> of(Saga<I> saga, SagaDefinition.Tasks tasks, List<String> faults) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(saga);
        String name = saga.name();
        SagaDefinition<I> said = new SagaDefinition<>(tasks);
        try {
            saga.define(said);
        } catch (RuntimeException failed) {
            said.faults.add("It could not be defined: %s".formatted(failed));
        }
        ResolvableType input = ResolvableType.forClass(type).as(Saga.class).getGeneric(0);
        Plan<I> plan = new Plan<>(
                name,
                type,
                input.getType(),
                said.key,
                said.timeout,
                said.specs.stream()
                        .map(spec -> PlannedStep.<I>of(spec, said.defaults))
                        .toList());
        List<String> found = new ArrayList<>(said.faults);
        if (input.hasUnresolvableGenerics() || input.resolve() == null) {
            found.add(
                    "It does not say what it is given, so that it could not be read back. Implement Saga<Input> with the type, by a class and not by a lambda.");
        }
        Optional.ofNullable(said.defaults)
                .ifPresent(retry ->
                        retry.faults().forEach(fault -> found.add("What it retries by default %s.".formatted(fault))));
        plan.addFaults(found);
        found.forEach(fault -> faults.add("Saga '%s' (%s): %s".formatted(name, type.getName(), fault)));
        return plan;
    }

    private void addFaults(List<String> faults) {
        if (steps.isEmpty()) {
            faults.add("It has no steps.");
        }
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            faults.add("Nothing is over within its timeout of %s.".formatted(timeout));
        }
        Set<String> names = new HashSet<>();
        Map<String, String> owners = new HashMap<>();
        for (PlannedStep<I> step : steps) {
            if (step.name().isBlank()
                    || step.name().length() > LONGEST_NAME
                    || step.name().indexOf(RESERVED) >= 0) {
                faults.add(
                        "A step has the name '%s'. It has 1 to %d characters that are not all blank, and none is '%s'."
                                .formatted(step.name(), LONGEST_NAME, RESERVED));
            }
            if (!names.add(step.name())) {
                faults.add("Two steps have the name '%s'. Results, undos and effect keys are known by it."
                        .formatted(step.name()));
            }
            String before = owners.putIfAbsent(step.storeAs(), step.name());
            if (before != null && !before.equals(step.name())) {
                faults.add("Steps '%s' and '%s' both store their result as '%s': one would be lost."
                        .formatted(before, step.name(), step.storeAs()));
            }
            step.faults().forEach(fault -> faults.add("Step '%s' %s.".formatted(step.name(), fault)));
        }
    }

    /** Tells definitions apart whose journals do not fit one another. */
    String hash() {
        String names = steps.stream()
                .map(step -> step.kind() == Kind.SIGNAL ? "signal " + step.name() : step.name())
                .collect(Collectors.joining("\n"));
        return DigestUtils.md5DigestAsHex(names.getBytes(StandardCharsets.UTF_8))
                .substring(0, 12);
    }
}
