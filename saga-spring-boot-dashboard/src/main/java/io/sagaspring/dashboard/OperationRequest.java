package io.sagaspring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The body of a request for an operation: a JSON object with texts and numbers. */
final class OperationRequest {

    private static final int LONGEST = 64 * 1024;

    private final JsonNode body;

    private OperationRequest(JsonNode body) {
        this.body = body;
    }

    static OperationRequest of(HttpServletRequest request, JsonMapper mapper) throws IOException {
        byte[] content = request.getInputStream().readNBytes(LONGEST + 1);
        if (content.length > LONGEST) {
            throw ProblemException.badRequest("The request is longer than 64 kB. Shorten it.");
        }
        try {
            JsonNode body = mapper.readTree(content);
            if (body.isObject()) {
                return new OperationRequest(body);
            }
        } catch (JacksonException unreadable) {
            throw ProblemException.badRequest(
                    "The request is not JSON. Send an object such as {\"operation\":\"run.retry\",\"id\":\"…\"}.");
        }
        throw ProblemException.badRequest("The request is not a JSON object.");
    }

    String text(String name) {
        String found = textOrNull(name);
        if (found == null || found.isBlank()) {
            throw ProblemException.badRequest("The field '%s' is missing or empty. Add it.".formatted(name));
        }
        return found;
    }

    @Nullable
    String textOrNull(String name) {
        JsonNode found = body.path(name);
        if (found.isMissingNode() || found.isNull()) {
            return null;
        }
        if (!found.isString() && !found.isNumber()) {
            throw ProblemException.badRequest("The field '%s' must be a text.".formatted(name));
        }
        return found.asString();
    }

    /** Returns a text, or null if there is none. Use this only to describe a request that is refused anyway. */
    @Nullable
    String ifText(String name) {
        JsonNode found = body.path(name);
        return found.isString() || found.isNumber() ? found.asString() : null;
    }

    /** Reads a number. JavaScript cannot hold every number of the library, so the page sends it as a text. */
    long number(String name) {
        return read(name, Long::parseLong);
    }

    int integer(String name) {
        return read(name, Integer::parseInt);
    }

    @Nullable
    Integer integerOrNull(String name) {
        return textOrNull(name) == null ? null : integer(name);
    }

    <T> T read(String name, Function<String, T> reading) {
        String text = text(name);
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException | DateTimeException unreadable) {
            throw ProblemException.badRequest("The field '%s' cannot be read. Correct its value.".formatted(name));
        }
    }
}
