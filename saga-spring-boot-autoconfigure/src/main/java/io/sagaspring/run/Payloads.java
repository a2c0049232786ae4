package io.sagaspring.run;

import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Values of runs, as they are stored, and back.
 *
 * @since 0.1.0
 */
public final class Payloads {

    private static final Type TEXTS = ResolvableType.forClassWithGenerics(Map.class, String.class, String.class)
            .getType();

    private final PayloadCodec codec;

    /**
     * Values that are stored by a codec.
     *
     * @param codec writes and reads them
     */
    public Payloads(PayloadCodec codec) {
        this.codec = codec;
    }

    /**
     * A value as it is stored.
     *
     * @param value or null
     * @return what the codec has written
     * @throws PayloadException if it cannot be written
     */
    public StoredValue write(@Nullable Object value) {
        return new StoredValue(codec.format(), codec.write(value));
    }

    /**
     * Writes a value that a caller hands in, and whose type is not known yet.
     *
     * @param value or null
     * @return what the codec has written
     * @throws RefusedValueException if the value is too large, or holds what cannot be stored
     * @throws PayloadException if its type cannot be written
     */
    public StoredValue writeGiven(@Nullable Object value) {
        try {
            return writeReadable(value);
        } catch (PayloadException fault) {
            throw refused(fault);
        }
    }

    /** Writes the input of a run, which is given as the type that its code asks for. */
    StoredValue writeInput(@Nullable Object input, Type type) {
        try {
            StoredValue written = write(input);
            requireReadable(written, type);
            return written;
        } catch (PayloadException fault) {
            throw refused(fault);
        }
    }

    private void requireReadable(StoredValue written, Type type) {
        try {
            Object unused = read(written, type);
        } catch (PayloadException unreadable) {
            // Which is thrown says whether the value or its type is at fault.
            codec.requireReadable(written.bytes());
            throw unreadable;
        }
    }

    /** As what a caller sees: his value is refused, or the application's types are wrong. */
    private static PayloadException refused(PayloadException fault) {
        return fault.reason() == PayloadException.Reason.OTHER ? fault : new RefusedValueException(fault);
    }

    private StoredValue writeReadable(@Nullable Object value) {
        StoredValue written = write(value);
        codec.requireReadable(written.bytes());
        return written;
    }

    @Nullable
    StoredValue writeReadableIfAny(@Nullable Object value) {
        return value == null ? null : writeReadable(value);
    }

    /**
     * Requires of a type that its values come back as they were.
     *
     * @param what has values of this type, as the subject of a sentence
     * @param type which
     * @throws PayloadException if they do not
     */
    void requireType(String what, Type type) {
        String why = codec.whyUnreadable(type);
        if (why != null) {
            throw new PayloadException("%s could not be read back. %s".formatted(what, why), null);
        }
    }

    /** Tells whether the codec of this application has written it. */
    boolean isOwn(StoredValue stored) {
        return stored.format().equals(codec.format());
    }

    void requireReadableGiven(StoredValue stored) {
        if (isOwn(stored)) {
            try {
                codec.requireReadable(stored.bytes());
            } catch (PayloadException fault) {
                throw refused(fault);
            }
        }
    }

    /** Null is no bytes: most steps return nothing. */
    @Nullable
    StoredValue writeIfAny(@Nullable Object value) {
        return value == null ? null : write(value);
    }

    /**
     * A value as it was stored.
     *
     * @param stored what a codec has written, or null
     * @param type what it is
     * @return what the codec has read
     * @throws PayloadException if it cannot be read
     */
    public @Nullable Object read(@Nullable StoredValue stored, Type type) {
        if (stored == null) {
            return null;
        }
        if (!isOwn(stored)) {
            throw new PayloadException(
                    "The value was stored as '%s', and the codec of this application reads '%s'. Provide a PayloadCodec that reads both."
                            .formatted(stored.format(), codec.format()),
                    null);
        }
        return codec.read(stored.bytes(), type);
    }

    @SuppressWarnings("unchecked")
    Map<String, String> readTexts(StoredValue stored) {
        return (Map<String, String>) Objects.requireNonNull(read(stored, TEXTS));
    }
}
