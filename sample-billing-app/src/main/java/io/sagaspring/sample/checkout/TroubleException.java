package io.sagaspring.sample.checkout;

/** The trouble that a client has asked for. */
final class TroubleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TroubleException(String message) {
        super(message);
    }
}
