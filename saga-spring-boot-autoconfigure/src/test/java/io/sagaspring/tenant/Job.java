package io.sagaspring.tenant;

/** What the tests need of every entity. */
public interface Job {

    /** The statuses of a job. */
    enum Status {
        OPEN,
        CLOSING,
        CLOSED
    }

    /** Returns the number, which several tenants may use at once. */
    long number();

    /** Returns the notes. */
    String note();

    /** Adds a note. */
    void note(String text);
}
