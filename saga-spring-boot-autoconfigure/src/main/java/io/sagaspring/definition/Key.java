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
    /** All states. */
    STATUS_TYPES("status-types", Place.WORKFLOW, Shape.NAMES, false),
    /** All requesters that may run a step. */
    REQUESTERS("requesters", Place.WORKFLOW, Shape.NAMES, false),
    /** The steps of the workflow. */
    STEPS("steps", Place.WORKFLOW, Shape.STEPS, true),
    /** The number of a step, for display only. */
    STEP_ID("step-id", Place.STEP, Shape.NUMBER, false),
    /** The name by which callers run a step. */
    STEP_KEY("step-key", Place.STEP, Shape.NAME, true),
    /** The state from which a step may run. */
    STATUS("status", Place.STEP, Shape.NAME, true),
    /** The claim that protects a step. */
    CLAIM_STATE("claim-state", Place.STEP, Shape.PAIR_BY_REQUESTER, false, "successful-claim-state"),
    /** The state after the step has succeeded. */
    SUCCESSFUL_STATE("successful-state", Place.STEP, Shape.NAME_BY_REQUESTER, true),
    /** The bean that can reject the step. */
    VALIDATION("validation", Place.STEP, Shape.NAME_BY_REQUESTER, false),
    /** The bean that does the work. */
    ACTION("action", Place.STEP, Shape.NAME_BY_REQUESTER, true),
    /** The bean that is called after the success is committed. */
    SUCCESS_AFTER_EFFECT("success-after-effect", Place.STEP, Shape.NAME_BY_REQUESTER, false);

    /** The place of a key. */
    public enum Place {
        /** Directly below the workflow's name. */
        WORKFLOW,
        /** In an item of {@code steps}. */
        STEP
    }

    /** The shape of a key's value. */
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
     * Returns the key as it is written in the documentation.
     *
     * @return the key in lower case with dashes
     */
    public String text() {
        return text;
    }

    /**
     * Returns the key and its synonym.
     *
     * @return the key, and its synonym if it has one, in lower case with dashes
     */
    public List<String> spellings() {
        return synonym == null ? List.of(text) : List.of(text, synonym);
    }

    /**
     * Returns the shape of the key's value.
     *
     * @return the expected shape
     */
    public Shape shape() {
        return shape;
    }

    /**
     * Returns true if a configuration without the key is refused.
     *
     * @return true if the key is required
     */
    public boolean required() {
        return required;
    }

    /**
     * Returns true if the key's value is a list. The whole list must come from one source, because lists from several
     * sources are not merged.
     *
     * @return true if the value is a list
     */
    public boolean isList() {
        return shape == Shape.NAMES || shape == Shape.STEPS;
    }

    /**
     * Returns true if the key's value has one part per requester.
     *
     * @return true if the value is a map whose keys are requesters
     */
    boolean isByRequester() {
        return shape == Shape.NAME_BY_REQUESTER || shape == Shape.PAIR_BY_REQUESTER;
    }

    /**
     * Returns the keys that are allowed in a place.
     *
     * @param place the place
     * @return the keys in the order of the documentation
     */
    public static List<Key> of(Place place) {
        return Arrays.stream(values()).filter(key -> key.place == place).toList();
    }

    /**
     * Removes dashes and underscores from a name, and converts it to lower case.
     *
     * @param written the name as written
     * @return the same result for every spelling of a name
     */
    public static String relaxed(String written) {
        return written.strip().replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Returns true if the text is a spelling of this key.
     *
     * @param written the key as written
     * @return true if the text is the key or its synonym, in any spelling
     */
    public boolean isWrittenAs(String written) {
        String relaxed = relaxed(written);
        return spellings().stream().anyMatch(spelling -> relaxed(spelling).equals(relaxed));
    }
}
