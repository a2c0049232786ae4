package io.sagaspring.idempotency;

import io.sagaspring.method.MethodExpression;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * An expression of {@link Idempotent}. If an expression for a part of the key cannot be evaluated, the request is
 * refused as invalid.
 *
 * @param expression the parsed expression
 * @since 0.1.0
 */
public record KeyExpression(MethodExpression expression) {

    /**
     * Evaluates the expression.
     *
     * @param variables the variables by name
     * @return the value
     * @throws InvalidKeyException if the expression cannot be evaluated with these variables
     */
    public @Nullable Object evaluate(Map<String, ? extends @Nullable Object> variables) {
        try {
            return expression.evaluate(variables);
        } catch (EvaluationException failed) {
            InvalidKeyException invalid =
                    new InvalidKeyException("A part of the idempotency key cannot be determined from this request.");
            invalid.initCause(failed);
            throw invalid;
        }
    }
}
