package io.sagaspring.idempotency.method;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadException;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.exc.InvalidDefinitionException;

/** Checks that a reply can be read back as the declared return type of its method. */
final class ReplyReadability {

    private static final byte[] ANYTHING = "{}".getBytes(StandardCharsets.UTF_8);

    private ReplyReadability() {}

    /**
     * Finds the reason why a reply of this type could not be read back. The reason is the rest of a sentence that
     * begins with the method's name.
     */
    static Optional<String> fault(ResolvableType returned, BooleanSupplier hasOwnCodec) {
        Class<?> raw = returned.resolve(Object.class);
        if (raw == Object.class || raw == Serializable.class) {
            return Optional.of(
                    "returns %s, and a stored reply cannot be read back as this type. Return a more specific type."
                            .formatted(raw.getSimpleName()));
        }
        return unreadable(returned)
                .filter(none -> !hasOwnCodec.getAsBoolean())
                .map(
                        "returns %s, but JSON does not contain the concrete class, so a stored reply could not be read back. Return a concrete class, or annotate the type with @JsonTypeInfo."
                                ::formatted)
                .or(() -> incomplete(returned)
                        .filter(none -> !hasOwnCodec.getAsBoolean())
                        .map("returns a type that cannot be restored from a stored reply. %s"::formatted));
    }

    /** Returns the reason why a repeated request would not get the complete reply. */
    private static Optional<String> incomplete(ResolvableType returned) {
        return Optional.ofNullable(Json.codec.whyUnreadable(returned.getType()));
    }

    /** Finds the part of a type that is abstract and that Jackson cannot read. */
    private static Optional<String> unreadable(ResolvableType type) {
        Class<?> raw = type.resolve(Object.class);
        if (Modifier.isAbstract(raw.getModifiers()) && !raw.isPrimitive() && !raw.isArray() && !isReadByJackson(raw)) {
            return Optional.of(raw.getName());
        }
        return Arrays.stream(type.isArray() ? new ResolvableType[] {type.getComponentType()} : type.getGenerics())
                .map(ReplyReadability::unreadable)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * Returns true if Jackson can create a value of an abstract type. Tries to read an empty object as this type. If
     * Jackson does not know a class to create, reading fails with an {@link InvalidDefinitionException}.
     */
    private static boolean isReadByJackson(Class<?> type) {
        try {
            Json.codec.read(ANYTHING, type);
            return true;
        } catch (PayloadException refused) {
            return !(refused.getCause() instanceof InvalidDefinitionException);
        }
    }

    /** The codec, created when the first method is checked. */
    private static final class Json {

        private static final JsonPayloadCodec codec = new JsonPayloadCodec(ANYTHING.length);
    }
}
