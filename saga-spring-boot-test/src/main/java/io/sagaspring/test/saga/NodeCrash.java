package io.sagaspring.test.saga;

/**
 * Ends a node in a test. This class is an error that no step throws on its own. The engine does not treat it as a
 * failure of the step and does not journal it.
 */
final class NodeCrash extends VirtualMachineError {

    private static final long serialVersionUID = 1L;

    NodeCrash(String message) {
        super(message);
    }

    /** Returns this exception without a stack trace, because the crash is intended and its place is known. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
