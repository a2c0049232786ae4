package io.sagaspring.tenant.shared;

import io.sagaspring.tenant.Job;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
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
public class Ticket extends Job {

    @Id
    private long number;

    @TenantId
    @PartitionKey
    private @Nullable String tenant;

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
}
