package io.sagaspring.run;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The name of one run. Later ones are mostly greater, which keeps the index of a busy table small; nobody can guess one.
 *
 * @param value a UUID
 * @since 0.1.0
 */
public record RunId(UUID value) implements Comparable<RunId> {

    private static final SecureRandom random = new SecureRandom();

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text a UUID
     * @return the id
     * @throws IllegalArgumentException if it is none
     */
    @JsonCreator
    public static RunId of(String text) {
        return new RunId(UUID.fromString(text));
    }

    /**
     * Reads what may be an id.
     *
     * @param text anything
     * @return empty if it is none
     */
    public static Optional<RunId> find(String text) {
        try {
            return Optional.of(of(text));
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /**
     * A new id: version 7, milliseconds and then chance. The order is a courtesy, so that this node's clock decides nothing.
     *
     * @return an id that no run has
     */
    public static RunId next() {
        long chance = random.nextLong();
        long high = System.currentTimeMillis() << 16 | 0x7000 | chance >>> 52;
        return new RunId(new UUID(high, random.nextLong() >>> 2 | 0x8000000000000000L));
    }

    /**
     * Returns when this id was made, by the clock of the node that made it. Good for people, and for nothing that decides.
     *
     * @return to the millisecond
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
