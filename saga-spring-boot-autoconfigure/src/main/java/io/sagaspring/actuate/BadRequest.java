package io.sagaspring.actuate;

import io.sagaspring.operations.InvalidOperationException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;

/**
 * The problem detail for a request that cannot be read. Spring Boot's own response to {@link
 * InvalidEndpointRequestException} leaves out the reason by default.
 *
 * @param type the URI of the problem's kind
 * @param title the problem's kind, for display
 * @param status the status of the response
 * @param detail the description of the problem: the value, the fault, and a valid value
 */
record BadRequest(
        String type, String title, int status, @Nullable String detail) {

    private static final MimeType PROBLEM = MimeType.valueOf("application/problem+json");

    static InvalidEndpointRequestException because(String detail) {
        return new InvalidEndpointRequestException(detail, detail);
    }

    static <T> T read(String text, Function<String, T> reading, String remedy) {
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException unreadable) {
            String detail = "'%s' cannot be read: %s %s".formatted(text, sentence(unreadable), remedy);
            throw new InvalidEndpointRequestException(detail, detail, unreadable);
        }
    }

    private static String sentence(Throwable unreadable) {
        String message = String.valueOf(unreadable.getMessage());
        return message.endsWith(".") ? message : message + ".";
    }

    /** Performs an operation, and reports a value that the operation does not accept. */
    static <T> T unless(Supplier<T> operation) {
        try {
            return operation.get();
        } catch (InvalidOperationException invalid) {
            String detail = String.valueOf(invalid.getMessage());
            throw new InvalidEndpointRequestException(detail, detail, invalid);
        }
    }

    static WebEndpointResponse<?> orElse(Supplier<WebEndpointResponse<?>> answer) {
        try {
            return answer.get();
        } catch (InvalidEndpointRequestException bad) {
            int status = WebEndpointResponse.STATUS_BAD_REQUEST;
            return new WebEndpointResponse<>(
                    new BadRequest("about:blank", "Bad Request", status, bad.getReason()), status, PROBLEM);
        }
    }
}
