package io.sagaspring.tenant;

import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;

/**
 * The properties that every entity of these tests has. The entities differ in their ids, and in where the table of a
 * tenant is.
 */
@MappedSuperclass
public abstract class Job {

    /** The statuses of a job. */
    public enum Status {
        OPEN,
        CLOSING,
        CLOSED
    }

    @Enumerated(EnumType.STRING)
    private Status status = Status.OPEN;

    @Version
    private long version;

    private String note = "";

    /** Creates an open job. */
    protected Job() {}

    /** Returns the number, which need not be unique across tenants. */
    public abstract long number();

    /** Returns the status. */
    public Status status() {
        return status;
    }

    /** Returns the notes. */
    public String note() {
        return note;
    }

    /** Adds a note. */
    public void note(String text) {
        note = note + text;
    }
}
