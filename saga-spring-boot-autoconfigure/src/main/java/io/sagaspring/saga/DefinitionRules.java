package io.sagaspring.saga;

import io.sagaspring.fence.DurationText;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.Labels;
import io.sagaspring.run.Retry;
import io.sagaspring.run.StepDefaults;
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

/** Checks the definition of a saga. All faults are reported together. */
final class DefinitionRules {

    private static final int LONGEST_NAME = 100;

    /** The codec for results, which are always JSON, whatever codec stores the input. */
    private final PayloadCodec results = new JsonPayloadCodec(Integer.MAX_VALUE);

    private final PayloadCodec inputs;
    private final List<String> callbackKeys;
    private final StepDefaults stepDefaults;

    DefinitionRules(PayloadCodec inputs, List<String> callbackKeys, StepDefaults stepDefaults) {
        this.inputs = inputs;
        this.callbackKeys = callbackKeys;
        this.stepDefaults = stepDefaults;
    }

    /** Returns the policy and the time-out of steps that get none from their saga. */
    StepDefaults stepDefaults() {
        return stepDefaults;
    }

    List<String> faultsOfKeys() {
        return CallbackKeyRules.faults(callbackKeys);
    }

    List<String> faultsOf(SagaPlan<?> plan, @Nullable Retry defaults) {
        List<String> faults = new ArrayList<>();
        addFaultsOfInput(plan, faults);
        if (plan.steps().isEmpty()) {
            faults.add("It has no steps. Add at least one.");
        }
        if (plan.timeout() != null
                && (plan.timeout().isNegative() || plan.timeout().isZero())) {
            faults.add("It has a timeout of %s, which is not positive.".formatted(DurationText.of(plan.timeout())));
        }
        if (defaults != null) {
            defaults.faults().forEach(fault -> faults.add("Its default retry policy %s.".formatted(fault)));
        }
        if (plan.whileOpen() && plan.key() == null) {
            faults.add(
                    "It calls whileOpen(), which has no effect without an idempotency key. Call idempotencyKey(…), too.");
        }
        addFaultsOfTransactions(plan, faults);
        addFaultsOfLabels(plan, faults);
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
                    "It has asynchronous steps, but saga.sagas.callback-keys is empty. Set it to a secret of at least %d characters, which the library uses to sign the callback tokens."
                            .formatted(CallbackKeyRules.SHORTEST));
        }
        return faults;
    }

    private void addFaultsOfInput(SagaPlan<?> plan, List<String> faults) {
        ResolvableType input = ResolvableType.forType(plan.input());
        if (input.hasUnresolvableGenerics() || input.resolve() == null) {
            faults.add(
                    "The type of its input is unknown, so the input could not be read back. Implement Saga in a class and not as a lambda, and name the type of the input, as in Saga<Order>.");
        } else {
            String why = inputs.whyUnreadable(plan.input());
            if (why != null) {
                faults.add("Its input is %s, which could not be read back. %s".formatted(input, why));
            }
        }
    }

    /** Returns the known part of a type: for a type with a type variable, its class. */
    private static Type known(ResolvableType type) {
        return type.hasUnresolvableGenerics() || type.resolve() == null ? type.resolve(Object.class) : type.getType();
    }

    /**
     * Adds a fault for each transactional method: the saga calls its own methods without the proxy that would begin a
     * transaction.
     */
    private static void addFaultsOfTransactions(SagaPlan<?> plan, List<String> faults) {
        TransactionalMethods.of(plan.type(), method -> true)
                .forEach(place -> faults.add(
                        "Its %s is @Transactional, but its steps would run without a transaction, because a saga calls its own methods without the proxy. Use dedupe() for the step, or move the method to another bean and call it there."
                                .formatted(place)));
    }

    private static void addFaultsOfLabels(SagaPlan<?> plan, List<String> faults) {
        Set<String> names = plan.labels().keySet();
        for (String name : names) {
            try {
                Labels.requireName(name);
            } catch (InvalidNameException refused) {
                faults.add(String.valueOf(refused.getMessage()));
            }
        }
        if (names.size() > Labels.MOST) {
            faults.add("It has %s labels, but at most %s are allowed. Label only what you look for."
                    .formatted(names.size(), Labels.MOST));
        }
    }

    private static void addFaultsOfNames(SagaPlan<?> plan, List<String> faults) {
        Set<String> names = new HashSet<>();
        for (PlannedStep<?> step : plan.steps()) {
            String name = step.name();
            if (name.isBlank()
                    || name.length() > LONGEST_NAME
                    || name.codePoints().anyMatch(DefinitionRules::isNoCharacterOfAName)
                    || JournalNames.RESERVED_NAMES.contains(name)) {
                faults.add(
                        "A step has the name '%s'. A name must have 1 to %d characters, must not be blank, and must not contain '%s', control characters or unpaired surrogates. The names %s are reserved."
                                .formatted(name, LONGEST_NAME, JournalNames.SEPARATOR, JournalNames.RESERVED_NAMES));
            }
            if (!names.add(name)) {
                faults.add("Two steps have the name '%s', but a name must identify one step. Use different names."
                        .formatted(name));
            }
        }
    }

    /**
     * Returns true if a name must not contain the character. An unpaired surrogate would be stored as a question mark.
     */
    private static boolean isNoCharacterOfAName(int each) {
        return each == JournalNames.SEPARATOR
                || Character.isISOControl(each)
                || Character.getType(each) == Character.SURROGATE;
    }

    /** Adds a fault for each key under which two steps store a value, as far as this is known at start-up. */
    private static void addFaultsOfResults(SagaPlan<?> plan, List<String> faults) {
        Map<String, String> owners = new HashMap<>();
        for (PlannedStep<?> step : plan.steps()) {
            step.knownKeys().forEach(key -> {
                String before = owners.putIfAbsent(key, step.name());
                if (before != null && !before.equals(step.name())) {
                    faults.add(
                            "Steps '%s' and '%s' both store a value under '%s', so one of the two values would be lost. Set storeResultAs of one step to a different key."
                                    .formatted(before, step.name(), key));
                }
            });
        }
    }
}
