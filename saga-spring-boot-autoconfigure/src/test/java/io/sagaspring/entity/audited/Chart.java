package io.sagaspring.entity.audited;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.time.Instant;
import java.time.LocalDateTime;
import org.hibernate.annotations.UpdateTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * An entity in two tables, each with a last-modified time. The time in the first table is in an embeddable and has no
 * time zone.
 */
@Entity
@SecondaryTable(name = "chart_state")
public class Chart {

    /** The embeddable with the last-modified time. */
    @Embeddable
    public static class Stamps {

        @UpdateTimestamp
        @Nullable
        LocalDateTime changedAt;
    }

    @Id
    Long id = 0L;

    @Column(table = "chart_state")
    @Enumerated(EnumType.STRING)
    Dossier.State status = Dossier.State.OPEN;

    @Column(table = "chart_state")
    @UpdateTimestamp
    @Nullable
    Instant movedAt;

    @Embedded
    Stamps stamps = new Stamps();

    @Version
    long version;

    protected Chart() {}

    public Chart(Long id) {
        this.id = id;
    }

    public @Nullable LocalDateTime changedAt() {
        return stamps.changedAt;
    }

    public @Nullable Instant movedAt() {
        return movedAt;
    }
}
