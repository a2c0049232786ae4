package com.example.docs.migrating;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

@Entity
class Payout {

    @Id
    private long id;

    private String iban;

    private long cents;

    private @Nullable String transfer;

    @Enumerated(EnumType.STRING)
    private PayoutStatus status = PayoutStatus.NEW;

    @Version
    private long version;

    // JPA calls this constructor and then sets the fields.
    @SuppressWarnings("NullAway.Init")
    protected Payout() {}

    long id() {
        return id;
    }

    String iban() {
        return iban;
    }

    long cents() {
        return cents;
    }

    void paidBy(String transfer) {
        this.transfer = transfer;
    }

    @Override
    public String toString() {
        return "payout %d, %s, version %d, transfer %s".formatted(id, status, version, transfer);
    }
}
