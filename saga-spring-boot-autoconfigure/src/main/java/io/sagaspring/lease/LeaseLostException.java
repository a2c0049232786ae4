package io.sagaspring.lease;

import org.jspecify.annotations.Nullable;

/**
 * The lease was lost before the work on it was over. What the work did since may have met that of the next holder.
 *
 * @since 0.1.0
 */
public final class LeaseLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LeaseLostException(Lease lease, @Nullable Throwable cause) {
        this(lease, lease.lossReason(), cause);
    }

    LeaseLostException(Lease lease, Guard guard) {
        this(lease, sentence(guard), null);
    }

    private LeaseLostException(Lease lease, String reason, @Nullable Throwable cause) {
        super(
                "The lease on '%s' (token %s) was lost before the work was over: %s. Its next holder has a greater token; let what must not be written twice be refused by it."
                        .formatted(lease.name(), lease.token(), reason),
                cause);
    }

    private static String sentence(Guard guard) {
        if (guard instanceof Guard.AlreadyClaimed other) {
            return "somebody else has acquired it since (token %s)".formatted(other.token());
        }
        if (guard instanceof Guard.AlreadyPassed passed) {
            return "the work on it is at its end, %s".formatted(passed.completion());
        }
        return "its time is over, or it was given up";
    }
}
