package io.sagaspring.workflow;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Makes the call of a step repeatable: once the step has taken effect under a key, each further call with that key answers
 * {@link TransitionOutcome.Completed} and runs nothing.
 *
 * @param value the key, different for each effect: in a saga's step {@code context.effectKey()}
 * @param result the type of the action's result, or null if the callers need no result
 * @since 0.1.0
 */
public record EffectKey(String value, @Nullable Type result) {

    /** The most characters that a key may have: each must fit into an index. */
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
            throw new IllegalArgumentException("An effect key is blank. Use one that is different for each effect.");
        }
        if (value.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "An effect key has %d characters, and %d are allowed.".formatted(value.length(), LONGEST));
        }
        boolean isUnicode = StandardCharsets.UTF_8.newEncoder().canEncode(value);
        if (!isUnicode || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("An effect key has control characters, or is no valid Unicode.");
        }
    }

    /** Returns the key. */
    @Override
    public String toString() {
        return value;
    }
}
