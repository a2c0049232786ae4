package io.sagaspring.dashboard;

/**
 * How much of a stored value the dashboard shows.
 *
 * @since 0.1.0
 */
public enum PayloadVisibility {
    /** The dashboard does not show the value. */
    HIDDEN,
    /** The dashboard shows the structure of the value, with a placeholder for each text and each number. */
    REDACTED,
    /** The dashboard shows the value. */
    SHOWN;

    /** Returns the one that shows less. */
    PayloadVisibility atMost(PayloadVisibility limit) {
        return compareTo(limit) < 0 ? this : limit;
    }
}
