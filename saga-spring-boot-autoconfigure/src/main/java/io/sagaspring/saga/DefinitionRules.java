package io.sagaspring.saga;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.TransactionalMethods;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** What a saga must not be. Each fault is a sentence, and all are told at once. */
final class DefinitionRules {

    private static final int LONGEST_NAME = 100;

    /** Results are JSON, whatever stores the input. */
    private final PayloadCodec results = new JsonPayloadCodec(Integer.MAX_VALUE);

    private final PayloadCodec inputs;
    private final List<String> callbackKeys;

    DefinitionRules(PayloadCodec inputs, List<String> callbackKeys) {
        this.inputs = inputs;
        this.callbackKeys = callbackKeys;
    }

    List<String> faultsOfKeys() {
        return CallbackKeyRules.faults(callbackKeys);
    }

    List<String> faultsOf(SagaPlan<?> plan, @Nullable Retry defaults) {
        List<String> faults = new ArrayList<>();
        addFaultsOfInput(plan, faults);
        if (plan.steps().isEmpty()) {
            faults.add("It has no steps.");
        }
        if (plan.timeout() != null
                && (plan.timeout().isNegative() || plan.timeout().isZero())) {
            faults.add("Nothing is over within its timeout of %s.".formatted(plan.timeout()));
        }
        if (defaults != null) {
            defaults.faults().forEach(fault -> faults.add("What it retries by default %s.".formatted(fault)));
        }
        addFaultsOfTransactions(plan, faults);
        addFaultsOfNames(plan, faults);
        addFaultsOfResults(plan, faults);
        for (PlannedStep<?> step : plan.steps()) {
            step.faults(defaults).forEach(fault -> faults.add("Step '%s' %s.".formatted(step.name(), fault)));
            String why = results.whyUnreadable(known(step.result()));
            if (why != null) {
                faults.add("Step '%s' returns %s, which could not be read back. %s"
                        .formatted(step.name(), step.result(), why));
            }
        }
        if (callbackKeys.isEmpty() && plan.steps().stream().anyMatch(step -> step.kind() == PlannedStep.Kind.ASYNC)) {
            faults.add(
                    "It has asynchronous steps, and saga.sagas.callback-keys is empty: set a secret of at least %d characters, from which the tokens of their callbacks are made."
                            .formatted(CallbackKeyRules.SHORTEST));
        }
        return faults;
    }

    private void addFaultsOfInput(SagaPlan<?> plan, List<String> faults) {
        ResolvableType input = ResolvableType.forType(plan.input());
        if (input.hasUnresolvableGenerics() || input.resolve() == null) {
            faults.add(
                    "It does not say what it is given, so that it could not be read back. Implement Saga<Input> with the type, by a class and not by a lambda.");
        } else {
            String why = inputs.whyUnreadable(plan.input());
            if (why != null) {
                faults.add("It is given %s, which could not be read back. %s".formatted(input, why));
            }
        }
    }

    /** A type with a variable says no more than its class does. */
    private static Type known(ResolvableType type) {
        return type.hasUnresolvableGenerics() || type.resolve() == null ? type.resolve(Object.class) : type.getType();
    }

    /** The saga calls them on itself, past the proxy that would begin a transaction. */
    private static void addFaultsOfTransactions(SagaPlan<?> plan, List<String> faults) {
        TransactionalMethods.of(plan.type(), method -> true)
                .forEach(what -> faults.add(
                        "Its %s is @Transactional, and steps would run without a transaction: a saga calls its own methods past the proxy. Use dedupe() for the step, or move the method to another bean and call that."
                                .formatted(what)));
    }

    private static void addFaultsOfNames(SagaPlan<?> plan, List<String> faults) {
        Set<String> names = new HashSet<>();
        for (PlannedStep<?> step : plan.steps()) {
            String name = step.name();
            if (name.isBlank()
                    || name.length() > LONGEST_NAME
                    || name.codePoints().anyMatch(DefinitionRules::isNoCharacterOfAName)
                    || JournalNames.TAKEN.contains(name)) {
                faults.add(
                        "A step has the name '%s'. It has 1 to %d characters that are not all blank, and none is '%s' or a control character; %s mean something else in a journal."
                                .formatted(name, LONGEST_NAME, JournalNames.RESERVED, JournalNames.TAKEN));
            }
            if (!names.add(name)) {
                faults.add("Two steps have the name '%s'. Results, undos and effect keys are known by it."
                        .formatted(name));
            }
        }
    }

    /** Half a surrogate pair would be stored as a question mark. */
    private static boolean isNoCharacterOfAName(int each) {
        return each == JournalNames.RESERVED
                || Character.isISOControl(each)
                || Character.getType(each) == Character.SURROGATE;
    }

    /** As far as what a step stores is known before it is run. */
    private static void addFaultsOfResults(SagaPlan<?> plan, List<String> faults) {
        Map<String, String> owners = new HashMap<>();
        for (PlannedStep<?> step : plan.steps()) {
            step.knownKeys().forEach(key -> {
                String before = owners.putIfAbsent(key, step.name());
                if (before != null && !before.equals(step.name())) {
                    faults.add(
                            "Steps '%s' and '%s' both store '%s': one would be lost. Say storeResultAs of one of them."
                                    .formatted(before, step.name(), key));
                }
            });
        }
    }
}
