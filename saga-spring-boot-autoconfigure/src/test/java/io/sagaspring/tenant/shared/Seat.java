package io.sagaspring.tenant.shared;

import io.sagaspring.tenant.Job;
import jakarta.persistence.Entity;
import jakarta.persistence.IdClass;
import java.io.Serializable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** A job whose id contains the tenant. */
@Entity(name = "Seat")
@IdClass(Seat.Id.class)
public class Seat extends Job {

    /** The id of a seat. */
    public record Id(String tenant, long number) implements Serializable {}

    @jakarta.persistence.Id
    @TenantId
    private @Nullable String tenant;

    @jakarta.persistence.Id
    private long number;

    protected Seat() {}

    public Seat(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
