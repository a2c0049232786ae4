package io.sagaspring.sample.dunning;

import io.sagaspring.lease.Lease;

/**
 * Thrown when the database has refused to change a letter (story). The chain that sent the change has lost its lease
 * and must stop.
 */
final class StoryRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryRefusedException(Lease lease, String story) {
        super(
                "Letter '%2$s' was not changed under the %1$s: the letter already has the status 'passed', or a greater token."
                        .formatted(lease, story));
    }
}
