package io.sagaspring.operations;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A person's operation that has ended, or a request for an operation that was denied. The library publishes it as an application event, on the thread of the
 * operation. An exception of an event listener is logged and does not change the result of the operation.
 *
 * @param operation the operation, such as {@code run.retry}
 * @param target the object of the operation
 * @param operator the person who requested the operation
 * @param reason the person's reason, or null if there was none
 * @param outcome the outcome in one word
 * @param message the outcome in a sentence
 * @since 0.1.0
 */
public record OperationPerformed(
        String operation,
        OperationTarget target,
        Operator operator,
        @Nullable String reason,
        Outcome outcome,
        String message) {

    /** The outcomes of operations. */
    public enum Outcome {
        /** The operation was done. */
        ACCEPTED,
        /** The state of the object did not allow the operation. */
        REFUSED,
        /** The person was not allowed to request the operation, so the object was not looked at. */
        DENIED,
        /** There was no such object. */
        UNKNOWN,
        /** The request had a value that the operation does not accept. */
        INVALID,
        /** The operation threw an exception, so it may or may not have been done. */
        FAILED;

        /** {@return the name as the audit shows it} */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
