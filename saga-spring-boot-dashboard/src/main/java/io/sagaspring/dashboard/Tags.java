package io.sagaspring.dashboard;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Computes entity tags from contents. */
final class Tags {

    private static final int BYTES = 16;

    private Tags() {}

    static String strong(byte[] content) {
        return "\"%s\"".formatted(hash(content));
    }

    static String weak(byte[] content) {
        return "W/" + strong(content);
    }

    private static String hash(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(Arrays.copyOf(hash, BYTES));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
