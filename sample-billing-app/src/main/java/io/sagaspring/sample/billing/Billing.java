package io.sagaspring.sample.billing;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

@Entity
class Billing {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    private String period;

    @Enumerated(EnumType.STRING)
    private BillingStatus status = BillingStatus.DRAFT;

    @Version
    private long version;

    private @Nullable String closedBy;

    @OneToMany(mappedBy = "billing", cascade = CascadeType.PERSIST)
    @OrderBy("id")
    private List<Invoice> invoices = new ArrayList<>();

    // Creates an empty object for JPA, which sets the fields.
    @SuppressWarnings("NullAway.Init")
    protected Billing() {}

    Billing(String period) {
        this.period = period;
    }

    void bill(String number, long amountCents, String customer) {
        invoices.add(new Invoice(this, number, amountCents, customer));
    }

    void closedBy(String requester) {
        closedBy = requester;
    }

    @Nullable
    Long id() {
        return id;
    }

    String period() {
        return period;
    }

    BillingStatus status() {
        return status;
    }

    long version() {
        return version;
    }

    @Nullable
    String closedBy() {
        return closedBy;
    }

    List<Invoice> invoices() {
        return invoices;
    }

    List<Invoice> liveInvoices() {
        return invoices.stream().filter(invoice -> !invoice.deleted()).toList();
    }
}
