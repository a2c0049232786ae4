package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Fingerprint;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.KeyExpression;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a method's annotation says, read once.
 *
 * @param name the method, as it shows to people
 * @param annotation the rest
 * @param expressions by the annotation's attribute, where given
 * @param returned the type of its reply
 * @param patience for how long a repetition waits
 */
record IdempotentMethod(
        String name, Idempotent annotation, Map<String, KeyExpression> expressions, Type returned, Duration patience) {

    IdempotencyKey key(String owner, Map<String, @Nullable Object> arguments, PayloadCodec codec) {
        String requestId = text("requestId", arguments);
        IdempotencyKey key = IdempotencyKey.of(orElse(text("operation", arguments), name), requestId)
                .ownedBy(owner)
                .onAccount(orElse(text("account", arguments), IdempotencyKey.NONE));
        if (requestId == null) {
            return key;
        }
        IdempotencyKey about = key.about(fingerprint(arguments, codec));
        return annotation.changesAccount() ? about.changingAccount() : about;
    }

    boolean isFailure(@Nullable Object result, Map<String, @Nullable Object> arguments) {
        KeyExpression unless = expressions.get("unless");
        if (unless == null) {
            return false;
        }
        Map<String, @Nullable Object> known = new HashMap<>(arguments);
        known.put("result", result);
        return Boolean.TRUE.equals(unless.evaluate(known));
    }

    private Fingerprint fingerprint(Map<String, @Nullable Object> arguments, PayloadCodec codec) {
        KeyExpression given = expressions.get("fingerprint");
        try {
            // By number only: names may come and go with a compiler's settings.
            Object said = given == null
                    ? arguments.entrySet().stream()
                            .filter(each -> each.getKey().matches("p\\d+"))
                            .sorted(Map.Entry.comparingByKey())
                            .map(Map.Entry::getValue)
                            .toArray()
                    : given.evaluate(arguments);
            return Fingerprint.of(codec.write(said));
        } catch (PayloadException unwritable) {
            throw new PayloadException(
                    "What %s is called with cannot be told apart from another request. Say with @Idempotent(fingerprint = …) what makes two requests the same."
                            .formatted(name),
                    unwritable);
        }
    }

    private @Nullable String text(String attribute, Map<String, @Nullable Object> arguments) {
        KeyExpression expression = expressions.get(attribute);
        Object value = expression == null ? null : expression.evaluate(arguments);
        return value == null ? null : value.toString();
    }

    private static String orElse(@Nullable String text, String otherwise) {
        return text == null ? otherwise : text;
    }
}
