package io.sagaspring.operations;

/**
 * The result of an operation.
 *
 * @param result the result in one word
 * @param message the result in a sentence
 * @since 0.1.0
 */
public record OperationResult(Result result, String message) {

    /** The kinds of results. */
    public enum Result {
        /** The operation was done. */
        ACCEPTED,
        /** The current state does not allow the operation. */
        REFUSED,
        /** There is nothing with this id or name. */
        UNKNOWN
    }

    static OperationResult accepted(String message) {
        return new OperationResult(Result.ACCEPTED, message);
    }

    static OperationResult refused(String message) {
        return new OperationResult(Result.REFUSED, message);
    }

    static OperationResult unknown(String message) {
        return new OperationResult(Result.UNKNOWN, message);
    }

    /** {@return true if the operation was done} */
    public boolean wasDone() {
        return result == Result.ACCEPTED;
    }
}
