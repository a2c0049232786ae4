package com.example.docs.leases;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

@Entity
class Billing {

    @Id
    private long id;

    private String status = "APPROVED";

    private long cents;

    private @Nullable String receipt;

    @Version
    private long version;

    long id() {
        return id;
    }

    long cents() {
        return cents;
    }

    void close(String receipt) {
        this.receipt = receipt;
    }

    @Override
    public String toString() {
        return "billing %d, %s, version %d, receipt %s".formatted(id, status, version, receipt);
    }
}
