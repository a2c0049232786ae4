package io.sagaspring.tenant.shared;

import io.sagaspring.tenant.Job;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.IdClass;
import jakarta.persistence.Version;
import java.io.Serializable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A job whose id contains the tenant. */
@Entity(name = "Seat")
@IdClass(Seat.Id.class)
public class Seat implements Job {

    /** The id. */
    public record Id(String tenant, long number) implements Serializable {}

    @jakarta.persistence.Id
    @TenantId
    private @Nullable String tenant;

    @jakarta.persistence.Id
    private long number;

    @Enumerated(EnumType.STRING)
    private Status status = Status.OPEN;

    @Version
    private long version;

    private String note = "";

    protected Seat() {}

    public Seat(long number) {
        this.number = number;
    }

    public Status status() {
        return status;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public String note() {
        return note;
    }

    @Override
    public void note(String text) {
        note = note + text;
    }
}
