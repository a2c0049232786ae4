package io.sagaspring.workflow;

/**
 * An after-effect that needs only the entity's id. Name a bean of this type under {@code success-after-effect}, like an
 * {@link AfterEffect}. The entity is not loaded, and may no longer exist.
 *
 * @param <I> the class of the entity's ids
 * @since 0.1.0
 */
@FunctionalInterface
public interface AfterEffectById<I> {

    /**
     * Performs the work, outside any transaction. The after-effect is delivered at least once, as for {@link
     * AfterEffect#run}.
     *
     * @param id the entity's id
     * @param context the delivery, with the key by which you recognize a repeated delivery
     * @throws Exception if the work fails; it is repeated after a pause, unless no attempt is left
     */
    void run(I id, AfterEffectContext context) throws Exception;
}
