package io.sagaspring.run;

/** Tells the errors that are the node's from those that are the fault of a step, which would meet them on any node. */
final class NodeErrors {

    private NodeErrors() {}

    /** A stack that is too deep is the code's, as is a class that does not fit. */
    static boolean is(Throwable thrown) {
        return (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || thrown.getClass().getName().equals("java.lang.ThreadDeath");
    }
}
