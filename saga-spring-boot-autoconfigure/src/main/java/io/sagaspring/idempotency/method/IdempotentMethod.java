package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Fingerprint;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.InvalidKeyException;
import io.sagaspring.idempotency.KeyExpression;
import io.sagaspring.method.Arguments;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a method's annotation says, read once.
 *
 * @param name the method, as it shows to people
 * @param annotation the rest
 * @param parameters what it is called with
 * @param expressions by the annotation's attribute, where given
 * @param returned the type of its reply
 * @param patience for how long a repetition waits
 */
record IdempotentMethod(
        String name,
        Idempotent annotation,
        List<Arguments.Parameter> parameters,
        Map<String, KeyExpression> expressions,
        Type returned,
        Duration patience) {

    Arguments arguments(@Nullable Object[] values) {
        return new Arguments(parameters, Arrays.asList(values));
    }

    IdempotencyKey key(String owner, Arguments arguments) {
        Map<String, @Nullable Object> variables = arguments.variables();
        String requestId = text("requestId", variables);
        IdempotencyKey key = IdempotencyKey.of(
                        Objects.requireNonNullElse(text("operation", variables), name), requestId)
                .ownedBy(owner)
                .onAccount(IdempotencyKey.named(text("account", variables)));
        if (requestId == null) {
            return key;
        }
        IdempotencyKey about = key.about(fingerprint(arguments, variables));
        return annotation.changesAccount() ? about.changingAccount() : about;
    }

    /** Where there is no result, nothing about it can say that it is a failure. */
    boolean isFailure(@Nullable Object result, Arguments arguments) {
        KeyExpression unless = expressions.get("unless");
        if (unless == null) {
            return false;
        }
        Map<String, @Nullable Object> variables = arguments.variables();
        variables.put("result", result);
        try {
            Object said = unless.evaluate(variables);
            if (said == null || said instanceof Boolean) {
                return Boolean.TRUE.equals(said);
            }
        } catch (InvalidKeyException untold) {
            if (result == null) {
                return false;
            }
            throw untold(untold);
        }
        throw untold(null);
    }

    /** Not a fault of the request, which was carried out. */
    private IllegalStateException untold(@Nullable Exception cause) {
        return new IllegalStateException(
                "%s has returned, and its unless \"%s\" does not tell whether that is a failure: it must be true or false for every result."
                        .formatted(name, annotation.unless()),
                cause);
    }

    private Fingerprint fingerprint(Arguments arguments, Map<String, @Nullable Object> variables) {
        KeyExpression given = expressions.get("fingerprint");
        Object said = given == null ? null : given.evaluate(variables);
        try {
            return given == null
                    ? Fingerprint.of(written(arguments))
                    : Fingerprint.of(CanonicalJson.write(said, Object.class));
        } catch (PayloadException unwritable) {
            throw new PayloadException(
                    "What %s is called with cannot be told apart from another request. Say with @Idempotent(fingerprint = …) what makes two requests the same."
                            .formatted(name),
                    unwritable);
        }
    }

    /** Each by itself, as what it is declared to be. */
    private static byte[][] written(Arguments arguments) {
        return IntStream.range(0, arguments.values().size())
                .mapToObj(each -> CanonicalJson.write(
                        arguments.values().get(each),
                        arguments.parameters().get(each).type()))
                .toArray(byte[][]::new);
    }

    private @Nullable String text(String attribute, Map<String, @Nullable Object> variables) {
        KeyExpression expression = expressions.get(attribute);
        Object value = expression == null ? null : expression.evaluate(variables);
        return value == null ? null : value.toString();
    }
}
