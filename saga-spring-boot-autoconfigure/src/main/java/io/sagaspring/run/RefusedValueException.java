package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import java.util.Objects;

/**
 * Thrown if a value that a caller passed to a run or a saga is rejected. The value is too large, or has a part that
 * cannot be stored. Nothing was started or signalled. For a type that cannot be written, or for stored bytes that
 * cannot be read, the library throws a plain {@link PayloadException}. Those are faults of the application, not of its
 * client.
 *
 * @since 0.1.0
 */
public final class RefusedValueException extends PayloadException {

    private static final long serialVersionUID = 1L;

    RefusedValueException(PayloadException fault) {
        super(Objects.requireNonNull(fault.getMessage()), fault.reason(), fault);
    }

    /**
     * Returns true if a smaller value would have been accepted.
     *
     * @return false if the value has a part that cannot be stored at any size
     */
    public boolean isTooLarge() {
        return reason() == Reason.TOO_LARGE;
    }
}
