package io.sagaspring.workflow;

/**
 * Thrown when an effect key was used for two different steps, entities or requesters. The second call had no effect.
 *
 * @since 0.1.0
 */
public final class EffectKeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EffectKeyReusedException(EffectKey key, String request, String before) {
        super(
                "Effect key '%s' was used for %s, but %s has already taken effect under it. Give each effect a key of its own, for example context.effectKey() + \":close\"."
                        .formatted(key, request, before));
    }
}
