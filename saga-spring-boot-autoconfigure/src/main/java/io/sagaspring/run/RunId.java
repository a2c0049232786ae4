package io.sagaspring.run;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The id of one run. A later id is usually greater, so new ids are appended to the index of the table, and the index
 * stays small. An id cannot be guessed.
 *
 * @param value the UUID
 * @since 0.1.0
 */
public record RunId(UUID value) implements Comparable<RunId> {

    private static final SecureRandom random = new SecureRandom();

    /**
     * Parses an id from the text that {@link #toString()} returns.
     *
     * @param text a UUID
     * @return the id
     * @throws IllegalArgumentException if the text is not a UUID
     */
    @JsonCreator
    public static RunId of(String text) {
        return new RunId(UUID.fromString(text));
    }

    /**
     * Parses text that may be an id.
     *
     * @param text any text
     * @return the id, or empty if the text is not a UUID
     */
    public static Optional<RunId> find(String text) {
        try {
            return Optional.of(of(text));
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /**
     * Creates an id: a UUID of version 7, which consists of the time in milliseconds and a random part. Only lists of
     * runs depend on the order of ids, so an inaccurate clock of this node changes only the order in lists.
     *
     * @return an id that no run has
     */
    public static RunId next() {
        long chance = random.nextLong();
        long high = System.currentTimeMillis() << 16 | 0x7000 | chance >>> 52;
        return new RunId(new UUID(high, random.nextLong() >>> 2 | 0x8000000000000000L));
    }

    /**
     * Returns the time at which this id was created, by the clock of the node that created it. Use it only for display,
     * and do not base decisions on it.
     *
     * @return the time, to the millisecond
     */
    public Instant madeAt() {
        return Instant.ofEpochMilli(value.getMostSignificantBits() >>> 16);
    }

    @Override
    public int compareTo(RunId other) {
        return value.toString().compareTo(other.value.toString());
    }

    @JsonValue
    @Override
    public String toString() {
        return value.toString();
    }
}
