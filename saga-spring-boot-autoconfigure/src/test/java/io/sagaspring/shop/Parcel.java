package io.sagaspring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

/** The entity of the workflow {@code parcel}. A parcel is packed, sent and possibly lost. */
@Entity
public class Parcel {

    public enum Status {
        PACKED,
        SENDING,
        SENT,
        LOST,
        RETURNING
    }

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    @Enumerated(EnumType.STRING)
    private Status status = Status.PACKED;

    private String note = "";

    @Version
    private long version;

    public long id() {
        return java.util.Objects.requireNonNull(id);
    }

    public Status status() {
        return status;
    }

    public String note() {
        return note;
    }

    public void note(String text) {
        note = text;
    }

    public void status(Status moved) {
        status = moved;
    }

    public long version() {
        return version;
    }
}
