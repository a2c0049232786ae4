package io.sagaspring.entity.refused;

import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.OptimisticLock;
import org.hibernate.type.SqlTypes;

/** Entities whose status is refused because of the embeddable that contains the status. */
public final class RefusedEmbeddables {

    private RefusedEmbeddables() {}

    @Embeddable
    public static class Progress {

        @Enumerated(EnumType.STRING)
        State state = State.OPEN;

        String note = "";
    }

    @Embeddable
    public static class Course {

        @Enumerated(EnumType.STRING)
        State state = State.OPEN;
    }

    @Embeddable
    public static class LongCourse extends Course {

        int length;
    }

    @Entity(name = "AsJson")
    public static class AsJson {

        @Id
        Long id = 0L;

        @JdbcTypeCode(SqlTypes.JSON)
        Progress progress = new Progress();

        @Version
        long version;
    }

    @Entity(name = "OfAnyCourse")
    public static class OfAnyCourse {

        @Id
        Long id = 0L;

        @Embedded
        Course progress = new Course();

        @Version
        long version;
    }

    @Entity(name = "NotUpdated")
    public static class NotUpdated {

        @Id
        Long id = 0L;

        @Embedded
        @AttributeOverride(name = "state", column = @Column(updatable = false))
        Progress progress = new Progress();

        @Version
        long version;
    }

    @Entity(name = "NotLockedInside")
    public static class NotLockedInside {

        @Id
        Long id = 0L;

        @Embedded
        @OptimisticLock(excluded = true)
        Progress progress = new Progress();

        @Version
        long version;
    }
}
