package io.sagaspring.saga;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Creates and checks callback tokens, which are keyed hashes of execution, step and attempt. Tokens are computed when
 * they are needed, and are not stored. An attempt has the same token after a crash. New tokens are made with the first
 * of the configured keys. Tokens made with any of these keys are accepted, so that a key can be replaced.
 */
final class CallbackTokens {

    private static final String ALGORITHM = "HmacSHA256";
    private static final Pattern NUMBERED = Pattern.compile("([1-9][0-9]{0,8})\\.(.*)");

    private final List<SecretKeySpec> keys;

    CallbackTokens(List<String> keys) {
        this.keys = keys.stream()
                .map(key -> new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM))
                .toList();
    }

    /** Returns the token of an attempt: the number of the attempt, a dot, and the hash. */
    String of(String execution, String step, int attempt) {
        return attempt
                + "."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(hash(keys.get(0), execution, step, attempt));
    }

    /** Returns the attempt to which a token of this step belongs, or empty if the token belongs to none. */
    OptionalInt attemptOf(String token, String execution, String step) {
        Matcher parts = NUMBERED.matcher(token);
        if (!parts.matches()) {
            return OptionalInt.empty();
        }
        int attempt = Integer.parseInt(parts.group(1));
        return isValid(parts.group(2), execution, step, attempt) ? OptionalInt.of(attempt) : OptionalInt.empty();
    }

    /** Returns true if an earlier version of this library may have made the token. It has no number. */
    static boolean isUnnumbered(String token) {
        return token.indexOf('.') < 0;
    }

    /** Returns true if a hash is that of the attempt. A token without a number is only a hash. */
    boolean isValid(String hash, String execution, String step, int attempt) {
        byte[] presented = hash.getBytes(StandardCharsets.UTF_8);
        boolean valid = false;
        // All keys are compared, so that the duration does not reveal which key matched.
        for (SecretKeySpec key : keys) {
            byte[] expected = Base64.getUrlEncoder().withoutPadding().encode(hash(key, execution, step, attempt));
            valid |= MessageDigest.isEqual(expected, presented);
        }
        return valid;
    }

    /**
     * Hashes the three parts, separated by line breaks. Names cannot contain line breaks, so the hashed texts of two
     * attempts always differ.
     */
    private static byte[] hash(SecretKeySpec key, String execution, String step, int attempt) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal((execution + "\n" + step + "\n" + attempt).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("This Java platform does not provide %s.".formatted(ALGORITHM), impossible);
        }
    }
}
