package io.sagaspring.payload;

import org.jspecify.annotations.Nullable;

/**
 * A value that cannot be written, or bytes that cannot be read. It never shows the value, which may be a secret.
 *
 * @since 0.1.0
 */
public class PayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Tells what is wrong: the value, or the code around it. */
    public enum Reason {
        /** The value has more bytes than are allowed. */
        TOO_LARGE,
        /** The value holds something that cannot be stored, such as a number of too many digits, or is nested too deeply. */
        NOT_STORABLE,
        /** The type of the value cannot be written or read, or stored bytes are not of the type. */
        OTHER
    }

    /**
     * A fault of a type, or of stored bytes.
     *
     * @param sentence what is wrong and what to do
     * @param cause what the codec met
     */
    public PayloadException(String sentence, @Nullable Throwable cause) {
        this(sentence, Reason.OTHER, cause);
    }

    /**
     * A fault of a payload.
     *
     * @param sentence what is wrong and what to do
     * @param reason tells whether the value is at fault
     * @param cause what the codec met
     */
    public PayloadException(String sentence, Reason reason, @Nullable Throwable cause) {
        super(sentence, cause);
        this.reason = reason;
    }

    /**
     * Tells whether the value is at fault.
     *
     * @return the reason
     */
    public final Reason reason() {
        return reason;
    }
}
