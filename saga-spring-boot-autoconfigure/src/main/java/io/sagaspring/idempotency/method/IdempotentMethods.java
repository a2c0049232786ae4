package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.KeyExpression;
import io.sagaspring.method.AdvisedMethods;
import io.sagaspring.method.MethodExpression;
import io.sagaspring.method.MethodReading;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Reads what methods say of themselves, and leaves alone those that are handlers of requests. */
final class IdempotentMethods extends AdvisedMethods<Idempotent, IdempotentMethod> {

    private final IdempotentPostProcessor.Surroundings surroundings;

    IdempotentMethods(IdempotentPostProcessor.Surroundings surroundings) {
        super(Idempotent.class);
        this.surroundings = surroundings;
    }

    @Override
    protected boolean isLeftToOthers(Method method, Class<?> type, Idempotent said) {
        if (!HandlerMethods.isHandler(method, type)) {
            return false;
        }
        return switch (surroundings.handlers()) {
            case PROTECTED -> true;
            case NEVER_ASKED -> said.requestId().isEmpty();
            case UNSUPPORTED -> false;
        };
    }

    @Override
    protected IdempotentMethod read(MethodReading reading, Idempotent said, Set<Method> others) {
        refuseOverloads(reading, said, others);
        new MethodRules(reading, said, surroundings).check();
        Duration patience = reading.duration("patience", said.patience(), surroundings::resolve);
        return new IdempotentMethod(
                reading.name(),
                said,
                reading.parameters(),
                expressions(reading, said),
                reading.returned(),
                patience == null ? Duration.ZERO : patience);
    }

    /** Which of them was called would not be in the key. */
    private static void refuseOverloads(MethodReading reading, Idempotent said, Set<Method> others) {
        Method method = reading.method();
        boolean isOverloaded = others.stream()
                .anyMatch(each -> !each.equals(method) && each.getName().equals(method.getName()));
        if (isOverloaded && said.operation().isEmpty()) {
            reading.fault(
                    "has the name of another method that is @Idempotent, and both would have the same keys. Say with operation what each does, such as \"'credit account'\".");
        }
    }

    private static Map<String, KeyExpression> expressions(MethodReading reading, Idempotent said) {
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put("requestId", said.requestId());
        sources.put("account", said.account());
        sources.put("operation", said.operation());
        sources.put("fingerprint", said.fingerprint());
        sources.put("unless", said.unless());
        Map<String, KeyExpression> read = new HashMap<>();
        sources.forEach((attribute, source) -> {
            Set<String> variables = new HashSet<>(reading.variables());
            if (attribute.equals("unless")) {
                variables.add("result");
            }
            MethodExpression expression = source.isEmpty() ? null : reading.expression(attribute, source, variables);
            if (expression != null) {
                read.put(attribute, new KeyExpression(expression));
            }
        });
        return read;
    }
}
