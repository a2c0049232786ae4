package io.sagaspring.entity.timed;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/** Entities whose versions are times of several precisions. Each constructor takes the id. New entities are open. */
public final class Timed {

    private Timed() {}

    @MappedSuperclass
    public abstract static class Closable {

        @Id
        Long id = 0L;

        String status = "OPEN";

        protected Closable() {}

        protected Closable(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "ToTheMicrosecond")
    public static class ToTheMicrosecond extends Closable {

        @Version
        @Nullable
        Instant version;

        protected ToTheMicrosecond() {}

        public ToTheMicrosecond(Long id) {
            super(id);
        }
    }

    /** The mapping states the precision. */
    @Entity(name = "ToTheMillisecond")
    public static class ToTheMillisecond extends Closable {

        @Version
        @Column(secondPrecision = 3)
        @Nullable
        Instant version;

        protected ToTheMillisecond() {}

        public ToTheMillisecond(Long id) {
            super(id);
        }
    }

    /** Only the text of the column definition states the precision. */
    @Entity(name = "ToTheSecond")
    public static class ToTheSecond extends Closable {

        @Version
        @Column(columnDefinition = "timestamp(0)")
        @Nullable
        LocalDateTime version;

        protected ToTheSecond() {}

        public ToTheSecond(Long id) {
            super(id);
        }
    }

    @Entity(name = "Local")
    public static class Local extends Closable {

        @Version
        @Nullable
        LocalDateTime version;

        protected Local() {}

        public Local(Long id) {
            super(id);
        }
    }

    /** A local time in a column of type {@code timestamptz}. */
    @Entity(name = "LocalInZoned")
    public static class LocalInZoned extends Closable {

        @Version
        @Column(columnDefinition = "timestamptz")
        @Nullable
        LocalDateTime version;

        protected LocalInZoned() {}

        public LocalInZoned(Long id) {
            super(id);
        }
    }

    @Entity(name = "DateInZoned")
    public static class DateInZoned extends Closable {

        @Version
        @Column(columnDefinition = "timestamptz(2)")
        @Nullable
        Date version;

        protected DateInZoned() {}

        public DateInZoned(Long id) {
            super(id);
        }
    }

    /** The version is in one table, and the status is in another. */
    @SecondaryTable(name = "timed_state")
    @Entity(name = "InTwoTables")
    public static class InTwoTables {

        @Id
        Long id = 0L;

        @Column(table = "timed_state")
        String status = "OPEN";

        @Version
        @Nullable
        Instant version;

        protected InTwoTables() {}

        public InTwoTables(Long id) {
            this.id = id;
        }
    }

    /** Is refused after a query of the database, because only the database shows the column's type. */
    @Entity(name = "ZonedInLocal")
    public static class ZonedInLocal extends Closable {

        @Version
        @Column(columnDefinition = "timestamp")
        @Nullable
        Instant version;

        protected ZonedInLocal() {}

        public ZonedInLocal(Long id) {
            super(id);
        }
    }
}
