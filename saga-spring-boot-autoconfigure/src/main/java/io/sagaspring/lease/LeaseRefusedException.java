package io.sagaspring.lease;

/**
 * A lease could not be acquired.
 *
 * @since 0.1.0
 */
public final class LeaseRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Acquisition acquisition;

    LeaseRefusedException(LeaseName name, Acquisition acquisition) {
        super(sentence(name, acquisition));
        this.acquisition = acquisition;
    }

    private static String sentence(LeaseName name, Acquisition acquisition) {
        if (acquisition instanceof Acquisition.AlreadyPassed passed) {
            return "The work on '%s' is at its end: %s. It is not acquired again.".formatted(name, passed.completion());
        }
        if (acquisition instanceof Acquisition.AlreadyClaimed claimed) {
            return "'%s' is held by somebody else (token %s), for %s if it is not renewed. Ask again later, or wait with waiting(…)."
                    .formatted(name, claimed.token(), claimed.left());
        }
        throw new IllegalArgumentException("%s is no refusal.".formatted(acquisition));
    }

    /**
     * Why.
     *
     * @return that somebody has it, or that the work is at its end
     */
    public Acquisition acquisition() {
        return acquisition;
    }
}
