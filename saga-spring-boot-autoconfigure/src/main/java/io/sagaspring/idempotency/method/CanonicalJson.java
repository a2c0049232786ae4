package io.sagaspring.idempotency.method;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes values for comparison: equal values as equal bytes, and different values as different bytes. Ordinary JSON is
 * not suitable: it may hide properties such as passwords, and it omits the class of a value.
 *
 * <ul>
 *   <li>Every field and every property counts, even if it is write-only. Only annotations that exclude a property
 *       altogether are respected: for example, {@code @JsonIgnore}, or {@code @JsonIncludeProperties} without the
 *       property's name.
 *   <li>A value is written with its class if this is not the declared class.
 *   <li>The elements of a set and the entries of a map are sorted.
 *   <li>A value is refused if JSON cannot represent it in full.
 * </ul>
 */
final class CanonicalJson {

    private static final JsonMapper mapper = JsonMapper.builder()
            .findAndAddModules()
            .annotationIntrospector(new IgnoreHidingAnnotations())
            .changeDefaultVisibility(visibility -> visibility.withVisibility(PropertyAccessor.FIELD, Visibility.ANY))
            .setDefaultTyping(new SubclassNames())
            .addModule(new SimpleModule("sets").setSerializerModifier(new SortedSets()))
            .addModule(new SimpleModule("unseen").setSerializerModifier(new RefuseOpaqueValues()))
            .disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            // Write names, not toString, because two constants of an enum may have the same toString. Write zones,
            // because two zones may have the same offset.
            .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING)
            .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
            .build();

    private CanonicalJson() {}

    /** Returns the context that finds the serializer of a type. */
    static SerializationContext context() {
        return mapper._serializationContext();
    }

    /**
     * Writes a value.
     *
     * @throws PayloadException if the value cannot be written
     */
    static byte[] write(@Nullable Object value, Type declared) {
        try {
            return mapper.writerFor(mapper.constructType(declared)).writeValueAsBytes(value);
        } catch (RuntimeException | StackOverflowError refused) {
            throw new PayloadException(
                    "A value of type %s cannot be written as JSON, so two requests cannot be compared."
                            .formatted(
                                    value == null ? declared : value.getClass().getName()),
                    refused);
        }
    }
}
