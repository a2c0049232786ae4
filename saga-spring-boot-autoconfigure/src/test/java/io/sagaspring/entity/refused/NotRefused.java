package io.sagaspring.entity.refused;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;

/** Entities that are not refused. Hibernate checks the version of {@link NotLocked} in spite of its annotation. */
public final class NotRefused {

    private NotRefused() {}

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

    @Entity(name = "Plain")
    public static class Plain {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        long version;
    }
}
