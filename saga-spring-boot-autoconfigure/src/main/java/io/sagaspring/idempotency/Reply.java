package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * A reply as it is stored.
 *
 * @param format how it was written
 * @param head what goes before the body, or null
 * @param body the bytes, or null for a reply that is nothing
 */
public record Reply(String format, @Nullable String head, byte @Nullable [] body) {

    private static final String NOT_KEPT = "not-kept";

    /**
     * Stands for a reply that cannot be stored: the work is done, and must not be repeated.
     *
     * @param why as a sentence
     * @return what is stored instead
     */
    public static Reply notKept(String why) {
        return new Reply(NOT_KEPT, why, null);
    }

    /**
     * Requires that there is something to replay.
     *
     * @param key what it replies to
     * @return this reply
     * @throws ReplyNotKeptException if it could not be stored
     */
    public Reply required(IdempotencyKey key) {
        if (format.equals(NOT_KEPT)) {
            throw new ReplyNotKeptException(key, String.valueOf(head));
        }
        return this;
    }

    @Override
    public String toString() {
        return "%s of %d bytes".formatted(format, body == null ? 0 : body.length);
    }
}
