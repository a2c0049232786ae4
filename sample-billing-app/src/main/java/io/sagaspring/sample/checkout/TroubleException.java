package io.sagaspring.sample.checkout;

/** The failure that a client has requested. */
final class TroubleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TroubleException(String message) {
        super(message);
    }
}
