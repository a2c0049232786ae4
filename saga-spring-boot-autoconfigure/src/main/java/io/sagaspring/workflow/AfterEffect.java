package io.sagaspring.workflow;

/**
 * Work that follows a successful step, such as a mail. Name a bean of this type under {@code success-after-effect}.
 *
 * <p>The after-effect is recorded in the transaction of the flip and runs after its commit: at once on this node, or on
 * any node after a crash. The after-effect is repeated until it succeeds or no attempt is left.
 *
 * @param <E> the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface AfterEffect<E> {

    /**
     * Performs the work, at least once and outside any transaction. An earlier delivery may already have performed it,
     * if the end of that delivery was not recorded. All deliveries have the same {@link AfterEffectContext#key() key}.
     *
     * @param entity the entity as it is now; it may have changed since the step succeeded
     * @param context the delivery, with the key by which you recognize a repeated delivery
     * @throws Exception if the work fails; it is repeated after a pause, unless no attempt is left
     */
    void run(E entity, AfterEffectContext context) throws Exception;
}
