package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;

/**
 * Reports that a step took effect, but its result could not be stored. This exception is the cause of a {@link
 * StepFailedException}.
 *
 * @since 0.1.0
 */
public final class ResultNotStoredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ResultNotStoredException(String step, PayloadException cause) {
        super(
                "Step '%s' has taken effect, but its result is lost. %s If you retry the run, the step is executed again with the same idempotency key."
                        .formatted(step, cause.getMessage()),
                cause);
    }
}
