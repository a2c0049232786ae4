package io.sagaspring.benchmarks;

import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;

/**
 * An entity that moves back and forth between two states. Each contender has its own table, and all tables have the
 * same columns.
 */
@MappedSuperclass
abstract class Ball {

    enum Status {
        HOME,
        SERVING,
        AWAY,
        RETURNING
    }

    /** The two steps of the workflow. Each step reverses the other, so that the state need not be reset. */
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
    }

    @Id
    private long id;

    @Enumerated(EnumType.STRING)
    private Status status = Status.HOME;

    @SuppressWarnings("UnusedVariable") // Only a query on the table reads the value.
    private long hits;

    @Version
    private long version;

    Status status() {
        return status;
    }

    void status(Status moved) {
        status = moved;
    }

    /** Performs the action. Counting the hits proves that each transition was made. */
    void hit() {
        hits++;
    }
}
