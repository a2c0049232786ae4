package io.sagaspring.saga;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rejects callback keys that an attacker could guess. A message does not reveal a key. It contains only counts of
 * characters, and the name of a placeholder.
 */
final class CallbackKeyRules {

    static final int SHORTEST = 32;

    /**
     * The maximum length of a key, in characters. More characters would not add security, because HMAC-SHA-256 hashes
     * every key that is longer than its block of 64 bytes.
     */
    private static final int LONGEST = 1024;

    private static final int FEWEST_DIFFERENT = 8;

    /** A placeholder that Spring Boot could not resolve and left in the text. */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^${}:]*)");

    private static final String REMEDY =
            "Use %d or more random characters, such as the output of 'openssl rand -base64 32'.".formatted(SHORTEST);

    private CallbackKeyRules() {}

    static List<String> faults(List<String> keys) {
        List<String> faults = new ArrayList<>();
        for (int index = 0; index < keys.size(); index++) {
            String key = "saga.sagas.callback-keys[" + index + "]";
            fault(keys.get(index)).ifPresent(fault -> faults.add(key + " " + fault));
        }
        return faults;
    }

    private static Optional<String> fault(String key) {
        Matcher placeholder = PLACEHOLDER.matcher(key);
        if (placeholder.find()) {
            return Optional.of(
                    "contains the placeholder ${%s}, but neither an environment variable nor a property has this name. Set one of them to a secret of at least %d random characters."
                            .formatted(placeholder.group(1), SHORTEST));
        }
        if (key.length() < SHORTEST) {
            return Optional.of(
                    "has %d characters, but needs at least %d. %s".formatted(key.length(), SHORTEST, REMEDY));
        }
        if (key.length() > LONGEST) {
            return Optional.of(
                    "has %d characters, but at most %d are accepted. Use %d to %d random characters, such as the output of 'openssl rand -base64 32'."
                            .formatted(key.length(), LONGEST, SHORTEST, LONGEST));
        }
        long different = key.chars().distinct().count();
        return different < FEWEST_DIFFERENT
                ? Optional.of("has only %d different characters, but a secret needs at least %d. %s"
                        .formatted(different, FEWEST_DIFFERENT, REMEDY))
                : Optional.empty();
    }
}
