package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import java.util.Objects;

/**
 * Refuses a value that the caller handed to a run or a saga: it is too large, or holds something that cannot be stored. Nothing
 * was started or signalled. A value whose type cannot be written, or stored bytes that cannot be read, are a plain {@link
 * PayloadException}: they are a mistake of the application and not of its client.
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
     * @return false if the value holds something that cannot be stored at any size
     */
    public boolean isTooLarge() {
        return reason() == Reason.TOO_LARGE;
    }
}
