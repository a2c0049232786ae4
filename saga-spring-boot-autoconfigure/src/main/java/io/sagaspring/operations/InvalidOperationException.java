package io.sagaspring.operations;

/**
 * Reports a value that no operation of this kind accepts, such as a result that cannot be stored. Nothing was changed.
 *
 * @since 0.1.0
 */
public final class InvalidOperationException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    InvalidOperationException(String message) {
        super(message);
    }

    InvalidOperationException(String message, Throwable cause) {
        super(message, cause);
    }
}
