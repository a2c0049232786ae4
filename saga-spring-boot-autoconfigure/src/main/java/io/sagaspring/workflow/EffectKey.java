package io.sagaspring.workflow;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A key that makes the call of a step repeatable. Once the step has taken effect under the key, each further call with
 * the key returns {@link TransitionOutcome.Completed} and runs nothing.
 *
 * @param value the key, different for each effect, such as {@code context.effectKey()} in a saga's step
 * @param result the type of the action's result, or null if the callers need no result
 * @since 0.1.0
 */
public record EffectKey(String value, @Nullable Type result) {

    /**
     * The greatest allowed length of a key, in characters. The length is limited because every key must fit into an
     * index.
     */
    public static final int LONGEST = 500;

    /**
     * Checks the key.
     *
     * @param value the key, different for each effect
     * @param result the type of the action's result, or null if the callers need no result
     * @throws IllegalArgumentException if the key is blank, too long or has characters that are not allowed
     */
    public EffectKey {
        if (value.isBlank()) {
            throw new IllegalArgumentException("The effect key is blank. Use a key that is different for each effect.");
        }
        if (value.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "The effect key has %d characters, and at most %d are allowed.".formatted(value.length(), LONGEST));
        }
        boolean isUnicode = StandardCharsets.UTF_8.newEncoder().canEncode(value);
        if (!isUnicode || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("The effect key contains control characters or is not valid Unicode.");
        }
    }

    /** Returns the key. */
    @Override
    public String toString() {
        return value;
    }
}
