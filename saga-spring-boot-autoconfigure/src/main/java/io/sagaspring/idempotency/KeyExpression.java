package io.sagaspring.idempotency;

import io.sagaspring.method.MethodExpression;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * An expression of {@link Idempotent}. Where it cannot be told, the request is at fault.
 *
 * @param expression as it was read
 * @since 0.1.0
 */
public record KeyExpression(MethodExpression expression) {

    /**
     * What it is at this moment.
     *
     * @param variables by name
     * @return its value
     * @throws InvalidKeyException if it cannot be told from these
     */
    public @Nullable Object evaluate(Map<String, ? extends @Nullable Object> variables) {
        try {
            return expression.evaluate(variables);
        } catch (EvaluationException failed) {
            InvalidKeyException invalid =
                    new InvalidKeyException("A part of the idempotency key cannot be told from this request.");
            invalid.initCause(failed);
            throw invalid;
        }
    }
}
