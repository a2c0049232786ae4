package io.sagaspring.payload;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a value cannot be written, or stored bytes cannot be read. The message never contains the value, which may
 * be secret.
 *
 * @since 0.1.0
 */
public class PayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** The kind of fault. */
    public enum Reason {
        /** The value has more bytes than are allowed. */
        TOO_LARGE,
        /**
         * The value contains something that cannot be stored, such as a number with too many digits, or is nested too
         * deeply.
         */
        NOT_STORABLE,
        /** The type of the value cannot be written or read, or the stored bytes do not fit the type. */
        OTHER
    }

    /**
     * Creates an exception about a type, or about stored bytes.
     *
     * @param sentence the message, which names the fault and the remedy
     * @param cause the exception that the codec caught, or null
     */
    public PayloadException(String sentence, @Nullable Throwable cause) {
        this(sentence, Reason.OTHER, cause);
    }

    /**
     * Creates an exception with a reason.
     *
     * @param sentence the message, which names the fault and the remedy
     * @param reason the kind of the fault
     * @param cause the exception that the codec caught, or null
     */
    public PayloadException(String sentence, Reason reason, @Nullable Throwable cause) {
        super(sentence, cause);
        this.reason = reason;
    }

    /**
     * Returns the kind of fault, which shows whether the value itself is the cause.
     *
     * @return the reason
     */
    public final Reason reason() {
        return reason;
    }
}
