package io.sagaspring.entity.refused;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;
import java.time.Instant;
import java.time.LocalDate;
import org.hibernate.annotations.UpdateTimestamp;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.LastModifiedDate;

/** Entities whose last-modified column a flip cannot write. */
public final class RefusedLastModified {

    private RefusedLastModified() {}

    @Entity(name = "ChangedAtNumber")
    public static class ChangedAtNumber {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;

        @LastModifiedDate
        long changedAt;
    }

    @Entity(name = "ChangedOnDate")
    public static class ChangedOnDate {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;

        @UpdateTimestamp
        @Nullable
        LocalDate changedAt;
    }

    @Entity(name = "Changing")
    @Inheritance(strategy = InheritanceType.JOINED)
    public static class Changing {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;
    }

    @Entity(name = "ChangedInAnotherTable")
    public static class ChangedInAnotherTable extends Changing {

        @LastModifiedDate
        @Nullable
        Instant changedAt;
    }
}
