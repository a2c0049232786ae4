package io.sagaspring.entity.refused;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.sql.Types;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.OptimisticLock;
import org.hibernate.annotations.Type;
import org.hibernate.usertype.UserTypeSupport;

/** Entities whose statuses are refused. */
public final class RefusedStatuses {

    private RefusedStatuses() {}

    @Embeddable
    public static class Progress {

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    /** A custom type that does not declare its conversion. */
    public static class Backwards extends UserTypeSupport<State> {

        public Backwards() {
            super(State.class, Types.VARCHAR);
        }
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

    /** Stores each constant as a different string each time, like encryption. */
    public static class Salted implements AttributeConverter<State, String> {

        private final AtomicInteger salts = new AtomicInteger();

        @Override
        public String convertToDatabaseColumn(State state) {
            return salts.incrementAndGet() % 2 + state.name();
        }

        @Override
        public State convertToEntityAttribute(String column) {
            return State.valueOf(column.substring(1));
        }
    }

    @Entity(name = "WithSaltedStatus")
    public static class WithSaltedStatus {

        @Id
        Long id = 0L;

        @Convert(converter = Salted.class)
        State status = State.OPEN;

        @Version
        long version;
    }
}
