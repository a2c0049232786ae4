package io.sagaspring.run;

/** Distinguishes errors of the node from errors of a step, which would also occur on any other node. */
final class NodeErrors {

    private NodeErrors() {}

    /**
     * Returns true if an exception is an error of the node. A stack overflow or an incompatible class is an error of
     * the code.
     */
    static boolean is(Throwable thrown) {
        return (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || thrown.getClass().getName().equals("java.lang.ThreadDeath");
    }
}
