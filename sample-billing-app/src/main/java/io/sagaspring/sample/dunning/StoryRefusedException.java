package io.sagaspring.sample.dunning;

import io.sagaspring.lease.Lease;

/** Thrown when the fence has refused a write. The chain that sent the write has lost its lease and must stop. */
final class StoryRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryRefusedException(Lease lease, String story) {
        super("Story '%2$s' was not written under the %1$s: the story has passed, or has a greater token."
                .formatted(lease, story));
    }
}
