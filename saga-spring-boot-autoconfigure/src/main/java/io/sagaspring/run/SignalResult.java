package io.sagaspring.run;

import java.util.Optional;

/**
 * What became of a signal.
 *
 * @since 0.1.0
 */
public enum SignalResult {
    /** It is durable, and the run is given it when it asks. */
    ACCEPTED,
    /** One with this key was accepted before; this one changes nothing. */
    REPEATED,
    /** The run is over; this changes nothing. */
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
