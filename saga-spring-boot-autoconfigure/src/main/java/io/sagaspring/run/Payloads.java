package io.sagaspring.run;

import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Writes and reads the values of runs.
 *
 * @since 0.1.0
 */
public final class Payloads {

    private static final Type TEXTS = ResolvableType.forClassWithGenerics(Map.class, String.class, String.class)
            .getType();

    private final PayloadCodec codec;

    /**
     * Creates an instance that uses the given codec.
     *
     * @param codec the codec that writes and reads the values
     */
    public Payloads(PayloadCodec codec) {
        this.codec = codec;
    }

    /**
     * Converts a value to its stored form.
     *
     * @param value the value, or null
     * @return the stored value
     * @throws PayloadException if the value cannot be written
     */
    public StoredValue write(@Nullable Object value) {
        return new StoredValue(codec.format(), codec.write(value));
    }

    /**
     * Converts a caller's value, whose type is not known yet, to its stored form.
     *
     * @param value the value, or null
     * @return the stored value
     * @throws RefusedValueException if the value is too large, or has a part that cannot be stored
     * @throws PayloadException if its type cannot be written
     */
    public StoredValue writeGiven(@Nullable Object value) {
        try {
            return writeReadable(value);
        } catch (PayloadException fault) {
            throw refused(fault);
        }
    }

    /** Converts the input of a run to its stored form. The input must be readable as the input type of the code. */
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
            // This call throws if the bytes themselves cannot be read. Otherwise, they do not fit the type.
            codec.requireReadable(written.bytes());
            throw unreadable;
        }
    }

    /** Creates the exception for the caller: either the value is rejected, or the application's types are wrong. */
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
     * Requires that values of a type can be read back unchanged.
     *
     * @param subject the origin of the values, with which the exception's message begins
     * @param type the type
     * @throws PayloadException if values of the type cannot be read back unchanged
     */
    void requireType(String subject, Type type) {
        String why = codec.whyUnreadable(type);
        if (why != null) {
            throw new PayloadException(
                    "%s could not be read back, so the step is not executed. %s".formatted(subject, why), null);
        }
    }

    /** Returns true if the value was written in the format of this application's codec. */
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

    /**
     * Converts a value to its stored form. Returns null for null, so that nothing is stored for a step without a
     * result.
     */
    @Nullable
    StoredValue writeIfAny(@Nullable Object value) {
        return value == null ? null : write(value);
    }

    /**
     * Reads a stored value.
     *
     * @param stored the stored value, or null
     * @param type the type of the value
     * @return the value
     * @throws PayloadException if the value cannot be read
     */
    public @Nullable Object read(@Nullable StoredValue stored, Type type) {
        if (stored == null) {
            return null;
        }
        if (!isOwn(stored)) {
            throw new PayloadException(
                    "The value was stored in format '%s', but this application's codec reads '%s'. Provide a PayloadCodec that reads both formats."
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
