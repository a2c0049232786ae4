package io.sagaspring.idempotency.method;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Iterator;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Refuses values that JSON cannot represent in full, because two different values would be written as equal bytes. Most
 * interfaces are accepted: their values are checked when they are written.
 */
final class RefuseOpaqueValues extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    private static final String PART = "which JSON cannot represent in full";
    private static final String ONCE =
            "which can be read only once, so it cannot be compared before the method reads it";
    private static final String CODE =
            "which is code, such as a lambda or a proxy: its class has a different name on each node";

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
        return refusedIf(reason(description.getBeanClass(), serializer), description.getType(), serializer);
    }

    /** Refuses map keys without a toString of their own, because the keys of a map are written with toString. */
    @Override
    public ValueSerializer<?> modifyKeySerializer(
            SerializationConfig config,
            JavaType type,
            BeanDescription.Supplier description,
            ValueSerializer<?> serializer) {
        return refusedIf(hasNoText(type) ? PART : null, type, serializer);
    }

    private static ValueSerializer<?> refusedIf(@Nullable String reason, JavaType type, ValueSerializer<?> serializer) {
        return reason == null ? serializer : new Refused(type, reason);
    }

    private static boolean hasNoText(JavaType type) {
        Class<?> raw = type.getRawClass();
        if (type.isArrayType()) {
            return true;
        }
        Method text = type.isAbstract() || raw == Object.class ? null : ReflectionUtils.findMethod(raw, "toString");
        return text != null && text.getDeclaringClass() == Object.class;
    }

    private static @Nullable String reason(Class<?> type, ValueSerializer<?> serializer) {
        if (Iterator.class.isAssignableFrom(type) || BaseStream.class.isAssignableFrom(type)) {
            return ONCE;
        }
        boolean ofTheJdk = isOfTheJdk(type);
        if (type.isInterface()) {
            boolean isResource = ofTheJdk && AutoCloseable.class.isAssignableFrom(type);
            return type.isAnnotationPresent(FunctionalInterface.class) ? CODE : isResource ? PART : null;
        }
        if (type.isHidden() || type.isSynthetic() || Proxy.isProxyClass(type)) {
            return CODE;
        }
        if (!(serializer instanceof BeanSerializerBase || serializer instanceof UnknownSerializer)) {
            return null;
        }
        boolean isShown = !ofTheJdk
                && !has(type, RefuseOpaqueValues::isCaptured)
                && !has(type, RefuseOpaqueValues::isOfTheJdk)
                && (serializer.properties().hasNext() || !has(type, field -> true));
        return isShown ? null : PART;
    }

    private static boolean isOfTheJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /**
     * Returns true for a field of a superclass in the JDK. For example, a stream class of the application has its bytes
     * in such a field.
     */
    private static boolean isOfTheJdk(Field field) {
        return isOfTheJdk(field.getDeclaringClass()) && !Modifier.isTransient(field.getModifiers());
    }

    /** Returns true for a variable that a local or anonymous class has captured. */
    private static boolean isCaptured(Field field) {
        return field.isSynthetic() && !field.getName().startsWith("this$");
    }

    private static boolean has(Class<?> type, Predicate<Field> condition) {
        return Stream.<Class<?>>iterate(type, each -> each != null, Class::getSuperclass)
                .flatMap(each -> Arrays.stream(each.getDeclaredFields()))
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .anyMatch(condition);
    }

    /** A serializer that always fails, with the reason for the refusal. */
    static final class Refused extends StdSerializer<Object> {

        private final JavaType type;
        private final String reason;

        Refused(JavaType type, String reason) {
            super(Object.class);
            this.type = type;
            this.reason = reason;
        }

        Class<?> type() {
            return type.getRawClass();
        }

        String reason() {
            return reason;
        }

        @Override
        public void serialize(Object value, JsonGenerator json, SerializationContext context) {
            context.reportBadDefinition(type, "The value is of type %s, %s.".formatted(type().getName(), reason));
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator json, SerializationContext context, TypeSerializer typed) {
            serialize(value, json, context);
        }
    }
}
