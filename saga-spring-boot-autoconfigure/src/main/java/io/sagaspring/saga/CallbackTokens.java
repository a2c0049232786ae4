package io.sagaspring.saga;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Creates and checks callback tokens, which are keyed hashes of execution, step and attempt. Tokens are computed when
 * they are needed, and are not stored. An attempt has the same token after a crash. New tokens are made with the first
 * of the configured keys. Tokens made with any of these keys are accepted, so that a key can be replaced.
 */
final class CallbackTokens {

    private static final String ALGORITHM = "HmacSHA256";

    private final List<SecretKeySpec> keys;

    CallbackTokens(List<String> keys) {
        this.keys = keys.stream()
                .map(key -> new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM))
                .toList();
    }

    String of(String execution, String step, int attempt) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(hash(keys.get(0), execution, step, attempt));
    }

    boolean isValid(String token, String execution, String step, int attempt) {
        byte[] presented = token.getBytes(StandardCharsets.UTF_8);
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
