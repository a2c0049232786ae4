package io.sagaspring.janitor;

import io.sagaspring.startup.StartupFaultException;

/** Thrown when janitors exist that would free nothing. */
final class UnusableJanitorsException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    UnusableJanitorsException(String description, String action) {
        super(description, description, action);
    }
}
