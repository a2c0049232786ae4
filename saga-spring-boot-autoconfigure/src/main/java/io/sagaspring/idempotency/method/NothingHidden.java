package io.sagaspring.idempotency.method;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;

/** Does not see the annotations that keep something from a reader, or leave out which class it is. */
final class NothingHidden extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1L;

    @Override
    public JsonProperty.@Nullable Access findPropertyAccess(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
        JsonIgnoreProperties.Value ignored = super.findPropertyIgnoralByName(config, annotated);
        return ignored.getAllowSetters() ? JsonIgnoreProperties.Value.empty() : ignored;
    }

    @Override
    public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    /** Such as one that masks a number. */
    @Override
    public @Nullable Object findSerializer(MapperConfig<?> config, Annotated annotated) {
        return null;
    }
}
