package io.sagaspring.payload;

import io.sagaspring.payload.PayloadException.Reason;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON, by a mapper of our own: what the application sets for its web clients must not change what its database holds, and
 * a mapper with default typing would let the bytes choose classes.
 *
 * @since 0.1.0
 */
public final class JsonPayloadCodec implements PayloadCodec {

    private static final String NONE = "";

    private final JsonMapper mapper;
    private final ObjectReader exact;
    private final RoundTrip roundTrip;
    private final int largest;

    /** The fault of each type; most have none. */
    private final Map<Type, String> faults = new ConcurrentHashMap<>();

    /**
     * A codec with a limit.
     *
     * @param largest how many bytes a value may have
     */
    public JsonPayloadCodec(int largest) {
        this.largest = largest;
        this.mapper = StoredJson.mapper(largest);
        this.roundTrip = new RoundTrip(mapper);
        // Of a tree nobody says which numbers are amounts: all are read as they were written.
        this.exact = mapper.reader().with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    }

    /**
     * Makes trees of values, and texts of trees, with the limits of what this codec stores.
     *
     * @return the mapper of this codec
     */
    public JsonMapper mapper() {
        return mapper;
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
        } catch (JacksonException refused) {
            throw unwritable(value, refused.getOriginalMessage(), reason(refused), refused);
        } catch (StackOverflowError endless) {
            throw unwritable(value, "it is nested too deeply, or contains itself", Reason.OTHER, endless);
        }
        if (written.length > largest) {
            throw new PayloadException(
                    "A value of %s has %s bytes as JSON, and %s are allowed. Store it elsewhere and return where it is, or raise the limit."
                            .formatted(kind(value), written.length, largest),
                    Reason.TOO_LARGE,
                    null);
        }
        return written;
    }

    /** The generator refuses a value, and the data binding refuses a type. */
    private static Reason reason(JacksonException refused) {
        return refused instanceof StreamWriteException || refused instanceof StreamConstraintsException
                ? Reason.NOT_STORABLE
                : Reason.OTHER;
    }

    private static PayloadException unwritable(@Nullable Object value, String why, Reason reason, Throwable cause) {
        return new PayloadException(
                "A value of %s cannot be written as JSON: %s. Return what Jackson can write, such as a record, or provide a bean of type %s."
                        .formatted(kind(value), why, PayloadCodec.class.getName()),
                reason,
                cause);
    }

    @Override
    public @Nullable Object read(byte[] bytes, Type type) {
        try {
            return type == JsonNode.class ? exact.readTree(bytes) : mapper.readValue(bytes, mapper.constructType(type));
        } catch (JacksonException refused) {
            throw new PayloadException(
                    "Stored JSON of %s bytes cannot be read as %s%s"
                            .formatted(bytes.length, type.getTypeName(), why(refused)),
                    refused);
        }
    }

    /** Without what the value has: messages about that are left out, and keys of maps, too. */
    private static String why(JacksonException refused) {
        if (refused instanceof InvalidDefinitionException || refused instanceof StreamConstraintsException) {
            return "%s: %s".formatted(path(refused), refused.getOriginalMessage());
        }
        return "%s: what is there does not fit. Has the type changed since it was written, or was another one given?"
                .formatted(path(refused));
    }

    private static String path(JacksonException refused) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference each : refused.getPath()) {
            boolean isKey = each.from() instanceof Map || each.from() == Map.class;
            if (each.getPropertyName() == null || isKey) {
                path.append(isKey ? "[…]" : "[" + each.getIndex() + "]");
            } else {
                path.append(path.isEmpty() ? "" : ".").append(each.getPropertyName());
            }
        }
        return path.isEmpty() ? "" : ", at '%s'".formatted(path);
    }

    @Override
    public void requireReadable(byte[] bytes) {
        try (JsonParser parser = mapper.createParser(bytes)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_NUMBER_INT) {
                    parser.streamReadConstraints().validateIntegerLength(parser.getStringLength());
                } else if (token == JsonToken.VALUE_NUMBER_FLOAT) {
                    parser.streamReadConstraints().validateFPLength(parser.getStringLength());
                }
            }
        } catch (JacksonException refused) {
            throw new PayloadException(
                    "JSON of %s bytes could not be read back: %s. Send less, or in another shape."
                            .formatted(bytes.length, refused.getOriginalMessage()),
                    Reason.NOT_STORABLE,
                    refused);
        }
    }

    @Override
    public @Nullable String whyUnreadable(Type type) {
        String fault = faults.get(type);
        if (fault == null) {
            fault = NONE;
            String found = roundTrip.fault(type);
            if (found != null) {
                fault = found;
            }
            faults.put(type, fault);
        }
        return fault.isEmpty() ? null : fault;
    }

    private static String kind(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getName();
    }
}
