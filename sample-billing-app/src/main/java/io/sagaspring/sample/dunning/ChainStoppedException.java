package io.sagaspring.sample.dunning;

import io.sagaspring.lease.Guard;
import io.sagaspring.lease.Lease;

/** A chain was refused at one of its boundaries, and must not go on. */
final class ChainStoppedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private ChainStoppedException(String message) {
        super(message);
    }

    static ChainStoppedException at(Lease lease, Guard guard) {
        return new ChainStoppedException("The %s is not held any more: %s.".formatted(lease, guard));
    }

    static ChainStoppedException at(Lease lease, String story) {
        return new ChainStoppedException(
                "Under the %s, story '%s' was not written: it has passed, or bears a greater token."
                        .formatted(lease, story));
    }
}
