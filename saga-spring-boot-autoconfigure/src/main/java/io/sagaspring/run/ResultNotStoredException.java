package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;

/**
 * A step took effect, and what it returned cannot be stored. It is the cause of a {@link StepFailedException}.
 *
 * @since 0.1.0
 */
public final class ResultNotStoredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ResultNotStoredException(String step, PayloadException cause) {
        super(
                "Step '%s' has taken effect, but its result is lost. %s If somebody retries the step, it is run again, under the same idempotency key."
                        .formatted(step, cause.getMessage()),
                cause);
    }
}
