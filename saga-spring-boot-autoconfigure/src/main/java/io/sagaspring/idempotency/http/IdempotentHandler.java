package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyExpression;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The parsed annotation of a handler.
 *
 * @param name the display name of the handler
 * @param required true if a request needs a key
 * @param changesAccount true if the operation replaces its account by another; the key is then found without the
 *     account
 * @param patience the longest time that a duplicate waits
 * @param account the expression of the account, or null for keys without an account
 * @param operation the expression of the operation, or null if method and path are the operation
 */
record IdempotentHandler(
        String name,
        boolean required,
        boolean changesAccount,
        Duration patience,
        @Nullable KeyExpression account,
        @Nullable KeyExpression operation) {

    String operation(HttpServletRequest request) {
        return operation == null
                ? "%s %s"
                        .formatted(
                                request.getMethod(),
                                request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE))
                : Objects.requireNonNullElse(text(operation, request), IdempotencyKey.NONE);
    }

    String account(HttpServletRequest request) {
        return IdempotencyKey.named(account == null ? null : text(account, request));
    }

    private static @Nullable String text(KeyExpression expression, HttpServletRequest request) {
        Object value = expression.evaluate(variables(request));
        return value == null ? null : value.toString();
    }

    @SuppressWarnings("unchecked") // Spring's documentation guarantees this type for the attribute.
    private static Map<String, String> variables(HttpServletRequest request) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return variables == null ? Map.of() : (Map<String, String>) variables;
    }
}
