package io.sagaspring.workflow;

/**
 * An effect key was used for two different steps, entities or requesters. Nothing was run.
 *
 * @since 0.1.0
 */
public final class EffectKeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EffectKeyReusedException(TransitionRequest request, String before) {
        super(
                "Effect key '%s' was given for %s, and %s has taken effect under it. Give each effect a key of its own, for example context.effectKey() + \":close\"."
                        .formatted(request.effectKey(), request, before));
    }
}
