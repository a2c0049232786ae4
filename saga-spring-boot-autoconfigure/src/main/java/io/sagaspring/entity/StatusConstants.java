package io.sagaspring.entity;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The constants of a status's type, by name. */
final class StatusConstants {

    private StatusConstants() {}

    /**
     * Returns the constants of an enum, or the static final fields of a class that hold the class's own values. Private
     * fields are ignored, and so are the constants of Java's own classes, such as {@code BigInteger.TEN}.
     */
    static Map<String, Object> of(Class<?> type) {
        Map<String, Object> found = new LinkedHashMap<>();
        if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                found.put(((Enum<?>) constant).name(), constant);
            }
        } else if (!type.getName().startsWith("java.")) {
            for (Field field : type.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (Modifier.isStatic(modifiers)
                        && Modifier.isFinal(modifiers)
                        && !Modifier.isPrivate(modifiers)
                        && type.isAssignableFrom(field.getType())) {
                    Object constant = read(field);
                    if (constant != null) {
                        found.put(field.getName(), constant);
                    }
                }
            }
        }
        return found;
    }

    private static @Nullable Object read(Field field) {
        try {
            field.setAccessible(true);
            return field.get(null);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
