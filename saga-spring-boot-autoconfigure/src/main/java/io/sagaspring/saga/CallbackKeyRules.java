package io.sagaspring.saga;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Refuses callback keys that an attacker could guess. A message reveals only the length and the placeholders of a key. */
final class CallbackKeyRules {

    static final int SHORTEST = 32;

    /**
     * The longest key. A hash function shortens keys that are longer than its block, so further characters add nothing.
     */
    private static final int LONGEST = 1024;

    private static final int FEWEST_DIFFERENT = 8;

    /** A placeholder that Spring Boot could not resolve and has left in place. */
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
                    "holds the placeholder ${%s}, and neither an environment variable nor a property has this name. Set it to a secret of at least %d random characters."
                            .formatted(placeholder.group(1), SHORTEST));
        }
        if (key.length() < SHORTEST) {
            return Optional.of(
                    "has %d characters: at least %d are needed. %s".formatted(key.length(), SHORTEST, REMEDY));
        }
        if (key.length() > LONGEST) {
            return Optional.of(
                    "has %d characters: at most %d are accepted. Use %d to %d random characters, such as the output of 'openssl rand -base64 32'."
                            .formatted(key.length(), LONGEST, SHORTEST, LONGEST));
        }
        long different = key.chars().distinct().count();
        return different < FEWEST_DIFFERENT
                ? Optional.of("has %d different characters: a secret needs at least %d. %s"
                        .formatted(different, FEWEST_DIFFERENT, REMEDY))
                : Optional.empty();
    }
}
