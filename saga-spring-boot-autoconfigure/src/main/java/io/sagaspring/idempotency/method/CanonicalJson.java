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
 * Writes values for comparison: equal ones as equal bytes, and different ones as different bytes. That is not how values are
 * written for a reader, whom passwords are kept from and who knows which class to expect.
 *
 * <ul>
 *   <li>Every field and every property counts, also one that is only to be written; what {@code @JsonIgnore} hides does not.
 *   <li>A value whose class is not the declared one is written with its class.
 *   <li>The elements of a set and the entries of a map are sorted.
 *   <li>What JSON shows nothing of, or only a part, is refused.
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
            // Two of an enum may show as one text, and two zones have one offset.
            .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING)
            .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
            .build();

    private CanonicalJson() {}

    /** Knows how types are written. */
    static SerializationContext context() {
        return mapper._serializationContext();
    }

    /**
     * Writes a value.
     *
     * @throws PayloadException if it cannot be written
     */
    static byte[] write(@Nullable Object value, Type declared) {
        try {
            return mapper.writerFor(mapper.constructType(declared)).writeValueAsBytes(value);
        } catch (RuntimeException | StackOverflowError refused) {
            throw new PayloadException(
                    "A value of %s cannot be written for comparison."
                            .formatted(
                                    value == null ? declared : value.getClass().getName()),
                    refused);
        }
    }
}
