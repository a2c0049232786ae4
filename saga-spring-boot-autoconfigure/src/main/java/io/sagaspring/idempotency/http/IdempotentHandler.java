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
 * What a handler's annotation says, read.
 *
 * @param name how it shows to people
 * @param required whether a request needs a key
 * @param changesAccount whether its key is found without the account
 * @param patience for how long a repetition waits
 * @param account what a request is about, or null if that does not count
 * @param operation what is done, or null where method and path say so
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

    @SuppressWarnings("unchecked") // So it is documented.
    private static Map<String, String> variables(HttpServletRequest request) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return variables == null ? Map.of() : (Map<String, String>) variables;
    }
}
