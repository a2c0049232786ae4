package io.sagaspring.sample.billing;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

@Entity
class Invoice {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    @ManyToOne(optional = false)
    private Billing billing;

    private String number;

    @Enumerated(EnumType.STRING)
    private InvoiceStatus status = InvoiceStatus.SENT;

    private long amountCents;

    private String customer;

    private boolean deleted;

    @Version
    private long version;

    // Creates an empty object for JPA, which sets the fields.
    @SuppressWarnings("NullAway.Init")
    protected Invoice() {}

    Invoice(Billing billing, String number, long amountCents, String customer) {
        this.billing = billing;
        this.number = number;
        this.amountCents = amountCents;
        this.customer = customer;
    }

    void delete() {
        deleted = true;
    }

    Invoice cloned() {
        return new Invoice(billing, number, amountCents, customer);
    }

    @Nullable
    Long id() {
        return id;
    }

    Billing billing() {
        return billing;
    }

    String number() {
        return number;
    }

    InvoiceStatus status() {
        return status;
    }

    long amountCents() {
        return amountCents;
    }

    String customer() {
        return customer;
    }

    boolean deleted() {
        return deleted;
    }
}
