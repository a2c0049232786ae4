package io.sagaspring.chaos;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The entity, which is moved back and forth between {@code HOME} and {@code AWAY}. */
@Entity
public class Crate {

    public enum Status {
        HOME,
        LEAVING,
        HAULED,
        AWAY,
        RETURNING
    }

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    @Enumerated(EnumType.STRING)
    private Status status = Status.HOME;

    private String note = "";

    @Version
    private long version;

    public long id() {
        return Objects.requireNonNull(id);
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

    public long version() {
        return version;
    }
}
