package io.sagaspring.lease;

import org.jspecify.annotations.Nullable;

/** The lease was lost before the work on it was over. What the work did since may have met that of the next holder. */
public final class LeaseLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LeaseLostException(Lease lease, @Nullable Throwable cause) {
        super(
                "The lease on '%s' (token %s) was lost before the work was over: %s. Its next holder has a greater token; let what must not be written twice be refused by it."
                        .formatted(lease.name(), lease.token(), lease.lossReason()),
                cause);
    }
}
