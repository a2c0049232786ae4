package io.sagaspring.listener;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Assigns deliveries to lines. Deliveries of one key are in one line. All nodes and all versions must assign them in
 * the same way. A line is a hash of the tenant and the key, so two keys may share a line. Their deliveries then wait
 * for each other.
 */
final class Lines {

    private static final char SEPARATOR = '\u001F';

    private Lines() {}

    /** Returns the line of a key. */
    static long of(@Nullable String tenant, String key) {
        byte[] hash = sha256(tenant == null ? key : tenant + SEPARATOR + key);
        return line(ByteBuffer.wrap(hash).getLong());
    }

    /** Returns a random line for a delivery without a key, because such a delivery waits for no other one. */
    static long any() {
        return line(ThreadLocalRandom.current().nextLong());
    }

    /** Never returns the smallest number, because a walk along the lines begins behind it. */
    private static long line(long hash) {
        return hash == Long.MIN_VALUE ? Long.MAX_VALUE : hash;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("This Java platform does not provide SHA-256.", impossible);
        }
    }
}
