package io.sagaspring.saga;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What whoever calls back has to show: a keyed hash over execution, step and attempt. Nothing is stored, so that it is the
 * same after a crash; the first key makes it, and each of them is accepted, so that a key can be replaced.
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
        byte[] shown = token.getBytes(StandardCharsets.UTF_8);
        boolean valid = false;
        // All are compared, so that the time tells nothing of which one it was.
        for (SecretKeySpec key : keys) {
            byte[] expected = Base64.getUrlEncoder().withoutPadding().encode(hash(key, execution, step, attempt));
            valid |= MessageDigest.isEqual(expected, shown);
        }
        return valid;
    }

    /** Names have no line breaks, so that no two callbacks have the same text. */
    private static byte[] hash(SecretKeySpec key, String execution, String step, int attempt) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal((execution + "\n" + step + "\n" + attempt).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every platform has %s.".formatted(ALGORITHM), impossible);
        }
    }
}
