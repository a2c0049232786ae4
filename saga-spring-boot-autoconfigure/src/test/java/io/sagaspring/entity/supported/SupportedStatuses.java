package io.sagaspring.entity.supported;

import io.sagaspring.entity.supported.StatusTypes.Autonomous;
import io.sagaspring.entity.supported.StatusTypes.Backwards;
import io.sagaspring.entity.supported.StatusTypes.Colour;
import io.sagaspring.entity.supported.StatusTypes.ColourConverter;
import io.sagaspring.entity.supported.StatusTypes.Grade;
import io.sagaspring.entity.supported.StatusTypes.GradeConverter;
import io.sagaspring.entity.supported.StatusTypes.Lettered;
import io.sagaspring.entity.supported.StatusTypes.NumberedState;
import io.sagaspring.entity.supported.StatusTypes.Phrases;
import io.sagaspring.entity.supported.StatusTypes.Place;
import io.sagaspring.entity.supported.StatusTypes.PlaceConverter;
import io.sagaspring.entity.supported.StatusTypes.SpelledBackwards;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.annotations.JavaType;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.Type;
import org.hibernate.type.SqlTypes;

/** Entities with each kind of converted status. Each constructor takes the id. New entities are open. */
public final class SupportedStatuses {

    private SupportedStatuses() {}

    /** The stored strings contain the characters that have a special meaning in SQL. */
    @Entity(name = "Converted")
    public static class Converted {

        @Id
        Long id = 0L;

        @Convert(converter = Phrases.class)
        State status = State.OPEN;

        @Version
        long version;

        protected Converted() {}

        public Converted(Long id) {
            this.id = id;
        }
    }

    /** The statuses are numbers in a column with decimal places. */
    @Entity(name = "AutoConverted")
    public static class AutoConverted {

        @Id
        Long id = 0L;

        @Column(columnDefinition = "numeric(10,2)")
        Autonomous status = Autonomous.OPEN;

        @Version
        long version;

        protected AutoConverted() {}

        public AutoConverted(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "LetteredEntity")
    public static class LetteredEntity {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        Lettered status = Lettered.OPEN;

        @Version
        long version;

        protected LetteredEntity() {}

        public LetteredEntity(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "NumberedEntity")
    public static class NumberedEntity {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.ORDINAL)
        NumberedState status = NumberedState.OPEN;

        @Version
        long version;

        protected NumberedEntity() {}

        public NumberedEntity(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "LetteredEnum")
    public static class LetteredEnum {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        @JdbcTypeCode(SqlTypes.NAMED_ENUM)
        Lettered status = Lettered.OPEN;

        @Version
        long version;

        protected LetteredEnum() {}

        public LetteredEnum(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "TypedByUser")
    public static class TypedByUser {

        @Id
        Long id = 0L;

        @Type(Backwards.class)
        State status = State.OPEN;

        @Version
        long version;

        protected TypedByUser() {}

        public TypedByUser(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "TypedByJava")
    public static class TypedByJava {

        @Id
        Long id = 0L;

        @JavaType(SpelledBackwards.class)
        @JdbcTypeCode(SqlTypes.VARCHAR)
        State status = State.OPEN;

        @Version
        long version;

        protected TypedByJava() {}

        public TypedByJava(Long id) {
            this.id = id;
        }
    }

    /** The status is a class with constants, in a column of fixed width. */
    @Entity(name = "Coloured")
    public static class Coloured {

        @Id
        Long id = 0L;

        @Convert(converter = ColourConverter.class)
        @Column(columnDefinition = "char(12)")
        Colour status = Colour.OPEN;

        @Version
        long version;

        protected Coloured() {}

        public Coloured(Long id) {
            this.id = id;
        }
    }

    /** The status is a record without constants, so the names of the statuses are the stored values. */
    @Entity(name = "Placed")
    public static class Placed {

        @Id
        Long id = 0L;

        @Convert(converter = PlaceConverter.class)
        Place status = new Place("it's: open");

        @Version
        long version;

        protected Placed() {}

        public Placed(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Graded")
    public static class Graded {

        @Id
        Long id = 0L;

        @Convert(converter = GradeConverter.class)
        Grade status = new Grade(-1);

        @Version
        long version;

        protected Graded() {}

        public Graded(Long id) {
            this.id = id;
        }
    }
}
