package io.sagaspring.lease;

import io.sagaspring.fence.DurationText;

/**
 * Thrown if a lease could not be acquired.
 *
 * @since 0.1.0
 */
public final class LeaseRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Acquisition acquisition;

    LeaseRefusedException(LeaseName name, Acquisition acquisition) {
        super(message(name, acquisition));
        this.acquisition = acquisition;
    }

    private static String message(LeaseName name, Acquisition acquisition) {
        if (acquisition instanceof Acquisition.AlreadyPassed passed) {
            return "The work on '%s' is complete (%s). Its lease cannot be acquired again."
                    .formatted(name, passed.completion());
        }
        if (acquisition instanceof Acquisition.AlreadyClaimed claimed) {
            return "Another caller holds the lease on '%s' (token %s). The lease expires in %s unless it is renewed. Try again later, or wait for it with LeaseManager.waiting(…) or @Leased(patience = …)."
                    .formatted(name, claimed.token(), DurationText.of(claimed.remaining()));
        }
        throw new IllegalArgumentException("%s does not mean that the lease was refused.".formatted(acquisition));
    }

    /**
     * Returns the result of the attempt, which contains the reason.
     *
     * @return {@link Acquisition.AlreadyClaimed} or {@link Acquisition.AlreadyPassed}
     */
    public Acquisition acquisition() {
        return acquisition;
    }
}
