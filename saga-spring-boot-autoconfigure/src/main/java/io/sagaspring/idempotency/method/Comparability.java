package io.sagaspring.idempotency.method;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Searches the declared type of an argument for parts that JSON cannot represent in full. The search covers the types
 * of the argument's properties, elements and keys, and the permitted subclasses of a sealed type.
 */
final class Comparability {

    private final SerializationContext context = CanonicalJson.context();
    private final Set<JavaType> seen = new HashSet<>();

    private Comparability() {}

    private record Part(String path, JavaType type) {}

    /** Finds a part of a parameter that cannot be compared, and describes it with its path. */
    static Optional<String> fault(String name, Type declared) {
        Comparability comparability = new Comparability();
        return Optional.ofNullable(comparability.unseen(new Part(name, comparability.context.constructType(declared))));
    }

    private @Nullable String unseen(Part part) {
        JavaType type = part.type();
        if (isOnlyKnownLater(type.getRawClass()) || !seen.add(type)) {
            return null;
        }
        ValueSerializer<?> serializer = context.findValueSerializer(type);
        if (serializer instanceof RefuseOpaqueValues.Refused refused) {
            return description(part.path(), refused);
        }
        JavaType key = type.isMapLikeType() ? type.getKeyType() : null;
        if (key != null && context.findKeySerializer(key, null) instanceof RefuseOpaqueValues.Refused refused) {
            return description("a key of " + part.path(), refused);
        }
        for (Part each : parts(part, serializer)) {
            String unseen = unseen(each);
            if (unseen != null) {
                return unseen;
            }
        }
        return null;
    }

    private static boolean isOnlyKnownLater(Class<?> type) {
        return type == Object.class || type == Record.class || type == Enum.class;
    }

    private static String description(String path, RefuseOpaqueValues.Refused refused) {
        return "%s as %s, %s".formatted(refused.type().getName(), path, refused.reason());
    }

    private List<Part> parts(Part whole, ValueSerializer<?> serializer) {
        List<Part> parts = new ArrayList<>();
        JavaType type = whole.type();
        if (serializer instanceof BeanSerializerBase) {
            serializer
                    .properties()
                    .forEachRemaining(each -> parts.add(new Part(whole.path() + "." + each.getName(), each.getType())));
        } else {
            addIfAny(parts, whole.path(), type.getContentType());
            type.getBindings().getTypeParameters().forEach(each -> addIfAny(parts, whole.path(), each));
        }
        if (type.getRawClass().isSealed()) {
            for (Class<?> permitted : type.getRawClass().getPermittedSubclasses()) {
                parts.add(new Part(whole.path(), context.constructType(permitted)));
            }
        }
        return parts;
    }

    private static void addIfAny(List<Part> parts, String path, @Nullable JavaType type) {
        if (type != null) {
            parts.add(new Part(path, type));
        }
    }
}
