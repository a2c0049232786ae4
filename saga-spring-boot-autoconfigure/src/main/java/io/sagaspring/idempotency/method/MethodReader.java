package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.KeyExpression;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Reads what a method says of itself, and refuses what would leave it without protection. Every fault is a sentence. */
final class MethodReader {

    private static final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final Idempotent said;
    private final Surroundings surroundings;
    private final MethodRules rules;
    private final String name;
    private final Type returned;
    private final List<Arguments.Parameter> parameters;
    private final List<String> faults = new ArrayList<>();

    /** A reader of one method of a class. */
    MethodReader(Method method, Class<?> type, Idempotent said, Surroundings surroundings) {
        Class<?> named = AnnotatedMethods.isOnlyInterfaces(type) ? method.getDeclaringClass() : type;
        this.method = method;
        this.said = said;
        this.surroundings = surroundings;
        this.name = named.getName() + "." + method.getName();
        this.returned = GenericTypeResolver.resolveType(method.getGenericReturnType(), type);
        this.parameters = parameters(method, type);
        this.rules = new MethodRules(method, type, said, surroundings);
    }

    private static List<Arguments.Parameter> parameters(Method method, Class<?> type) {
        Type[] types = method.getGenericParameterTypes();
        @Nullable String @Nullable [] known = names.getParameterNames(method);
        List<Arguments.Parameter> parameters = new ArrayList<>();
        for (int each = 0; each < types.length; each++) {
            parameters.add(new Arguments.Parameter(
                    known == null ? null : known[each], GenericTypeResolver.resolveType(types[each], type)));
        }
        return parameters;
    }

    List<String> faults() {
        return faults.stream().map(each -> name + " " + each).toList();
    }

    /** Worth something only where there are no faults. */
    IdempotentMethod read() {
        rules.check(returned, parameters, faults);
        return new IdempotentMethod(name, said, parameters, expressions(), returned, patience());
    }

    /** Which of them was called would not be in the key. */
    void refuseOverloads(Collection<Method> annotated) {
        boolean isOverloaded = annotated.stream()
                .anyMatch(each -> !each.equals(method) && each.getName().equals(method.getName()));
        if (isOverloaded && said.operation().isEmpty()) {
            faults.add(
                    "has the name of another method that is @Idempotent, and both would have the same keys. Say with operation what each does, such as \"'credit account'\".");
        }
    }

    private Map<String, KeyExpression> expressions() {
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put("requestId", said.requestId());
        sources.put("account", said.account());
        sources.put("operation", said.operation());
        sources.put("fingerprint", said.fingerprint());
        sources.put("unless", said.unless());
        Set<String> known = new Arguments(parameters, Collections.nCopies(parameters.size(), null))
                .variables()
                .keySet();
        Map<String, KeyExpression> read = new HashMap<>();
        sources.forEach((attribute, source) -> {
            if (!source.isEmpty()) {
                Set<String> variables = new HashSet<>(known);
                if (attribute.equals("unless")) {
                    variables.add("result");
                }
                try {
                    read.put(attribute, KeyExpression.parse(source, variables));
                } catch (KeyExpression.Invalid invalid) {
                    faults.add("has the %s \"%s\", and %s".formatted(attribute, source, invalid.getMessage()));
                }
            }
        });
        return read;
    }

    private Duration patience() {
        if (said.patience().isEmpty()) {
            return Duration.ZERO;
        }
        try {
            Duration patience = DurationFormatterUtils.detectAndParse(surroundings.resolve(said.patience()));
            if (!patience.isNegative()) {
                return patience;
            }
        } catch (IllegalArgumentException | DateTimeParseException unreadable) {
            // It is told below.
        }
        faults.add("has the patience \"%s\", which is no duration such as 5s.".formatted(said.patience()));
        return Duration.ZERO;
    }
}
