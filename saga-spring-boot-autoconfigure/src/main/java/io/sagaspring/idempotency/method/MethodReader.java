package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.KeyExpression;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Reads what a method says of itself, and refuses what would leave it without protection. */
final class MethodReader {

    private static final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

    private final UnaryOperator<String> placeholders;
    private final List<String> faults = new ArrayList<>();

    MethodReader(UnaryOperator<String> placeholders) {
        this.placeholders = placeholders;
    }

    List<String> faults() {
        return faults;
    }

    /** Null where something is wrong. */
    @Nullable
    IdempotentMethod read(Method method, Class<?> target, Idempotent said) {
        String name = target.getName() + "." + method.getName();
        Class<?> returned = GenericTypeResolver.resolveReturnType(method, target);
        List<String> wrong = new ArrayList<>();
        if (Modifier.isPrivate(method.getModifiers())
                || Modifier.isStatic(method.getModifiers())
                || Modifier.isFinal(method.getModifiers())) {
            wrong.add(
                    "is private, static or final, so that no proxy can stand before it. Make it an instance method that may be overridden.");
        }
        if (isLater(returned)) {
            wrong.add(
                    "returns %s, whose result is not there when the method ends: there would be no reply to store. Return the value itself."
                            .formatted(returned.getName()));
        }
        if (said.requestId().isEmpty()) {
            wrong.add("does not say where the request id is. Add requestId, such as \"#requestId\".");
        }
        if (said.changesAccount() && said.fingerprint().isEmpty()) {
            wrong.add(
                    "changes its account, so that a repetition may come with another one. Say with fingerprint what makes two requests the same.");
        }
        if (said.sameTransaction() && !said.patience().isEmpty()) {
            wrong.add(
                    "has a patience, and with sameTransaction a repetition waits for the transaction, up to saga.idempotency.transaction-patience. Remove it.");
        }
        Map<String, KeyExpression> expressions = expressions(method, said, wrong);
        Duration patience = patience(said, wrong);
        wrong.forEach(each -> faults.add(name + " " + each));
        return wrong.isEmpty()
                ? new IdempotentMethod(
                        name,
                        said,
                        expressions,
                        GenericTypeResolver.resolveType(method.getGenericReturnType(), target),
                        patience)
                : null;
    }

    /** The arguments by name, where the compiler has kept it, and by number. */
    static Map<String, @Nullable Object> arguments(Method method, @Nullable Object[] values) {
        Map<String, @Nullable Object> arguments = new HashMap<>();
        String[] known = names.getParameterNames(method);
        for (int each = 0; each < values.length; each++) {
            arguments.put("p" + each, values[each]);
            if (known != null) {
                arguments.put(known[each], values[each]);
            }
        }
        return arguments;
    }

    private static boolean isLater(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    private static Map<String, KeyExpression> expressions(Method method, Idempotent said, List<String> wrong) {
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put("requestId", said.requestId());
        sources.put("account", said.account());
        sources.put("operation", said.operation());
        sources.put("fingerprint", said.fingerprint());
        sources.put("unless", said.unless());
        List<String> known = new ArrayList<>(
                arguments(method, new Object[method.getParameterCount()]).keySet());
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
                    wrong.add("has the %s \"%s\", and %s".formatted(attribute, source, invalid.getMessage()));
                }
            }
        });
        return read;
    }

    private Duration patience(Idempotent said, List<String> wrong) {
        if (said.patience().isEmpty()) {
            return Duration.ZERO;
        }
        try {
            return DurationFormatterUtils.detectAndParse(placeholders.apply(said.patience()));
        } catch (IllegalArgumentException | DateTimeParseException unreadable) {
            wrong.add("has the patience \"%s\", which is no duration such as 5s.".formatted(said.patience()));
            return Duration.ZERO;
        }
    }
}
