package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import org.jspecify.annotations.Nullable;

/** What may be wrong with workflows before anybody reads what they say: where they come from. */
enum SourceRule {
    /** A list, or a workflow in a file, that two sources write. */
    ONE_SOURCE("one-source"),
    /** One key that is a value, a list and a map, or two of these, at once. */
    TWO_SHAPES("two-shapes"),
    /** A list whose indexes skip a number. */
    LIST_GAP("list-gap"),
    /** A placeholder that leads nowhere. */
    PLACEHOLDER("placeholder"),
    /** A file that cannot be read. */
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
