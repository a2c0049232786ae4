package io.sagaspring.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A digest of a request's content. A request that has the same key but a different fingerprint is refused.
 *
 * @since 0.1.0
 */
public final class Fingerprint {

    private final byte[] digest;

    private Fingerprint(byte[] digest) {
        this.digest = digest;
    }

    /**
     * Computes the fingerprint of these parts, in this order. The length of each part is part of the digest, so that two
     * different lists never yield the same input.
     *
     * @param parts the contents of the request
     * @return their fingerprint
     */
    public static Fingerprint of(byte[]... parts) {
        MessageDigest digest = sha256();
        for (byte[] part : parts) {
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
            digest.update(part);
        }
        return new Fingerprint(digest.digest());
    }

    /**
     * Computes the fingerprint of these strings, in this order.
     *
     * @param parts the contents of the request
     * @return their fingerprint
     */
    public static Fingerprint of(String... parts) {
        byte[][] bytes = new byte[parts.length][];
        for (int each = 0; each < parts.length; each++) {
            bytes[each] = parts[each].getBytes(StandardCharsets.UTF_8);
        }
        return of(bytes);
    }

    byte[] bytes() {
        return digest.clone();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fingerprint that && Arrays.equals(digest, that.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(digest, 0, 8);
    }
}
