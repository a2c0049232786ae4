package io.sagaspring.lease;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a lease was lost before the work under it ended. Work done after the loss may overlap with the work of the
 * next owner.
 *
 * @since 0.1.0
 */
public final class LeaseLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LeaseLostException(Lease lease, @Nullable Throwable cause) {
        this(lease, lease.lossReason(), cause);
    }

    LeaseLostException(Lease lease, Guard guard) {
        this(lease, reason(guard), null);
    }

    private LeaseLostException(Lease lease, String reason, @Nullable Throwable cause) {
        super(
                "The lease on '%s' (token %s) was lost before the work ended: %s. The next owner has a greater token. Send the token with each write, and let the system that stores the write reject smaller tokens."
                        .formatted(lease.name(), lease.token(), reason),
                cause);
    }

    private static String reason(Guard guard) {
        if (guard instanceof Guard.AlreadyClaimed other) {
            return "another caller has acquired it since (token %s)".formatted(other.token());
        }
        if (guard instanceof Guard.AlreadyPassed passed) {
            return "the work was recorded as complete (%s)".formatted(passed.completion());
        }
        return "the lease has expired or was released";
    }
}
