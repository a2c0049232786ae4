package io.sagaspring.idempotency.method;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;
import tools.jackson.databind.jsontype.TypeIdResolver;
import tools.jackson.databind.jsontype.impl.DefaultTypeResolverBuilder;
import tools.jackson.databind.jsontype.impl.TypeIdResolverBase;

/**
 * Writes the class of a value if it differs from the declared class. Without the class, a credit and a debit with equal
 * properties would be written as equal bytes. The output is only compared and never read back.
 */
final class SubclassNames extends DefaultTypeResolverBuilder {

    private static final long serialVersionUID = 1L;

    SubclassNames() {
        super(BasicPolymorphicTypeValidator.builder().build(), DefaultTyping.NON_FINAL, JsonTypeInfo.As.WRAPPER_ARRAY);
    }

    /** Omits the classes of lists, sets and maps, because such values can be equal although their classes differ. */
    @Override
    public boolean useForType(JavaType type) {
        return !type.isFinal() && !type.isContainerType() && !type.isReferenceType() && !type.isPrimitive();
    }

    @Override
    protected TypeIdResolver idResolver(
            DatabindContext context,
            JavaType declared,
            PolymorphicTypeValidator validator,
            @Nullable Collection<NamedType> subtypes,
            boolean forSerialization,
            boolean forDeserialization) {
        return new Names(declared);
    }

    private static final class Names extends TypeIdResolverBase {

        private static final long serialVersionUID = 1L;

        Names(JavaType declared) {
            super(declared);
        }

        @Override
        public String idFromValue(DatabindContext context, @Nullable Object value) {
            return value == null ? "" : idFromValueAndType(context, value, value.getClass());
        }

        @Override
        public String idFromValueAndType(DatabindContext context, @Nullable Object value, Class<?> type) {
            Class<?> written = ClassUtils.getUserClass(type);
            return value instanceof Map || written == _baseType.getRawClass() ? "" : written.getName();
        }

        @Override
        public JsonTypeInfo.Id getMechanism() {
            return JsonTypeInfo.Id.CUSTOM;
        }
    }
}
