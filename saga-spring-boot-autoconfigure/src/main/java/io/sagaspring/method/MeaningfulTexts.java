package io.sagaspring.method;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ReflectionUtils;

/**
 * Rejects the conversion of an object to a string if the object's class does not override toString. Such a string may
 * be different each time. A key or a lease that is named by it would protect nothing.
 */
final class MeaningfulTexts extends StandardTypeConverter {

    @Override
    public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
        return super.canConvert(source, target) || isMeaningless(source, target);
    }

    @Override
    public @Nullable Object convertValue(
            @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
        if (source != null && !super.canConvert(source, target) && isMeaningless(source, target)) {
            throw new EvaluationException(
                    "%s does not override toString, so its string form may be different each time. Use one of its properties in the expression."
                            .formatted(source.getType().getName()));
        }
        return super.convertValue(value, source, target);
    }

    private static boolean isMeaningless(@Nullable TypeDescriptor source, TypeDescriptor target) {
        if (source == null || target.getType() != String.class) {
            return false;
        }
        var toString = ReflectionUtils.findMethod(source.getType(), "toString");
        return toString == null || toString.getDeclaringClass() == Object.class;
    }
}
