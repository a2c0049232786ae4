package io.sagaspring.test.saga;

/**
 * Thrown to kill a node in a test. The engine treats this error as an error of the node and not as a failure of the
 * step, and does not journal it.
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
