package io.sagaspring.janitor;

import io.sagaspring.startup.StartupFaultException;

/** Thrown when a janitor would free nothing, because it is not scheduled or its class is not a janitor. */
final class UnusableJanitorsException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    UnusableJanitorsException(String description, String action) {
        super(description, description, action);
    }
}
