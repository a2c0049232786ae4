package io.sagaspring.definition;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the configuration.
 *
 * @param path the property, such as {@code saga.workflows.billing.steps[0].claim-state.admin}
 * @param rule the rule it breaks, in a few words that stay the same
 * @param sentence what is wrong, with the values, and what to do
 * @param place the file, line and column it comes from, or null where that is not known
 * @since 0.1.0
 */
public record Fault(
        String path, String rule, String sentence, @Nullable String place) {

    /**
     * Made fit for a log: what cannot be seen is escaped, and what is very long is cut.
     *
     * @param path the property, such as {@code saga.workflows.billing.steps[0].claim-state.admin}
     * @param rule the rule it breaks, in a few words that stay the same
     * @param sentence what is wrong, with the values, and what to do
     * @param place the file, line and column it comes from, or null where that is not known
     */
    public Fault {
        path = Printable.path(path);
        sentence = Printable.sentence(sentence);
        place = place == null ? null : Printable.path(place);
    }

    /**
     * Where the fault comes from.
     *
     * @return file, line and column, where they are known
     */
    public Optional<String> whereFrom() {
        return Optional.ofNullable(place);
    }

    @Override
    public String toString() {
        return "%s: %s (%s%s)".formatted(path, sentence, rule, place == null ? "" : ", " + place);
    }
}
