package io.sagaspring.definition;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One fault in the configuration.
 *
 * @param path the property, such as {@code saga.workflows.billing.steps[0].claim-state.admin}
 * @param rule the short, stable name of the broken rule
 * @param sentence the fault, with the values and the remedy
 * @param place the file, line and column, or null if they are unknown
 * @since 0.1.0
 */
public record Fault(
        String path, String rule, String sentence, @Nullable String place) {

    /**
     * Makes the path, the sentence and the place safe for a log: escapes invisible characters and truncates very long
     * texts.
     *
     * @param path the property, such as {@code saga.workflows.billing.steps[0].claim-state.admin}
     * @param rule the short, stable name of the broken rule
     * @param sentence the fault, with the values and the remedy
     * @param place the file, line and column, or null if they are unknown
     */
    public Fault {
        path = Printable.path(path);
        sentence = Printable.sentence(sentence);
        place = place == null ? null : Printable.path(place);
    }

    /**
     * Returns the place of the fault.
     *
     * @return the file, line and column, or empty if they are unknown
     */
    public Optional<String> whereFrom() {
        return Optional.ofNullable(place);
    }

    @Override
    public String toString() {
        return "%s: %s (%s%s)".formatted(path, sentence, rule, place == null ? "" : ", " + place);
    }
}
