package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.method.MethodExpression;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.expression.EvaluationException;

class KeyExpressionTests {

    /** The library treats any failure as the fault of the request. The client must not see the message of SpEL. */
    @Test
    void anExpressionThatFailsIsReportedAsAnInvalidKey() throws Exception {
        Map<String, String> variables = Map.of("item", "book");
        KeyExpression missing = new KeyExpression(MethodExpression.parse("#item.weight", variables.keySet()));

        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> missing.evaluate(variables))
                .withMessage("A part of the idempotency key cannot be determined from this request.")
                .withCauseInstanceOf(EvaluationException.class);
    }
}
