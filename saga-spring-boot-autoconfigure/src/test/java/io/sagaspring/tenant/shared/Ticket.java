package io.sagaspring.tenant.shared;

import io.sagaspring.tenant.Job;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * A job whose id does not contain the tenant. Two tenants may use the same id, so Hibernate needs the partition key.
 */
@Entity(name = "Ticket")
@Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
public class Ticket implements Job {

    @Id
    private long number;

    @TenantId
    @PartitionKey
    private @Nullable String tenant;

    @Enumerated(EnumType.STRING)
    private Status status = Status.OPEN;

    @Version
    private long version;

    private String note = "";

    protected Ticket() {}

    public Ticket(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }

    public @Nullable String tenant() {
        return tenant;
    }

    public Status status() {
        return status;
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
