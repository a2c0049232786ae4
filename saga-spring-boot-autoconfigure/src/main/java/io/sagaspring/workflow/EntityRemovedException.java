package io.sagaspring.workflow;

/**
 * An action has removed its entity, and the step's after-effect would look for it in vain. Nothing of it was kept.
 *
 * @since 0.1.0
 */
public final class EntityRemovedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    EntityRemovedException(String run, String afterEffect) {
        super(
                "The action of %s removed its entity, which the after-effect '%s' was to be given after the commit. Everything was rolled back. Do in the action what the after-effect does, or remove the entity in a later step that has none."
                        .formatted(run, afterEffect));
    }
}
