package io.sagaspring.workflow;

/**
 * Thrown when an action has removed its entity although the step has an after-effect. The exception is also thrown for
 * an {@link AfterEffectById}, which would not need the entity. Everything was rolled back.
 *
 * @since 0.1.0
 */
public final class EntityRemovedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    EntityRemovedException(String run, String afterEffect) {
        super(
                "The action of %s removed its entity, but the step has the after-effect '%s'. A step with an after-effect must keep its entity, so everything was rolled back. Do the work of the after-effect in the action, or remove the entity in a later step without an after-effect."
                        .formatted(run, afterEffect));
    }
}
