package io.sagaspring.sample.simulation;

/** The failure that a client has requested. */
public final class TroubleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TroubleException(String message) {
        super(message);
    }
}
