package io.sagaspring.payload;

import com.fasterxml.jackson.annotation.JsonBackReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.bean.BuilderBasedDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.ReferenceTypeDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Checks whether values of a type can be written as JSON and read back unchanged, before any value exists. The check only
 * asks the mapper how it would write and read the type.
 */
final class RoundTrip {

    private final JsonMapper mapper;

    RoundTrip(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Returns a sentence about the fault of the type, or null if no fault is known. */
    @Nullable
    String fault(Type type) {
        JavaType read;
        try {
            read = mapper.constructType(type);
        } catch (IllegalArgumentException noType) {
            return noType.getMessage();
        }
        return fault(read, new HashSet<>());
    }

    private @Nullable String fault(JavaType type, Set<JavaType> seen) {
        ValueDeserializer<?> reader;
        try {
            reader = mapper._deserializationContext().findRootValueDeserializer(type);
        } catch (JacksonException never) {
            return never.getOriginalMessage();
        }
        return fault(reader, type, seen);
    }

    private @Nullable String fault(ValueDeserializer<?> reader, JavaType type, Set<JavaType> seen) {
        if (reader instanceof AbstractDeserializer) {
            return recordsItsClass(type)
                    ? null
                    : "JSON does not record to which subclass of %s the value belongs. Use a concrete class, or record the class with @JsonTypeInfo."
                            .formatted(type.getRawClass().getName());
        }
        if (reader instanceof ContainerDeserializerBase<?> container) {
            ValueDeserializer<?> contents = container.getContentDeserializer();
            return contents == null ? null : fault(contents, container.getContentType(), seen);
        }
        if (reader instanceof ReferenceTypeDeserializer<?> reference) {
            JavaType referenced = reference.getValueType().getReferencedType();
            return referenced == null ? null : fault(referenced, seen);
        }
        return reader instanceof BeanDeserializerBase bean && seen.add(type) ? faultOfBean(bean, type, seen) : null;
    }

    private boolean recordsItsClass(JavaType type) {
        return type.getTypeHandler() != null || mapper._deserializationContext().findTypeDeserializer(type) != null;
    }

    private @Nullable String faultOfBean(BeanDeserializerBase reader, JavaType type, Set<JavaType> seen) {
        ValueInstantiator maker = reader.getValueInstantiator();
        if (!(reader instanceof BuilderBasedDeserializer) && !maker.canInstantiate()) {
            return "%s has no constructor that Jackson can call. Add one, or annotate one with @JsonCreator."
                    .formatted(type.getRawClass().getName());
        }
        if (maker.canCreateUsingDelegate() || maker.canCreateUsingArrayDelegate()) {
            return null;
        }
        Set<String> readable = new TreeSet<>();
        Set<String> back = new TreeSet<>();
        for (var properties = reader.properties(); properties.hasNext(); ) {
            SettableBeanProperty property = properties.next();
            readable.add(property.getName());
            if (property.getAnnotation(JsonBackReference.class) != null) {
                back.add(property.getName());
            }
            String fault = property.hasValueTypeDeserializer() || !property.hasValueDeserializer()
                    ? null
                    : fault(property.getValueDeserializer(), property.getType(), seen);
            if (fault != null) {
                return "Property '%s' of %s: %s"
                        .formatted(property.getName(), type.getRawClass().getName(), fault);
            }
        }
        return reader instanceof BuilderBasedDeserializer
                ? null
                : lost(type, readable, back, !maker.canCreateFromObjectWith());
    }

    /**
     * Finds fields that are not written, or not read back, and whose values would therefore be lost. A back
     * reference to the enclosing value is not lost: it is not written, but set on reading.
     */
    private @Nullable String lost(JavaType type, Set<String> readable, Set<String> back, boolean isMadeEmpty) {
        Set<String> state = state(type.getRawClass());
        if (state.isEmpty()) {
            return null;
        }
        BeanDescription description = mapper._deserializationContext()
                .introspectBeanDescription(
                        type, mapper._deserializationContext().introspectClassAnnotations(type));
        if (description.findAnySetterAccessor() != null) {
            return null;
        }
        ValueSerializer<?> writer;
        try {
            writer = mapper._serializationContext().findValueSerializer(type);
        } catch (JacksonException never) {
            return never.getOriginalMessage();
        }
        if (!(writer instanceof BeanSerializerBase)) {
            return null;
        }
        Set<String> written = new TreeSet<>();
        for (var properties = writer.properties(); properties.hasNext(); ) {
            PropertyWriter property = properties.next();
            written.add(property.getName());
            if (property instanceof BeanPropertyWriter bean && bean.isUnwrapping()) {
                readable.add(property.getName());
            }
        }
        Set<String> lost = new TreeSet<>(description.getIgnoredPropertyNames());
        readable.stream()
                .filter(name -> !written.contains(name) && !back.contains(name))
                .forEach(lost::add);
        if (isMadeEmpty) {
            written.stream().filter(name -> !readable.contains(name)).forEach(lost::add);
        }
        lost.retainAll(state);
        return lost.isEmpty()
                ? null
                : "The values of fields %s of %s would be lost, because Jackson does not write these fields, or does not set them when it reads. Use a type that JSON stores completely, or make a field transient if it need not be restored."
                        .formatted(lost, type.getRawClass().getName());
    }

    private static Set<String> state(Class<?> type) {
        Set<String> state = new TreeSet<>();
        for (Class<?> each = type; each != null && !isOfTheJdk(each); each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())) {
                    state.add(field.getName());
                }
            }
        }
        return state;
    }

    private static boolean isOfTheJdk(Class<?> type) {
        return type.getName().startsWith("java.") || Throwable.class.isAssignableFrom(type);
    }
}
