package io.sagaspring.pause;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * A pause of a kind of runs, or of a janitor.
 *
 * @param kind the kind of what is paused
 * @param name the name of the run class or the saga, or the module of the janitor
 * @param at the time at which it was paused, by the database clock
 * @param age the time since then
 * @param by the person who paused it
 * @param why the reason
 * @since 0.1.0
 */
public record Pause(Kind kind, String name, Instant at, Duration age, String by, String why) {

    /** The kinds of what can be paused. */
    public enum Kind {
        /** The runs of a run class, or the executions of a saga. */
        RUN,
        /** The janitor of a module. */
        JANITOR;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }
}
