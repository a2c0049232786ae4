package io.sagaspring.sample.dunning;

import io.sagaspring.lease.Lease;

/** The fence has refused a write: whoever has sent it is late, and must not go on. */
final class StoryRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryRefusedException(Lease lease, String story) {
        super("Under the %s, story '%s' was not written: it has passed, or bears a greater token."
                .formatted(lease, story));
    }
}
