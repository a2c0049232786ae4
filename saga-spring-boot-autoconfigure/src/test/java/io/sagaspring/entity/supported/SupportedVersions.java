package io.sagaspring.entity.supported;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/** Entities whose versions are times. Each constructor takes the id. New entities are open. */
public final class SupportedVersions {

    private SupportedVersions() {}

    @MappedSuperclass
    public abstract static class Timed implements Counted {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Column(insertable = false, updatable = false, columnDefinition = "bigint NOT NULL DEFAULT 0")
        long changes;

        protected Timed() {}

        protected Timed(Long id) {
            this.id = id;
        }

        @Override
        public long changes() {
            return changes;
        }
    }

    @Entity(name = "TimedByInstant")
    public static class TimedByInstant extends Timed {

        @Version
        @Nullable
        Instant version;

        protected TimedByInstant() {}

        public TimedByInstant(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByOffsetDateTime")
    public static class TimedByOffsetDateTime extends Timed {

        @Version
        @Nullable
        OffsetDateTime version;

        protected TimedByOffsetDateTime() {}

        public TimedByOffsetDateTime(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByZonedDateTime")
    public static class TimedByZonedDateTime extends Timed {

        @Version
        @Nullable
        ZonedDateTime version;

        protected TimedByZonedDateTime() {}

        public TimedByZonedDateTime(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByLocalDateTime")
    public static class TimedByLocalDateTime extends Timed {

        @Version
        @Nullable
        LocalDateTime version;

        protected TimedByLocalDateTime() {}

        public TimedByLocalDateTime(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByTimestamp")
    public static class TimedByTimestamp extends Timed {

        @Version
        @Nullable
        Timestamp version;

        protected TimedByTimestamp() {}

        public TimedByTimestamp(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByDate")
    public static class TimedByDate extends Timed {

        @Version
        @Nullable
        Date version;

        protected TimedByDate() {}

        public TimedByDate(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedBySeconds")
    public static class TimedBySeconds extends Timed {

        @Version
        @Column(columnDefinition = "timestamp(0)")
        @Nullable
        LocalDateTime version;

        protected TimedBySeconds() {}

        public TimedBySeconds(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByMilliseconds")
    public static class TimedByMilliseconds extends Timed {

        @Version
        @Column(secondPrecision = 3)
        @Nullable
        Instant version;

        protected TimedByMilliseconds() {}

        public TimedByMilliseconds(Long id) {
            super(id);
        }
    }

    @Entity(name = "TimedByLocalInZoned")
    public static class TimedByLocalInZoned extends Timed {

        @Version
        @Column(columnDefinition = "timestamptz")
        @Nullable
        LocalDateTime version;

        protected TimedByLocalInZoned() {}

        public TimedByLocalInZoned(Long id) {
            super(id);
        }
    }
}
