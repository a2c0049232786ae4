package io.sagaspring.benchmarks.startup;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** The only entity. */
@Entity
class Parcel {

    enum Status {
        PACKED,
        SHIPPING,
        SHIPPED
    }

    @Id
    private long id;

    @SuppressWarnings("UnusedVariable") // The benchmark never ships a parcel, so nothing reads the status.
    @Enumerated(EnumType.STRING)
    private Status status = Status.PACKED;

    @Version
    private long version;
}
