package io.sagaspring.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits for strings and pauses that every store applies, so that a run looks the same in every store.
 *
 * @since 0.1.0
 */
public final class StorageLimits {

    /** The maximum number of characters of a text for display. A store shortens longer texts. */
    public static final int LONGEST_TEXT = 8_000;

    /** A thousand years, so that every store can represent the end of the pause. */
    private static final Duration LONGEST_PAUSE = Duration.ofDays(365_000);

    private StorageLimits() {}

    /**
     * Shortens a text for display: an error, a reason, or the detail of an entry.
     *
     * @param text the text, or null
     * @return its first {@value #LONGEST_TEXT} characters, with a space for each NUL, which PostgreSQL cannot store;
     *     null for null
     */
    public static @Nullable String text(@Nullable String text) {
        return text == null
                ? null
                : text.substring(0, Math.min(text.length(), LONGEST_TEXT)).replace('\0', ' ');
    }

    /**
     * Limits a pause to a thousand years, so that every store can represent its end.
     *
     * @param pause the pause
     * @return the pause, or a thousand years if it is longer
     */
    public static Duration pause(Duration pause) {
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }
}
