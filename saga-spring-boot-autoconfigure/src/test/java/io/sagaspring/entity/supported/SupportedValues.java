package io.sagaspring.entity.supported;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.hibernate.annotations.JavaType;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.JdbcTypeIndicators;
import org.jspecify.annotations.Nullable;

/** Entities whose ids have one column but are not plain numbers, strings or UUIDs. */
public final class SupportedValues {

    private SupportedValues() {}

    /** Is stored as a number. */
    public record Serial(long value) implements Serializable {}

    /** Is stored as bytes. */
    public record Tag(String value) implements Serializable {}

    /** Is stored as a string. */
    public record Label(String value) implements Serializable {}

    @Converter
    public static class SerialColumn implements AttributeConverter<Serial, Long> {

        @Override
        public @Nullable Long convertToDatabaseColumn(@Nullable Serial serial) {
            return serial == null ? null : serial.value();
        }

        @Override
        public @Nullable Serial convertToEntityAttribute(@Nullable Long value) {
            return value == null ? null : new Serial(value);
        }
    }

    @Converter
    public static class TagColumn implements AttributeConverter<Tag, byte[]> {

        @Override
        public byte @Nullable [] convertToDatabaseColumn(@Nullable Tag tag) {
            return tag == null ? null : tag.value().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public @Nullable Tag convertToEntityAttribute(byte @Nullable [] value) {
            return value == null ? null : new Tag(new String(value, StandardCharsets.UTF_8));
        }
    }

    public static class LabelType extends AbstractClassJavaType<Label> {

        private static final long serialVersionUID = 1L;

        public LabelType() {
            super(Label.class);
        }

        @Override
        public JdbcType getRecommendedJdbcType(JdbcTypeIndicators indicators) {
            return indicators.getJdbcType(SqlTypes.VARCHAR);
        }

        @Override
        public String toString(Label label) {
            return label.value();
        }

        @Override
        public Label fromString(CharSequence text) {
            return new Label(text.toString());
        }

        @Override
        public <X> @Nullable X unwrap(@Nullable Label label, Class<X> type, WrapperOptions options) {
            return label == null ? null : type.cast(label.value());
        }

        @Override
        public <X> @Nullable Label wrap(@Nullable X value, WrapperOptions options) {
            return value == null || value instanceof Label ? (Label) value : new Label((String) value);
        }
    }

    @Entity(name = "Labelled")
    public static class Labelled extends SupportedKeys.Keyed {

        @Id
        @JavaType(LabelType.class)
        Label id = new Label("");

        protected Labelled() {}

        public Labelled(Label id) {
            this.id = id;
        }
    }

    @Entity(name = "NamedByBinaryUuid")
    public static class NamedByBinaryUuid extends SupportedKeys.Keyed {

        @Id
        @JdbcTypeCode(SqlTypes.BINARY)
        UUID id = new UUID(0, 0);

        protected NamedByBinaryUuid() {}

        public NamedByBinaryUuid(UUID id) {
            this.id = id;
        }
    }

    @Entity(name = "NamedByBytes")
    public static class NamedByBytes extends SupportedKeys.Keyed {

        @Id
        byte[] id = {};

        protected NamedByBytes() {}

        public NamedByBytes(byte[] id) {
            this.id = id;
        }
    }
}
