package io.sagaspring.idempotency;

import io.sagaspring.fence.OutcomeUnknownException;
import org.jspecify.annotations.Nullable;

/**
 * A stored reply.
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
     * Creates a reply to store.
     *
     * @param format the name of the reply's format
     * @param head a string to store in addition to the body, such as headers, or null
     * @param body the bytes, or null for a reply of {@code null}
     */
    public StoredReply(String format, @Nullable String head, byte @Nullable [] body) {
        this.format = format;
        this.head = head;
        this.body = body == null ? null : body.clone();
    }

    /**
     * Creates the substitute for a reply that cannot be stored. The work was executed and must not be repeated.
     *
     * @param why the reason, as a sentence
     * @return the substitute
     */
    public static StoredReply notKept(String why) {
        return new StoredReply(NOT_KEPT, storable(why), null);
    }

    /**
     * Creates the substitute for the reply of work that may or may not have taken effect. Such work must not be
     * repeated automatically.
     *
     * @param what a name for the work, with which an exception's message begins
     * @return the substitute
     */
    public static StoredReply unknown(String what) {
        return new StoredReply(UNKNOWN, storable(what), null);
    }

    /** Replaces NUL, the only character that PostgreSQL cannot store. */
    private static String storable(String text) {
        return text.replace('\0', ' ');
    }

    /**
     * Returns the name of the reply's format.
     *
     * @return the name
     */
    public String format() {
        return format;
    }

    /**
     * Returns the string that is stored in addition to the body.
     *
     * @return the head, or null
     */
    public @Nullable String head() {
        return head;
    }

    /**
     * Returns the bytes of the body.
     *
     * @return a copy, or null for a reply of {@code null}
     */
    public byte @Nullable [] body() {
        return body == null ? null : body.clone();
    }

    /**
     * Returns this reply if it can be replayed.
     *
     * @param key the key of the request
     * @return this reply
     * @throws ReplyNotKeptException if the reply could not be stored
     * @throws OutcomeUnknownException if it is unknown whether the work took effect
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
