package io.sagaspring.idempotency.method;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.type.CollectionType;

/**
 * Writes the elements of collections. The elements of sets are sorted by their JSON, because equal sets may differ in
 * order.
 */
final class SortedSets extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public ValueSerializer<?> modifyCollectionSerializer(
            SerializationConfig config,
            CollectionType type,
            BeanDescription.Supplier description,
            ValueSerializer<?> serializer) {
        return new Elements(type);
    }

    private static final class Elements extends StdSerializer<Collection<?>> {

        private final JavaType declared;

        Elements(CollectionType type) {
            super(type);
            this.declared = type.getContentType();
        }

        @Override
        public void serialize(Collection<?> values, JsonGenerator json, SerializationContext context) {
            List<String> written = new ArrayList<>();
            for (Object each : values) {
                written.add(written(each, context));
            }
            if (values instanceof Set) {
                Collections.sort(written);
            }
            json.writeStartArray();
            written.forEach(json::writeRawValue);
            json.writeEndArray();
        }

        private String written(@Nullable Object element, SerializationContext context) {
            StringWriter text = new StringWriter();
            try (JsonGenerator json = context.tokenStreamFactory().createGenerator(context, text)) {
                write(element, json, context);
            }
            return text.toString();
        }

        private void write(@Nullable Object element, JsonGenerator json, SerializationContext context) {
            if (element == null) {
                json.writeNull();
                return;
            }
            ValueSerializer<Object> serializer = context.findContentValueSerializer(element.getClass(), null);
            TypeSerializer typed = context.findTypeSerializer(declared);
            if (typed == null) {
                serializer.serialize(element, json, context);
            } else {
                serializer.serializeWithType(element, json, context, typed);
            }
        }

        @Override
        public void serializeWithType(
                Collection<?> values, JsonGenerator json, SerializationContext context, TypeSerializer typed) {
            json.writeStartArray();
            json.writeString(values instanceof Set ? "set" : "");
            serialize(values, json, context);
            json.writeEndArray();
        }
    }
}
