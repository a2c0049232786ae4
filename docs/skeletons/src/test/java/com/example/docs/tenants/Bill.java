package com.example.docs.tenants;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

@Entity
class Bill {
    enum Status {
        OPEN,
        SETTLING,
        SETTLED
    }

    @Id
    private long id;

    @TenantId
    private @Nullable String tenant;

    @Enumerated(EnumType.STRING)
    private Status status = Status.OPEN;

    @Version
    private long version;

    @Override
    public String toString() {
        return "bill %s of %s, %s".formatted(id, tenant, status);
    }
}
