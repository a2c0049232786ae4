package io.sagaspring.lease;

import io.sagaspring.fence.LogText;
import java.nio.charset.StandardCharsets;

/**
 * What only one at a time may work on.
 *
 * @param value 1 to 255 characters
 * @since 0.1.0
 */
public record LeaseName(String value) {

    private static final int LONGEST = 255;

    /**
     * Checks the name.
     *
     * @param value 1 to 255 characters
     * @throws IllegalArgumentException if it is empty, too long, or has control characters
     */
    public LeaseName {
        if (value.isBlank()) {
            throw new IllegalArgumentException("The name of a lease is empty.");
        }
        if (value.length() > LONGEST) {
            throw new IllegalArgumentException("The name of a lease has %d characters, and %d are allowed: '%s…'."
                    .formatted(value.length(), LONGEST, LogText.of(value.substring(0, 40))));
        }
        if (value.chars().anyMatch(Character::isISOControl)
                || !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException("The name of a lease has control characters, or halves of characters.");
        }
    }

    /**
     * The name of something inside of something else: {@code of("dunning", loop, story)}.
     *
     * @param parts none of them empty, or with a slash
     * @return the parts with slashes between
     */
    public static LeaseName of(String... parts) {
        for (String part : parts) {
            if (part.isEmpty() || part.indexOf('/') >= 0) {
                throw new IllegalArgumentException(
                        "'%s' cannot be a part of the name of a lease: it is empty or has a slash, so that two names could be one."
                                .formatted(LogText.of(part)));
            }
        }
        return new LeaseName(String.join("/", parts));
    }

    @Override
    public String toString() {
        return value;
    }
}
