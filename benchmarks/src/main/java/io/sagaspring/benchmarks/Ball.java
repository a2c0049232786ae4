package io.sagaspring.benchmarks;

import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;

/** What goes to and fro. Each contender has a table of its own for them, all of the same shape. */
@MappedSuperclass
abstract class Ball {

    enum Status {
        HOME,
        SERVING,
        AWAY,
        RETURNING
    }

    /** The two steps. Each undoes the other, so that no time goes into putting things back. */
    enum Stroke {
        SERVE("serve", Status.HOME, Status.SERVING, Status.AWAY),
        RETURN("return", Status.AWAY, Status.RETURNING, Status.HOME);

        final String step;
        final Status from;
        final Status claim;
        final Status into;

        Stroke(String step, Status from, Status claim, Status into) {
            this.step = step;
            this.from = from;
            this.claim = claim;
            this.into = into;
        }

        Stroke next() {
            return this == SERVE ? RETURN : SERVE;
        }
    }

    @Id
    private long id;

    @Enumerated(EnumType.STRING)
    private Status status = Status.HOME;

    @SuppressWarnings("UnusedVariable") // Read where it was written to: in the table.
    private long hits;

    @Version
    private long version;

    Status status() {
        return status;
    }

    void status(Status moved) {
        status = moved;
    }

    /** The action. It is counted, so that a run can prove that it did what it says. */
    void hit() {
        hits++;
    }
}
