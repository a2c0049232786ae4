package io.sagaspring.operations;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the JSON that a person has written. No message repeats a part of it, because the audit keeps messages, and the
 * value may be secret.
 */
final class JsonText {

    private JsonText() {}

    /** Returns the value, or null if it is {@code null} in JSON. */
    static @Nullable JsonNode read(String what, String text) {
        try {
            JsonNode read = JsonMapper.shared().readTree(text);
            return read.isNull() || read.isMissingNode() ? null : read;
        } catch (JacksonException noJson) {
            throw new InvalidOperationException(
                    "The %1$s is not JSON%2$s. Give the %1$s as a string of JSON, such as \"42\" or \"\\\"a receipt\\\"\", or \"null\" if there is none."
                            .formatted(what, place(noJson.getLocation())));
        }
    }

    private static String place(@Nullable TokenStreamLocation found) {
        return found == null ? "" : " (line %s, column %s)".formatted(found.getLineNr(), found.getColumnNr());
    }
}
