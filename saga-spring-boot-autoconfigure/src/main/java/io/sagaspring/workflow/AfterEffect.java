package io.sagaspring.workflow;

/**
 * Work that follows a successful step, such as a mail. Name a bean of this type under {@code success-after-effect}.
 *
 * <p>The after-effect is recorded in the transaction of the flip. After the commit, the node that ran the step normally
 * runs the after-effect immediately. If that node is busy or crashes, another node can run the after-effect. It is
 * repeated until it succeeds or no attempt is left.
 *
 * @param <E> the class of the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface AfterEffect<E> {

    /**
     * Performs the work, outside any transaction. The after-effect is delivered at least once: an earlier delivery may
     * already have performed the work, if the end of that delivery was not recorded. All deliveries of an after-effect
     * have the same {@link AfterEffectContext#key() key}.
     *
     * @param entity the entity as it is now; it may have changed since the step succeeded
     * @param context the delivery, with the key by which you recognize a repeated delivery
     * @throws Exception if the work fails; it is repeated after a pause, unless no attempt is left
     */
    void run(E entity, AfterEffectContext context) throws Exception;
}
