package io.sagaspring.entity.refused;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Lob;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Locale;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.Struct;
import org.hibernate.annotations.Type;
import org.hibernate.type.SqlTypes;
import org.hibernate.usertype.EnhancedUserType;
import org.hibernate.usertype.UserTypeSupport;
import org.jspecify.annotations.Nullable;

/** Entities whose ids are refused. */
public final class RefusedIds {

    private RefusedIds() {}

    /** Has a valid status and a valid version. Each subclass adds an id that is refused. */
    @MappedSuperclass
    public abstract static class Refused {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Embeddable
    public record Day(String shop, LocalDate day) implements Serializable {}

    @Embeddable
    @SuppressWarnings("ArrayRecordComponent") // The record is refused because it has no usable equals.
    public record Hash(String shop, byte[] hash) implements Serializable {}

    /** Has no equals. */
    @Embeddable
    public static class Unequal implements Serializable {

        private static final long serialVersionUID = 1L;

        String shop = "";
        Long number = 0L;
    }

    /** Has no equals. */
    public static class Value implements Serializable {

        private static final long serialVersionUID = 1L;
    }

    @Converter
    public static class ValueColumn implements AttributeConverter<Value, String> {

        @Override
        public @Nullable String convertToDatabaseColumn(@Nullable Value value) {
            return "";
        }

        @Override
        public @Nullable Value convertToEntityAttribute(@Nullable String value) {
            return new Value();
        }
    }

    @Embeddable
    public record OfValue(
            String shop,
            @Convert(converter = ValueColumn.class) Value value) implements Serializable {}

    @Embeddable
    public record OfOther(@ManyToOne NotRefused.Plain other, Long number) implements Serializable {}

    @Embeddable
    public record Serialized(String shop, Text value) implements Serializable {}

    public record Text(String value) implements Serializable {}

    /** The entity is its own id. */
    @Entity(name = "WithoutIdClass")
    public static class WithoutIdClass extends Refused implements Serializable {

        private static final long serialVersionUID = 1L;

        @Id
        String shop = "";

        @Id
        Long number = 0L;

        @Override
        public boolean equals(Object other) {
            return other instanceof WithoutIdClass same && shop.equals(same.shop) && number.equals(same.number);
        }

        @Override
        public int hashCode() {
            return shop.hashCode();
        }
    }

    @Entity(name = "WithDay")
    public static class WithDay extends Refused {

        @EmbeddedId
        Day id = new Day("", LocalDate.MIN);
    }

    @Entity(name = "WithHash")
    public static class WithHash extends Refused {

        @EmbeddedId
        Hash id = new Hash("", new byte[0]);
    }

    @Entity(name = "WithUnequal")
    public static class WithUnequal extends Refused {

        @EmbeddedId
        Unequal id = new Unequal();
    }

    @Entity(name = "WithUnequalPart")
    public static class WithUnequalPart extends Refused {

        @EmbeddedId
        OfValue id = new OfValue("", new Value());
    }

    @Entity(name = "WithAssociation")
    public static class WithAssociation extends Refused {

        @EmbeddedId
        @Nullable
        OfOther id;
    }

    @Entity(name = "WithSerializedPart")
    public static class WithSerializedPart extends Refused {

        @EmbeddedId
        Serialized id = new Serialized("", new Text(""));
    }

    /** A custom type that does not declare its conversion. */
    public static class Secret extends UserTypeSupport<String> {

        public Secret() {
            super(String.class, Types.VARCHAR);
        }
    }

    @Embeddable
    public record OfSecret(@Type(Secret.class) String shop, Long number) implements Serializable {}

    @Entity(name = "WithUserType")
    public static class WithUserType extends Refused {

        @EmbeddedId
        OfSecret id = new OfSecret("", 0L);
    }

    /** Stores a string as another string. */
    public static class Shouting extends UserTypeSupport<String> implements EnhancedUserType<String> {

        public Shouting() {
            super(String.class, Types.VARCHAR);
        }

        @Override
        public AttributeConverter<String, String> getValueConverter() {
            return new UpperCase();
        }

        @Override
        public String toSqlLiteral(String value) {
            return toString(value);
        }

        @Override
        public String toString(String value) {
            return value;
        }

        @Override
        public String fromStringValue(CharSequence sequence) {
            return sequence.toString();
        }
    }

    @Converter
    public static class UpperCase implements AttributeConverter<String, String> {

        @Override
        public @Nullable String convertToDatabaseColumn(@Nullable String text) {
            return text == null ? null : text.toUpperCase(Locale.ROOT);
        }

        @Override
        public @Nullable String convertToEntityAttribute(@Nullable String stored) {
            return stored;
        }
    }

    @Entity(name = "WithConvertedText")
    public static class WithConvertedText extends Refused {

        @Id
        @Type(Shouting.class)
        String id = "";
    }

    @Embeddable
    public record Numeric(@JdbcTypeCode(SqlTypes.SMALLINT) boolean flag, Long number) implements Serializable {}

    @Entity(name = "WithNumericFlag")
    public static class WithNumericFlag extends Refused {

        @EmbeddedId
        Numeric id = new Numeric(false, 0L);
    }

    @Embeddable
    public record Letter(@JdbcTypeCode(SqlTypes.SMALLINT) char letter, Long number) implements Serializable {}

    @Entity(name = "WithNumericLetter")
    public static class WithNumericLetter extends Refused {

        @EmbeddedId
        Letter id = new Letter('a', 0L);
    }

    @Embeddable
    @Struct(name = "in_one_column")
    public record InOneColumn(String shop, Long number) implements Serializable {}

    @Entity(name = "WithStruct")
    public static class WithStruct extends Refused {

        @EmbeddedId
        InOneColumn id = new InOneColumn("", 0L);
    }

    @Entity(name = "WithLob")
    public static class WithLob extends Refused {

        @Id
        @Lob
        String id = "";
    }

    @Entity(name = "WithDecimal")
    public static class WithDecimal extends Refused {

        @Id
        BigDecimal id = BigDecimal.ZERO;
    }

    @Entity(name = "WithInstantId")
    public static class WithInstantId {

        @Id
        Instant id = Instant.EPOCH;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }
}
