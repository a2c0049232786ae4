package io.sagaspring.tenant;

/** The properties that the tests need from every entity. */
public interface Job {

    /** The statuses of a job. */
    enum Status {
        OPEN,
        CLOSING,
        CLOSED
    }

    /** Returns the number, which need not be unique across tenants. */
    long number();

    /** Returns the notes. */
    String note();

    /** Adds a note. */
    void note(String text);
}
