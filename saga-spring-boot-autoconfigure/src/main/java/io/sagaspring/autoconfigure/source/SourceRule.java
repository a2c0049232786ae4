package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the sources of workflows, checked before the workflows in them are interpreted. Each constant describes
 * how a source breaks the rule.
 */
enum SourceRule {
    /** Two sources define the same list, or the same workflow. */
    ONE_SOURCE("one-source"),
    /** One key has two shapes at once: a value, a list or a map. */
    TWO_SHAPES("two-shapes"),
    /** The indexes of a list skip a number. */
    LIST_GAP("list-gap"),
    /** A placeholder cannot be resolved. */
    PLACEHOLDER("placeholder"),
    /** A file cannot be read. */
    FILE("file");

    private final String shortName;

    SourceRule(String shortName) {
        this.shortName = shortName;
    }

    String shortName() {
        return shortName;
    }

    Fault broken(String path, @Nullable String place, String sentence) {
        return new Fault(path, shortName, sentence, place);
    }
}
