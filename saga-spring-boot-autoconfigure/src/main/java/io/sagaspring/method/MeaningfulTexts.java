package io.sagaspring.method;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ReflectionUtils;

/** Makes no text of what would only say where it is in memory: another one each time, and so no protection at all. */
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
                    "%s has no toString of its own: its text would be another one each time. Say which of its properties is meant."
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
