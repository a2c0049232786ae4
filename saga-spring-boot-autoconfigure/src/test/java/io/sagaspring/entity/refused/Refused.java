package io.sagaspring.entity.refused;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.EnumeratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.OptimisticLock;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.TenantId;
import org.hibernate.annotations.Type;
import org.hibernate.type.SqlTypes;
import org.hibernate.usertype.UserTypeSupport;

/** The entities. */
public final class Refused {

    private Refused() {}

    public enum State {
        OPEN,
        CLOSING,
        CLOSED
    }

    public enum Lettered {
        OPEN("o"),
        CLOSING("g"),
        CLOSED("c");

        @EnumeratedValue
        final String letter;

        Lettered(String letter) {
            this.letter = letter;
        }
    }

    @Embeddable
    public record Key(String shop, Long number) implements Serializable {}

    public static class Pair implements Serializable {

        private static final long serialVersionUID = 1L;

        String shop = "";
        Long number = 0L;

        @Override
        public boolean equals(Object other) {
            return other instanceof Pair pair && shop.equals(pair.shop) && number.equals(pair.number);
        }

        @Override
        public int hashCode() {
            return shop.hashCode();
        }
    }

    @Embeddable
    public static class Progress {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    /** A type of the application's own. */
    public static class Backwards extends UserTypeSupport<State> {

        public Backwards() {
            super(State.class, Types.VARCHAR);
        }
    }

    @Converter
    public static class Lower implements AttributeConverter<State, String> {

        @Override
        public String convertToDatabaseColumn(State state) {
            return state.name().toLowerCase(java.util.Locale.ROOT);
        }

        @Override
        public State convertToEntityAttribute(String column) {
            return State.valueOf(column.toUpperCase(java.util.Locale.ROOT));
        }
    }

    @Entity(name = "WithEmbeddedId")
    public static class WithEmbeddedId {

        @EmbeddedId
        Key id = new Key("", 0L);

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @IdClass(Pair.class)
    @Entity(name = "WithIdClass")
    public static class WithIdClass {

        @Id
        String shop = "";

        @Id
        Long number = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithBinaryUuid")
    public static class WithBinaryUuid {

        @Id
        @JdbcTypeCode(SqlTypes.BINARY)
        UUID id = new UUID(0, 0);

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
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

    @Entity(name = "WithConvertedStatus")
    public static class WithConvertedStatus {

        @Id
        Long id = 0L;

        @Convert(converter = Lower.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithEnumeratedValue")
    public static class WithEnumeratedValue {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        Lettered status = Lettered.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithTypedStatus")
    public static class WithTypedStatus {

        @Id
        Long id = 0L;

        @Type(Backwards.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithNumericStatus")
    public static class WithNumericStatus {

        @Id
        Long id = 0L;

        int status;

        @Version
        long version;
    }

    @Entity(name = "WithEmbeddedStatus")
    public static class WithEmbeddedStatus {

        @Id
        Long id = 0L;

        @Embedded
        Progress status = new Progress();

        @Version
        long version;
    }

    @Entity(name = "WithoutStatus")
    public static class WithoutStatus {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State phase = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithReadOnlyStatus")
    public static class WithReadOnlyStatus {

        @Id
        Long id = 0L;

        @Column(updatable = false)
        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithTransformedStatus")
    public static class WithTransformedStatus {

        @Id
        Long id = 0L;

        @ColumnTransformer(write = "lower(?)")
        String status = "OPEN";

        @Version
        long version;
    }

    @Entity(name = "WithTransformedReading")
    public static class WithTransformedReading {

        @Id
        Long id = 0L;

        @ColumnTransformer(read = "upper(status)")
        String status = "OPEN";

        @Version
        long version;
    }

    @Entity(name = "WithComputedStatus")
    public static class WithComputedStatus {

        @Id
        Long id = 0L;

        @Formula("'OPEN'")
        String status = "OPEN";

        @Version
        long version;
    }

    @Entity(name = "WithUnlockedStatus")
    public static class WithUnlockedStatus {

        @Id
        Long id = 0L;

        @OptimisticLock(excluded = true)
        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "WithoutVersion")
    public static class WithoutVersion {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    @Entity(name = "WithTimestampVersion")
    public static class WithTimestampVersion {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        Timestamp version = new Timestamp(0);
    }

    @Entity(name = "WithInstantVersion")
    public static class WithInstantVersion {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        Instant version = Instant.EPOCH;
    }

    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @Entity(name = "LockedByDirty")
    public static class LockedByDirty {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.ALL)
    @Entity(name = "LockedByAll")
    public static class LockedByAll {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    @OptimisticLocking(type = OptimisticLockType.NONE)
    @Entity(name = "NotLocked")
    public static class NotLocked {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @SoftDelete
    @Entity(name = "SoftDeleted")
    public static class SoftDeleted {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @SQLRestriction("status <> 'CLOSED'")
    @Entity(name = "Restricted")
    public static class Restricted {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Immutable
    @Entity(name = "Unchangeable")
    public static class Unchangeable {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "OfATenant")
    public static class OfATenant {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;

        @TenantId
        String tenant = "";
    }

    @Entity(name = "Plain")
    public static class Plain {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
    @Entity(name = "InOneTable")
    public static class InOneTable {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "InTheTableOfItsParent")
    public static class InTheTableOfItsParent extends InOneTable {}

    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    @Entity(name = "InATableForEach")
    public static class InATableForEach {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "InATableOfItsOwn")
    public static class InATableOfItsOwn extends InATableForEach {}
}
