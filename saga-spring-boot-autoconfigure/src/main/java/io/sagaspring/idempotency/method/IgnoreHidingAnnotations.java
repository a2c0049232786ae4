package io.sagaspring.idempotency.method;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.VisibilityChecker;

/**
 * Ignores the annotations that hide the value of a property, shorten it, or omit its class. Annotations that exclude a
 * property altogether still apply, such as {@code @JsonIgnore}.
 */
final class IgnoreHidingAnnotations extends JacksonAnnotationIntrospector {

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

    /** Ignores custom serializers, for example one that masks a number. */
    @Override
    public @Nullable Object findSerializer(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public @Nullable Object findKeySerializer(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public @Nullable Object findContentSerializer(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public @Nullable Object findSerializationConverter(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public @Nullable Object findSerializationContentConverter(MapperConfig<?> config, AnnotatedMember annotated) {
        return null;
    }

    /** Ignores formats, for example one that shows only the month of a date. */
    @Override
    public JsonFormat.Value findFormat(MapperConfig<?> config, Annotated annotated) {
        return JsonFormat.Value.empty();
    }

    /** Ignores a declared serialization type, for example a superclass that has only some of the properties. */
    @Override
    public JavaType refineSerializationType(MapperConfig<?> config, Annotated annotated, JavaType declared) {
        return declared;
    }

    @Override
    public JsonSerialize.@Nullable Typing findSerializationTyping(MapperConfig<?> config, Annotated annotated) {
        return null;
    }

    @Override
    public VisibilityChecker findAutoDetectVisibility(
            MapperConfig<?> config, AnnotatedClass annotated, VisibilityChecker visibility) {
        return visibility;
    }
}
