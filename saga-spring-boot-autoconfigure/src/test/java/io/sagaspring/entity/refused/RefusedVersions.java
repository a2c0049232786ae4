package io.sagaspring.entity.refused;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.Calendar;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;

/** Entities whose versions are refused. */
public final class RefusedVersions {

    private RefusedVersions() {}

    @Entity(name = "WithoutVersion")
    public static class WithoutVersion {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;
    }

    @Entity(name = "WithBinaryVersion")
    public static class WithBinaryVersion {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        byte[] version = {};
    }

    @Entity(name = "WithCalendarVersion")
    public static class WithCalendarVersion {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        State status = State.OPEN;

        @Version
        Calendar version = Calendar.getInstance();
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
}
