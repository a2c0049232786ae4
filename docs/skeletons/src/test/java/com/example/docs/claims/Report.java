package com.example.docs.claims;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

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

    private @Nullable String paper;

    void renderedOn(String paper) {
        this.paper = paper;
    }

    long id() {
        return id;
    }

    @Override
    public String toString() {
        return "report %d, %s, version %d, paper %s".formatted(id, status, version, paper);
    }
}
