package io.sagaspring.tenant.apart;

import io.sagaspring.tenant.Job;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** A job in a table of its tenant. */
@Entity(name = "Desk")
public class Desk implements Job {

    @Id
    private long number;

    @Enumerated(EnumType.STRING)
    private Status status = Status.OPEN;

    @Version
    private long version;

    private String note = "";

    protected Desk() {}

    public Desk(long number) {
        this.number = number;
    }

    public Status status() {
        return status;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public String note() {
        return note;
    }

    @Override
    public void note(String text) {
        note = note + text;
    }
}
