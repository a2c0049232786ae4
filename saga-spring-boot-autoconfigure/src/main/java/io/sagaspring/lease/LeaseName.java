package io.sagaspring.lease;

import io.sagaspring.fence.LogText;
import java.nio.charset.StandardCharsets;

/**
 * The name of a lease. It identifies something that only one caller at a time may work on.
 *
 * @param value 1 to 255 characters
 * @since 0.1.0
 */
public record LeaseName(String value) {

    private static final int LONGEST = 255;

    /**
     * Creates a name and checks it.
     *
     * @param value 1 to 255 characters
     * @throws IllegalArgumentException if the value is blank, is too long, or contains control characters or
     *     unpaired surrogates
     */
    public LeaseName {
        if (value.isBlank()) {
            throw new IllegalArgumentException(
                    "The name of the lease is empty. Use 1 to %d characters.".formatted(LONGEST));
        }
        if (value.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "The name of the lease has %d characters, but at most %d are allowed: '%s…'."
                            .formatted(value.length(), LONGEST, LogText.of(value.substring(0, 40))));
        }
        if (value.chars().anyMatch(Character::isISOControl)
                || !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException(
                    "The name of the lease contains control characters or unpaired surrogates. Use text without them.");
        }
    }

    /**
     * Joins parts to form a name, for example {@code of("dunning", loop, story)}.
     *
     * @param parts the parts; none may be empty or contain a slash
     * @return the parts, separated by slashes
     * @throws IllegalArgumentException if a part is empty or contains a slash, or the name is too long
     */
    public static LeaseName of(String... parts) {
        for (String part : parts) {
            if (part.isEmpty() || part.indexOf('/') >= 0) {
                throw new IllegalArgumentException(
                        "'%s' cannot be a part of a lease name. A part must not be empty or contain a slash, because then different parts could give the same name."
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
