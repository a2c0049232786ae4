package io.sagaspring.idempotency;

import java.util.Locale;

/**
 * The state of a stored idempotency key.
 *
 * @since 0.1.0
 */
public enum KeyState {
    /** A request with the key is in progress. */
    PROCESSING,
    /** The node that executed the request has died, or has lost the key. The next request executes the work again. */
    ABANDONED,
    /** The reply is stored. Further requests get this reply. */
    COMPLETED,
    /** The retention has ended. The next request executes the work again. */
    EXPIRED;

    /** {@return the state in lower case} */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return true if the request has not been answered, so that a person may free the key} */
    public boolean isUnanswered() {
        return this == PROCESSING || this == ABANDONED;
    }
}
