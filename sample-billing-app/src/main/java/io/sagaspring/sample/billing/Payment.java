package io.sagaspring.sample.billing;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

@Entity
class Payment {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    @ManyToOne(optional = false, fetch = FetchType.LAZY)
    private Invoice invoice;

    private long amountCents;

    private String reference;

    private Instant at;

    // Creates an empty object for JPA, which sets the fields.
    @SuppressWarnings("NullAway.Init")
    protected Payment() {}

    Payment(Invoice invoice, long amountCents, String reference, Instant at) {
        this.invoice = invoice;
        this.amountCents = amountCents;
        this.reference = reference;
        this.at = at;
    }

    @Nullable
    Long id() {
        return id;
    }

    Invoice invoice() {
        return invoice;
    }

    long amountCents() {
        return amountCents;
    }

    String reference() {
        return reference;
    }

    Instant at() {
        return at;
    }
}
