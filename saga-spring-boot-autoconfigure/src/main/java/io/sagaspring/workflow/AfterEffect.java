package io.sagaspring.workflow;

/**
 * What follows a success, such as a mail: recorded in the transaction of the flip, run after its commit, at once by this
 * node or after a crash by any, and again until it has succeeded or no attempt is left. A bean of this type is named under
 * {@code success-after-effect}.
 *
 * @param <E> the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface AfterEffect<E> {

    /**
     * Does it, at least once and outside any transaction. It may have been done before, by a delivery whose end was not
     * recorded: the context's key is the same then.
     *
     * @param entity as it is now, which may be later than the success
     * @param context the key to tell a repetition by
     * @throws Exception anything; it is tried again after a pause
     */
    void run(E entity, AfterEffectContext context) throws Exception;
}
