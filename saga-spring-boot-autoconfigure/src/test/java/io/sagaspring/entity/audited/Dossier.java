package io.sagaspring.entity.audited;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.PostUpdate;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.envers.Audited;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.LastModifiedBy;
import org.springframework.data.annotation.LastModifiedDate;
import org.springframework.data.jpa.domain.support.AuditingEntityListener;

/** An entity with Spring Data's auditing fields, an entity listener, Envers and a second-level cache. */
@Entity
@Audited
@Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
@EntityListeners({AuditingEntityListener.class, Dossier.Updates.class})
public class Dossier {

    /** The statuses of {@code Dossier} and {@code Chart}. */
    public enum State {
        OPEN,
        CLOSING,
        CLOSED
    }

    /** The entity listener. */
    public static final class Updates {
        public static final List<State> seen = new CopyOnWriteArrayList<>();

        @PostUpdate
        void updated(Dossier dossier) {
            seen.add(dossier.status);
        }
    }

    @Id
    Long id = 0L;

    @Enumerated(EnumType.STRING)
    State status = State.OPEN;

    @Version
    long version;

    String title = "";

    @LastModifiedDate
    @Nullable
    Instant changedAt;

    @LastModifiedBy
    @Nullable
    String changedBy;

    protected Dossier() {}

    public Dossier(Long id) {
        this.id = id;
    }

    public State status() {
        return status;
    }

    public void title(String title) {
        this.title = title;
    }

    public @Nullable Instant changedAt() {
        return changedAt;
    }

    public @Nullable String changedBy() {
        return changedBy;
    }
}
