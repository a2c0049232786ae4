package io.sagaspring.entity;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The type of the ids of an entity that JPA does not map: a single value, or a record with a component for each column.
 * The application names the columns.
 *
 * @param type the class of the ids
 * @param parts the parts of the id, one for each column
 * @param accessors the accessors of the record's components, or an empty list for a single value
 */
record DescribedId(Class<?> type, List<IdPart> parts, List<Method> accessors) implements IdShape {

    static DescribedId of(Class<?> type, List<String> columns) {
        Class<?> wrapper = ClassUtils.resolvePrimitiveIfNecessary(type);
        if (!wrapper.isRecord()) {
            return new DescribedId(wrapper, List.of(new DescribedIdPart(columns.get(0), wrapper)), List.of());
        }
        List<IdPart> parts = new ArrayList<>();
        List<Method> accessors = new ArrayList<>();
        for (RecordComponent component : wrapper.getRecordComponents()) {
            parts.add(new DescribedIdPart(
                    component.getName(), ClassUtils.resolvePrimitiveIfNecessary(component.getType())));
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            accessors.add(accessor);
        }
        return new DescribedId(wrapper, List.copyOf(parts), List.copyOf(accessors));
    }

    @Override
    public boolean isComposite() {
        return !accessors.isEmpty();
    }

    @Override
    public List<@Nullable Object> valuesOf(Object id) {
        List<@Nullable Object> values = new ArrayList<>();
        if (accessors.isEmpty()) {
            values.add(id);
        }
        accessors.forEach(accessor -> values.add(ReflectionUtils.invokeMethod(accessor, id)));
        return values;
    }

    @Override
    public Object of(List<Object> values) {
        if (accessors.isEmpty()) {
            return values.get(0);
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(Stream.of(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values.toArray());
        } catch (InvocationTargetException refused) {
            throw new IllegalArgumentException(
                    "The constructor of %s rejects the values %s.".formatted(type.getSimpleName(), values),
                    refused.getCause());
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
