package io.sagaspring.run;

import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Values of runs, as they are stored, and back. */
final class Payloads {

    private static final Type TEXTS = ResolvableType.forClassWithGenerics(Map.class, String.class, String.class)
            .getType();

    private final PayloadCodec codec;

    Payloads(PayloadCodec codec) {
        this.codec = codec;
    }

    Stored write(@Nullable Object value) {
        return new Stored(codec.format(), codec.write(value));
    }

    /** Null is no bytes: most steps return nothing. */
    @Nullable
    Stored writeIfAny(@Nullable Object value) {
        return value == null ? null : write(value);
    }

    @Nullable
    Object read(@Nullable Stored stored, Type type) {
        if (stored == null) {
            return null;
        }
        if (!stored.format().equals(codec.format())) {
            throw new PayloadException(
                    "The value was stored as '%s', and the codec of this application reads '%s'. Provide a PayloadCodec that reads both."
                            .formatted(stored.format(), codec.format()),
                    null);
        }
        return codec.read(stored.bytes(), type);
    }

    @SuppressWarnings("unchecked")
    Map<String, String> readTexts(Stored stored) {
        return (Map<String, String>) Objects.requireNonNull(read(stored, TEXTS));
    }
}
