package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import java.util.Objects;

/**
 * Refuses a value that a caller passed to a run or a saga. The value is too large, or has a part that cannot be stored. Nothing was
 * started or signalled. A type that cannot be written, and stored bytes that cannot be read, are mistakes of the application and not of its client. They are a
 * plain {@link PayloadException}.
 *
 * @since 0.1.0
 */
public final class RefusedValueException extends PayloadException {

    private static final long serialVersionUID = 1L;

    RefusedValueException(PayloadException fault) {
        super(Objects.requireNonNull(fault.getMessage()), fault.reason(), fault);
    }

    /**
     * Tells whether a smaller value would have been accepted.
     *
     * @return false if the value has a part that cannot be stored at any size
     */
    public boolean isTooLarge() {
        return reason() == Reason.TOO_LARGE;
    }
}
