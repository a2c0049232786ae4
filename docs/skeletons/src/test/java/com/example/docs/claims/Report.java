package com.example.docs.claims;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

@Entity
class Report {

    enum Status {
        REQUESTED,
        RENDERING,
        RENDERED
    }

    @Id
    private long id;

    @Enumerated(EnumType.STRING)
    private Status status = Status.REQUESTED;

    @Version
    private long version;

    long id() {
        return id;
    }

    Status status() {
        return status;
    }

    long version() {
        return version;
    }
}
