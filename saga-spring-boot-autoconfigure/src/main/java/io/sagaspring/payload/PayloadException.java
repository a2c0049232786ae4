package io.sagaspring.payload;

import org.jspecify.annotations.Nullable;

/** A value that cannot be written, or bytes that cannot be read. It never shows the value, which may be a secret. */
public final class PayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * A fault of a payload.
     *
     * @param sentence what is wrong and what to do
     * @param cause what the codec met
     */
    public PayloadException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
