package io.sagaspring.saga;

import io.sagaspring.payload.JsonPayloadCodec;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Values as trees, which can be merged, and back. The type always comes from the code that asks. */
final class Json {

    /** How large a value may be is known to the codec. */
    private final JsonMapper mapper = new JsonPayloadCodec(Integer.MAX_VALUE).mapper();

    @Nullable
    JsonNode tree(@Nullable Object value) {
        return value == null ? null : mapper.valueToTree(value);
    }

    JsonNode treeOf(@Nullable Object value) {
        return mapper.valueToTree(value);
    }

    <T> T read(JsonNode tree, Class<T> type) {
        return mapper.treeToValue(tree, type);
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // It was read as this type, which is that of who asks.
    <T> T read(JsonNode tree, Type type) {
        return mapper.treeToValue(tree, mapper.constructType(type));
    }

    <T> Optional<T> find(JsonNode tree, Class<T> type) {
        try {
            return Optional.of(read(tree, type));
        } catch (JacksonException unreadable) {
            return Optional.empty();
        }
    }

    String text(Object value) {
        return mapper.writeValueAsString(value);
    }

    <T> Optional<T> find(String text, Class<T> type) {
        try {
            return Optional.of(mapper.readValue(text, type));
        } catch (JacksonException unreadable) {
            return Optional.empty();
        }
    }
}
