package io.sagaspring.entity.refused;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.EnumeratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.sql.Types;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.OptimisticLock;
import org.hibernate.annotations.Type;
import org.hibernate.usertype.UserTypeSupport;

/** Entities whose statuses are refused. */
public final class RefusedStatuses {

    private RefusedStatuses() {}

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
}
