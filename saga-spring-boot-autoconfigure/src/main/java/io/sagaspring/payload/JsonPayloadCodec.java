package io.sagaspring.payload;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON, by a mapper of our own: what the application sets for its web clients must not change what its database holds, and
 * a mapper with default typing would let the bytes choose classes.
 */
public final class JsonPayloadCodec implements PayloadCodec {

    private static final int DEEPEST = 200;

    private final JsonMapper mapper;
    private final ObjectReader exact;
    private final int largest;

    /**
     * A codec with a limit.
     *
     * @param largest how many bytes a value may have
     */
    public JsonPayloadCodec(int largest) {
        this.largest = largest;
        this.mapper = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(DEEPEST)
                                .maxDocumentLength(largest)
                                .maxStringLength(largest)
                                .build())
                        .build())
                .findAndAddModules()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                // A newer version of the application may have written a property that this one does not know.
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        this.exact = exactly(mapper);
    }

    /** Of a tree nobody says which numbers are amounts: all are read as they were written. */
    private static ObjectReader exactly(JsonMapper mapper) {
        return mapper.reader()
                .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    }

    @Override
    public String format() {
        return "json";
    }

    @Override
    public byte[] write(@Nullable Object value) {
        byte[] written;
        try {
            written = mapper.writeValueAsBytes(value);
        } catch (JacksonException | StackOverflowError refused) {
            throw new PayloadException(
                    "A value of %s cannot be written as JSON. Return what Jackson can write, such as a record, or provide a bean of type %s."
                            .formatted(kind(value), PayloadCodec.class.getName()),
                    refused);
        }
        if (written.length > largest) {
            throw new PayloadException(
                    "A value of %s has %d bytes as JSON, and %d are allowed. Store it elsewhere and return where it is, or raise the limit."
                            .formatted(kind(value), written.length, largest),
                    null);
        }
        return written;
    }

    @Override
    public @Nullable Object read(byte[] bytes, Type type) {
        try {
            return type == JsonNode.class ? exact.readTree(bytes) : mapper.readValue(bytes, mapper.constructType(type));
        } catch (JacksonException refused) {
            throw new PayloadException(
                    "Stored JSON of %d bytes is no %s. Has the type changed since it was written?"
                            .formatted(bytes.length, type.getTypeName()),
                    refused);
        }
    }

    private static String kind(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getName();
    }
}
