package io.sagaspring.run;

/** Distinguishes errors of the node from errors of a step, which would occur on any node. */
final class NodeErrors {

    private NodeErrors() {}

    /**
     * Tells whether an exception is an error of the node. A stack overflow is an error of the code, and so is a class that does not fit.
     */
    static boolean is(Throwable thrown) {
        return (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || thrown.getClass().getName().equals("java.lang.ThreadDeath");
    }
}
