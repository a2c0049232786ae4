package io.sagaspring.lease;

import io.sagaspring.fence.LogText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The name of a lease: it identifies the thing that only one caller at a time may work on. A name belongs to the tenant
 * in which its lease is acquired. The {@link LeaseManager} adds that tenant, so that equal names of two tenants are two
 * leases.
 *
 * @param value the text of the name, 1 to 255 characters
 * @param tenant the tenant to which the name belongs, or null if it belongs to no tenant
 * @since 0.1.0
 */
public record LeaseName(String value, @Nullable String tenant) {

    private static final int LONGEST = 255;

    /** Separates the tenant from the value in a stored name. Neither of them may contain a control character. */
    private static final char SEPARATOR = '\u001F';

    /**
     * Creates a name without a tenant.
     *
     * @param value the text of the name, 1 to 255 characters
     * @throws IllegalArgumentException if the value is blank, is too long, or has control characters or unpaired
     *     surrogates
     */
    public LeaseName(String value) {
        this(value, null);
    }

    /**
     * Creates a name and checks it.
     *
     * @param value the text of the name, 1 to 255 characters
     * @param tenant the tenant to which the name belongs, or null if it belongs to no tenant
     * @throws IllegalArgumentException if the value is blank, is too long, or has control characters or unpaired
     *     surrogates, or if the tenant is blank or has control characters
     */
    public LeaseName {
        if (value.isBlank()) {
            throw new IllegalArgumentException(
                    "The name of the lease is empty or blank. Use 1 to %d characters.".formatted(LONGEST));
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
        if (tenant != null && (tenant.isBlank() || tenant.chars().anyMatch(Character::isISOControl))) {
            throw new IllegalArgumentException(
                    "The tenant of the lease on '%s' is empty or has control characters. Use the name of a tenant."
                            .formatted(value));
        }
    }

    /**
     * Parses the stored form of a name.
     *
     * @param text the {@link #text() text} of a name
     * @return the name
     */
    public static LeaseName read(String text) {
        int separator = text.indexOf(SEPARATOR);
        return separator < 0
                ? new LeaseName(text)
                : new LeaseName(text.substring(separator + 1), text.substring(0, separator));
    }

    /**
     * Returns the form in which a store keeps this name. Two names have the same stored form only if both their values
     * and their tenants are equal.
     *
     * @return the value, after the tenant if there is one
     */
    public String text() {
        return stored(value, tenant);
    }

    static String stored(String value, @Nullable String tenant) {
        return tenant == null ? value : tenant + SEPARATOR + value;
    }

    LeaseName in(@Nullable String current) {
        return new LeaseName(value, current);
    }

    /**
     * Joins parts to form a name, for example {@code of("dunning", loop, story)}.
     *
     * @param parts the parts; none may be empty or contain a slash
     * @return the name, which consists of the parts, separated by slashes
     * @throws IllegalArgumentException if a part is empty or contains a slash, or the joined name is not valid
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
        return tenant == null ? value : "%s (tenant %s)".formatted(value, tenant);
    }
}
