package io.sagaspring.run;

import java.util.Optional;

/**
 * The result of sending a signal or a reply to a run.
 *
 * @since 0.1.0
 */
public enum SignalResult {
    /** The signal or reply is durable. The run receives it when its code waits for it. */
    ACCEPTED,
    /** A signal or reply with this key has already been accepted. This call changed nothing. */
    REPEATED,
    /**
     * The run has ended, or a reply came after the end of its wait or while the run is compensating. This call changed
     * nothing.
     */
    TOO_LATE;

    static Optional<SignalResult> of(RunInbox.Answer answer) {
        return switch (answer) {
            case ACCEPTED -> Optional.of(ACCEPTED);
            case REPEATED -> Optional.of(REPEATED);
            case TOO_LATE -> Optional.of(TOO_LATE);
            case UNKNOWN -> Optional.empty();
        };
    }
}
