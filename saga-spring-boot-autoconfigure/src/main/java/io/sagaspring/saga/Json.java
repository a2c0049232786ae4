package io.sagaspring.saga;

import io.sagaspring.payload.JsonPayloadCodec;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Converts values to and from JSON trees, which can be merged. The calling code always provides the type. */
final class Json {

    /** Has no size limit, because the codec of runs checks sizes. */
    private final JsonPayloadCodec codec = new JsonPayloadCodec(Integer.MAX_VALUE);

    private JsonMapper mapper() {
        return codec.mapper();
    }

    @Nullable
    JsonNode tree(@Nullable Object value) {
        return value == null ? null : mapper().valueToTree(value);
    }

    JsonNode treeOf(@Nullable Object value) {
        return mapper().valueToTree(value);
    }

    <T> T read(JsonNode tree, Class<T> type) {
        return mapper().treeToValue(tree, type);
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // The calling code provides the type.
    <T> T read(JsonNode tree, Type type) {
        return mapper().treeToValue(tree, mapper().constructType(type));
    }

    <T> Optional<T> find(JsonNode tree, Class<T> type) {
        try {
            return Optional.of(read(tree, type));
        } catch (JacksonException unreadable) {
            return Optional.empty();
        }
    }

    String text(Object value) {
        return mapper().writeValueAsString(value);
    }

    <T> Optional<T> find(String text, Class<T> type) {
        try {
            return Optional.of(mapper().readValue(text, type));
        } catch (JacksonException unreadable) {
            return Optional.empty();
        }
    }
}
