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
 * The parsed annotation of a method.
 *
 * @param name the display name of the method
 * @param annotation the annotation itself
 * @param parameters the parameters of the method
 * @param expressions the parsed expressions, by attribute of the annotation
 * @param returned the type of its reply
 * @param patience the longest time that a duplicate waits
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

    /**
     * Returns true if the result is a failure. If the expression cannot be evaluated for a result of null, that result
     * is not a failure.
     */
    boolean isFailure(@Nullable Object result, Arguments arguments) {
        KeyExpression unless = expressions.get("unless");
        if (unless == null) {
            return false;
        }
        Map<String, @Nullable Object> variables = arguments.variables();
        variables.put("result", result);
        try {
            Object value = unless.evaluate(variables);
            if (value == null || value instanceof Boolean) {
                return Boolean.TRUE.equals(value);
            }
        } catch (InvalidKeyException invalid) {
            if (result == null) {
                return false;
            }
            throw notBoolean(invalid);
        }
        throw notBoolean(null);
    }

    /** Returns an exception that does not report an invalid request, because the request was executed. */
    private IllegalStateException notBoolean(@Nullable Exception cause) {
        return new IllegalStateException(
                "%s has returned, but its unless expression \"%s\" cannot be evaluated to true or false for this result. Change the expression so that it is true or false for every result."
                        .formatted(name, annotation.unless()),
                cause);
    }

    private Fingerprint fingerprint(Arguments arguments, Map<String, @Nullable Object> variables) {
        KeyExpression given = expressions.get("fingerprint");
        Object value = given == null ? null : given.evaluate(variables);
        try {
            return given == null
                    ? Fingerprint.of(written(arguments))
                    : Fingerprint.of(CanonicalJson.write(value, Object.class));
        } catch (PayloadException unwritable) {
            throw new PayloadException(
                    "The fingerprint of a call of %s cannot be computed. Set @Idempotent(fingerprint = …) to the content that two equal requests share."
                            .formatted(name),
                    unwritable);
        }
    }

    /** Writes each argument as its declared type. */
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
