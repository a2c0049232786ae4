package io.sagaspring.tenant.apart;

import io.sagaspring.tenant.Job;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A job in a table that belongs to one tenant. */
@Entity(name = "Desk")
public class Desk extends Job {

    @Id
    private long number;

    protected Desk() {}

    public Desk(long number) {
        this.number = number;
    }

    @Override
    public long number() {
        return number;
    }
}
