package io.sagaspring.payload;

import io.sagaspring.payload.PayloadException.Reason;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;
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
 * The codec that stores values as JSON. The codec has its own mapper, so that settings for web clients do not change
 * the stored format. The mapper has no default typing, because that would let the stored bytes choose the classes that
 * are instantiated.
 *
 * @since 0.1.0
 */
public final class JsonPayloadCodec implements PayloadCodec {

    private static final String NONE = "";

    private final int largest;

    /** Creating a mapper takes long in a new JVM, so it is created when it is used for the first time. */
    private final Supplier<Jackson> jackson;

    /** The fault of each type that was already checked, or {@link #NONE}. */
    private final Map<Type, String> faults = new ConcurrentHashMap<>();

    /**
     * Creates a codec with a size limit.
     *
     * @param largest the maximum size of a value in bytes
     */
    public JsonPayloadCodec(int largest) {
        this.largest = largest;
        this.jackson = SingletonSupplier.of(() -> Jackson.of(StoredJson.mapper(largest)));
    }

    /**
     * The mapper and what is made from it.
     *
     * @param mapper the mapper
     * @param exact the reader of trees
     * @param roundTrip the check of types
     */
    private record Jackson(JsonMapper mapper, ObjectReader exact, RoundTrip roundTrip) {

        static Jackson of(JsonMapper mapper) {
            // In a tree, any number may be an amount of money, so each number is read exactly as it was written.
            ObjectReader exact = mapper.reader().with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
            return new Jackson(mapper, exact, new RoundTrip(mapper));
        }
    }

    /**
     * Returns the mapper of this codec. The mapper converts values to trees and trees to text, within the limits for
     * stored values.
     *
     * @return the mapper of this codec
     */
    public JsonMapper mapper() {
        return jackson.get().mapper();
    }

    @Override
    public String format() {
        return "json";
    }

    @Override
    public byte[] write(@Nullable Object value) {
        byte[] written;
        try {
            written = mapper().writeValueAsBytes(value);
        } catch (JacksonException refused) {
            throw unwritable(value, refused.getOriginalMessage(), reason(refused), refused);
        } catch (StackOverflowError endless) {
            throw unwritable(value, "it is nested too deeply, or contains itself", Reason.OTHER, endless);
        }
        if (written.length > largest) {
            throw new PayloadException(
                    "A value of %s has %s bytes as JSON, but at most %s are allowed. Store the value elsewhere and pass a reference to it. Values of runs are limited by saga.runs.max-payload-size, and replies under idempotency keys by saga.idempotency.max-reply-size."
                            .formatted(kind(value), written.length, largest),
                    Reason.TOO_LARGE,
                    null);
        }
        return written;
    }

    /**
     * Distinguishes a fault of the value, which the generator rejects, from a fault of the type, which the data binding
     * rejects.
     */
    private static Reason reason(JacksonException refused) {
        return refused instanceof StreamWriteException || refused instanceof StreamConstraintsException
                ? Reason.NOT_STORABLE
                : Reason.OTHER;
    }

    private static PayloadException unwritable(@Nullable Object value, String why, Reason reason, Throwable cause) {
        return new PayloadException(
                "A value of %s cannot be written as JSON: %s. Use a value that Jackson can write, such as a record, or provide a bean of type %s."
                        .formatted(kind(value), why, PayloadCodec.class.getName()),
                reason,
                cause);
    }

    @Override
    public @Nullable Object read(byte[] bytes, Type type) {
        try {
            return type == JsonNode.class
                    ? jackson.get().exact().readTree(bytes)
                    : mapper().readValue(bytes, mapper().constructType(type));
        } catch (JacksonException refused) {
            throw new PayloadException(
                    "Stored JSON of %s bytes cannot be read as %s%s"
                            .formatted(bytes.length, type.getTypeName(), why(refused)),
                    refused);
        }
    }

    /**
     * Describes the fault without showing the value: messages of Jackson that contain values or keys of maps are left
     * out.
     */
    private static String why(JacksonException refused) {
        if (refused instanceof InvalidDefinitionException || refused instanceof StreamConstraintsException) {
            return "%s: %s".formatted(path(refused), refused.getOriginalMessage());
        }
        return "%s: the stored value does not fit the type. Has the type changed since the value was written, or does the code ask for another type?"
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
        try (JsonParser parser = mapper().createParser(bytes)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_NUMBER_INT) {
                    parser.streamReadConstraints().validateIntegerLength(parser.getStringLength());
                } else if (token == JsonToken.VALUE_NUMBER_FLOAT) {
                    parser.streamReadConstraints().validateFPLength(parser.getStringLength());
                }
            }
        } catch (JacksonException refused) {
            throw new PayloadException(
                    "JSON of %s bytes could not be read back: %s. Send a smaller or simpler value."
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
            String found = jackson.get().roundTrip().fault(type);
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
