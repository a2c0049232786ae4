package io.sagaspring.test.saga;

/** The end of a node in a test. Nothing that a step throws is like it: it is no failure of the step, and is journaled nowhere. */
final class NodeCrash extends VirtualMachineError {

    private static final long serialVersionUID = 1L;

    NodeCrash(String message) {
        super(message);
    }

    /** It is where the test wanted it. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
