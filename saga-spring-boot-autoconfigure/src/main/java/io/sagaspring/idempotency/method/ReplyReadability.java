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

/** Whether a reply can be read back as what its method is declared to return. */
final class ReplyReadability {

    private static final byte[] ANYTHING = "{}".getBytes(StandardCharsets.UTF_8);

    private ReplyReadability() {}

    /** Says of a type why it cannot be. */
    static Optional<String> fault(ResolvableType returned, BooleanSupplier hasOwnCodec) {
        Class<?> raw = returned.resolve(Object.class);
        if (raw == Object.class || raw == Serializable.class) {
            return Optional.of("returns %s, as which a stored reply cannot be read back. Return the type that it is."
                    .formatted(raw.getSimpleName()));
        }
        return unreadable(returned)
                .filter(none -> !hasOwnCodec.getAsBoolean())
                .map(
                        "returns %s, and JSON does not say which class of that it was: a stored reply could not be read back. Return a class, or say it with @JsonTypeInfo."
                                ::formatted)
                .or(() -> notWhole(returned)
                        .filter(none -> !hasOwnCodec.getAsBoolean())
                        .map("returns what a stored reply could not be read back as. %s"::formatted));
    }

    /** The reason why a repetition would not be told all that the first request was. */
    private static Optional<String> notWhole(ResolvableType returned) {
        return Optional.ofNullable(Json.codec.whyUnreadable(returned.getType()));
    }

    /** The part of a type that is not. */
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

    /** Nothing is ever made: an abstract class has no constructor that could run. */
    private static boolean isReadByJackson(Class<?> type) {
        try {
            Json.codec.read(ANYTHING, type);
            return true;
        } catch (PayloadException refused) {
            return !(refused.getCause() instanceof InvalidDefinitionException);
        }
    }

    /** Made only where a method returns something abstract. */
    private static final class Json {

        private static final JsonPayloadCodec codec = new JsonPayloadCodec(ANYTHING.length);
    }
}
