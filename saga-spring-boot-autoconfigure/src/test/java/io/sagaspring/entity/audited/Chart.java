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
 * An entity in two tables. Each table has a last-modified time. One of them is in an embeddable and has no time zone.
 */
@Entity
@SecondaryTable(name = "chart_state")
public class Chart {

    /** The part that records the time. */
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
