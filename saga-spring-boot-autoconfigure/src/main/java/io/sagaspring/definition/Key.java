package io.sagaspring.definition;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Every key that a workflow or a step may have.
 *
 * @since 0.1.0
 */
public enum Key {
    /** The module that owns the entity. */
    MODULE("module", Place.WORKFLOW, Shape.NAME, true),
    /** The class name of the entity. */
    ENTITY("entity", Place.WORKFLOW, Shape.NAME, true),
    /** The property of the entity that holds the state. */
    STATUS_PROPERTY("status-property", Place.WORKFLOW, Shape.NAME, false),
    /** Every state there is. */
    STATUS_TYPES("status-types", Place.WORKFLOW, Shape.NAMES, false),
    /** Everybody who may run a step. */
    REQUESTERS("requesters", Place.WORKFLOW, Shape.NAMES, false),
    /** The steps. */
    STEPS("steps", Place.WORKFLOW, Shape.STEPS, true),
    /** The number by which people refer to a step. */
    STEP_ID("step-id", Place.STEP, Shape.NUMBER, false),
    /** The name by which callers run a step. */
    STEP_KEY("step-key", Place.STEP, Shape.NAME, true),
    /** The state from which a step may run. */
    STATUS("status", Place.STEP, Shape.NAME, true),
    /** The claim that protects a step. */
    CLAIM_STATE("claim-state", Place.STEP, Shape.PAIR_BY_REQUESTER, false, "successful-claim-state"),
    /** Where a step leads. */
    SUCCESSFUL_STATE("successful-state", Place.STEP, Shape.NAME_BY_REQUESTER, true),
    /** The bean that may object. */
    VALIDATION("validation", Place.STEP, Shape.NAME_BY_REQUESTER, false),
    /** The bean that does the work. */
    ACTION("action", Place.STEP, Shape.NAME_BY_REQUESTER, true),
    /** The bean that follows. */
    SUCCESS_AFTER_EFFECT("success-after-effect", Place.STEP, Shape.NAME_BY_REQUESTER, false);

    /** Where a key stands. */
    public enum Place {
        /** Directly below the workflow's name. */
        WORKFLOW,
        /** In an item of {@code steps}. */
        STEP
    }

    /** What a key's value looks like. */
    public enum Shape {
        /** One name. */
        NAME,
        /** One whole number. */
        NUMBER,
        /** A list of names. */
        NAMES,
        /** A list of maps. */
        STEPS,
        /** A map from requester to name. */
        NAME_BY_REQUESTER,
        /** A map from requester to two names. */
        PAIR_BY_REQUESTER
    }

    private final String text;
    private final Place place;
    private final Shape shape;
    private final boolean required;
    private final @Nullable String synonym;

    Key(String text, Place place, Shape shape, boolean required) {
        this(text, place, shape, required, null);
    }

    Key(String text, Place place, Shape shape, boolean required, @Nullable String synonym) {
        this.text = text;
        this.place = place;
        this.shape = shape;
        this.required = required;
        this.synonym = synonym;
    }

    /**
     * The key as the documents write it.
     *
     * @return lower case with dashes
     */
    public String text() {
        return text;
    }

    /**
     * The key and its synonym.
     *
     * @return at least one, lower case with dashes
     */
    public List<String> spellings() {
        return synonym == null ? List.of(text) : List.of(text, synonym);
    }

    /**
     * What the key's value looks like.
     *
     * @return the shape that is wanted
     */
    public Shape shape() {
        return shape;
    }

    /**
     * Whether a configuration without the key is refused.
     *
     * @return whether it is required
     */
    public boolean required() {
        return required;
    }

    /**
     * Whether the key's value is written as a list, which one source writes as a whole.
     *
     * @return whether it is a list
     */
    public boolean isList() {
        return shape == Shape.NAMES || shape == Shape.STEPS;
    }

    /**
     * Tells whether the key's value is written by requester.
     *
     * @return whether it is a map by requester
     */
    boolean isByRequester() {
        return shape == Shape.NAME_BY_REQUESTER || shape == Shape.PAIR_BY_REQUESTER;
    }

    /**
     * The keys that may stand there.
     *
     * @param place where
     * @return the keys in the order of the documents
     */
    public static List<Key> of(Place place) {
        return Arrays.stream(values()).filter(key -> key.place == place).toList();
    }

    /**
     * What remains of a name when dashes, underscores and case do not matter.
     *
     * @param written as it was written
     * @return the same text for every spelling of a name
     */
    public static String relaxed(String written) {
        return written.strip().replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Whether somebody who wrote this meant the key.
     *
     * @param written as it was written
     * @return whether it is the key or its synonym, in whatever spelling
     */
    public boolean isWrittenAs(String written) {
        String relaxed = relaxed(written);
        return spellings().stream().anyMatch(spelling -> relaxed(spelling).equals(relaxed));
    }
}
