package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.IdempotencyKey;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Map;
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
        @Nullable PathExpression account,
        @Nullable PathExpression operation) {

    String operation(HttpServletRequest request) {
        return operation == null
                ? "%s %s"
                        .formatted(
                                request.getMethod(),
                                request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE))
                : operation.evaluate(variables(request));
    }

    String account(HttpServletRequest request) {
        return account == null ? IdempotencyKey.NONE : account.evaluate(variables(request));
    }

    @SuppressWarnings("unchecked") // So it is documented.
    private static Map<String, String> variables(HttpServletRequest request) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return variables == null ? Map.of() : (Map<String, String>) variables;
    }
}
