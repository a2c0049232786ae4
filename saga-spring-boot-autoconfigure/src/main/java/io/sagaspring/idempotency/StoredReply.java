package io.sagaspring.idempotency;

import io.sagaspring.fence.OutcomeUnknownException;
import org.jspecify.annotations.Nullable;

/**
 * A reply as it is stored.
 *
 * @since 0.1.0
 */
public final class StoredReply {

    private static final String NOT_KEPT = "not-kept";
    private static final String UNKNOWN = "unknown";

    private final String format;
    private final @Nullable String head;
    private final byte @Nullable [] body;

    /**
     * What is to be stored.
     *
     * @param format how it was written
     * @param head what goes before the body, or null
     * @param body the bytes, or null for a reply that is nothing
     */
    public StoredReply(String format, @Nullable String head, byte @Nullable [] body) {
        this.format = format;
        this.head = head;
        this.body = body == null ? null : body.clone();
    }

    /**
     * Stands for a reply that cannot be stored: the work is done, and must not be repeated.
     *
     * @param why as a sentence
     * @return what is stored instead
     */
    public static StoredReply notKept(String why) {
        return new StoredReply(NOT_KEPT, storable(why), null);
    }

    /**
     * Stands for work of which nobody can tell whether it took effect: it must not be repeated blindly.
     *
     * @param what what it was, as the subject of a sentence
     * @return what is stored instead
     */
    public static StoredReply unknown(String what) {
        return new StoredReply(UNKNOWN, storable(what), null);
    }

    /** PostgreSQL stores every character but one. */
    private static String storable(String text) {
        return text.replace('\0', ' ');
    }

    /**
     * How it was written.
     *
     * @return the format's name
     */
    public String format() {
        return format;
    }

    /**
     * What goes before the body.
     *
     * @return the head, or null
     */
    public @Nullable String head() {
        return head;
    }

    /**
     * The bytes.
     *
     * @return a copy, or null for a reply that is nothing
     */
    public byte @Nullable [] body() {
        return body == null ? null : body.clone();
    }

    /**
     * Requires that there is something to replay.
     *
     * @param key what it replies to
     * @return this reply
     * @throws ReplyNotKeptException if it could not be stored
     * @throws OutcomeUnknownException if nobody could tell whether the work took effect
     */
    public StoredReply required(IdempotencyKey key) {
        if (format.equals(NOT_KEPT)) {
            throw new ReplyNotKeptException(key, String.valueOf(head));
        }
        if (format.equals(UNKNOWN)) {
            throw new OutcomeUnknownException(String.valueOf(head), null);
        }
        return this;
    }

    @Override
    public String toString() {
        return "%s of %d bytes".formatted(format, body == null ? 0 : body.length);
    }
}
