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

/**
 * The pointcut of {@link Idempotent} methods. The pointcut leaves out handlers that the web support protects. Without
 * Spring MVC, the pointcut leaves out handlers without a {@code requestId}.
 */
final class IdempotentMethods extends AdvisedMethods<Idempotent, IdempotentMethod> {

    private final IdempotentPostProcessor.Application application;

    IdempotentMethods(IdempotentPostProcessor.Application application) {
        super(Idempotent.class);
        this.application = application;
    }

    @Override
    protected boolean isHandledElsewhere(Method method, Class<?> type, Idempotent annotation) {
        if (!HandlerMethods.isHandler(method, type)) {
            return false;
        }
        return switch (application.handlers()) {
            case PROTECTED -> true;
            case UNPROTECTED -> annotation.requestId().isEmpty();
            case UNSUPPORTED -> false;
        };
    }

    @Override
    protected IdempotentMethod read(MethodReading reading, Idempotent annotation, Set<Method> others) {
        refuseOverloads(reading, annotation, others);
        new MethodRules(reading, annotation, application).check();
        Duration patience = reading.duration("patience", annotation.patience(), application::resolve);
        return new IdempotentMethod(
                reading.name(),
                annotation,
                reading.parameters(),
                expressions(reading, annotation),
                reading.returned(),
                patience == null ? Duration.ZERO : patience);
    }

    /** Adds a fault for overloads without an operation, because all of them would have the same default operation. */
    private static void refuseOverloads(MethodReading reading, Idempotent annotation, Set<Method> others) {
        Method method = reading.method();
        boolean isOverloaded = others.stream()
                .anyMatch(each -> !each.equals(method) && each.getName().equals(method.getName()));
        if (isOverloaded && annotation.operation().isEmpty()) {
            reading.fault(
                    "has the same name as another @Idempotent method, so both would have the same keys. Give each its own operation, such as \"'credit account'\".");
        }
    }

    private static Map<String, KeyExpression> expressions(MethodReading reading, Idempotent annotation) {
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put("requestId", annotation.requestId());
        sources.put("account", annotation.account());
        sources.put("operation", annotation.operation());
        sources.put("fingerprint", annotation.fingerprint());
        sources.put("unless", annotation.unless());
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
