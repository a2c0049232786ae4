package io.sagaspring.fence;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Distinguishes an active transaction from one that has ended but whose callbacks are still running, such as those of
 * {@code @TransactionalEventListener}. Spring reports both as active. A write in such a callback is not part of any
 * commit, so it needs a transaction of its own.
 *
 * <p>A callback after completion is recognized from Spring's own state. A callback after commit is recognized only if
 * the transaction manager has the {@link #listener()}.
 *
 * <p>If transactions of two managers are nested, only the inner transaction counts. A callback after the commit of the
 * inner transaction therefore counts as a callback after the end, although the outer transaction is still active.
 *
 * @since 0.1.0
 */
public final class TransactionPhase {

    private static final Object KEY = TransactionPhase.class;

    private TransactionPhase() {}

    /**
     * Returns true if there is an active transaction that can still be committed or rolled back.
     *
     * @return false outside a transaction, and in callbacks after its end
     */
    public static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive() && !hasEnded();
    }

    private static boolean hasEnded() {
        // Spring removes the synchronizations before it calls their afterCompletion methods, and clears its other state
        // only after these calls.
        return !TransactionSynchronizationManager.isSynchronizationActive()
                || (TransactionSynchronizationManager.getResource(KEY) instanceof Phase phase && phase.ended);
    }

    /**
     * Returns a template whose transactions are really committed, even in a callback after the end of another
     * transaction. In such a callback, Spring's default propagation would join the ended transaction.
     *
     * @param manager the transaction manager
     * @return a template with the manager's defaults, except for the propagation in such a callback
     */
    public static TransactionTemplate template(PlatformTransactionManager manager) {
        TransactionTemplate template = new TransactionTemplate(manager);
        // isActive() is also false if there was no transaction. Then REQUIRES_NEW has the same effect as the default.
        if (!isActive()) {
            template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }
        return template;
    }

    /**
     * Returns a listener that records the end of each transaction of a manager. After a commit, the listener records
     * the end before any other callback runs.
     *
     * @return the listener; add it to the manager
     */
    public static TransactionExecutionListener listener() {
        return new Begins();
    }

    private static final class Begins implements TransactionExecutionListener {

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null && TransactionSynchronizationManager.isSynchronizationActive() && !hasPhase()) {
                Phase phase = new Phase();
                TransactionSynchronizationManager.registerSynchronization(phase);
                TransactionSynchronizationManager.bindResource(KEY, phase);
            }
        }

        /**
         * Returns true if the transaction already has a {@code Phase}. Removes a phase that an earlier transaction left
         * behind because its completion was not reported. Such a phase is no longer among the registered
         * synchronizations.
         */
        private static boolean hasPhase() {
            if (TransactionSynchronizationManager.getResource(KEY) instanceof Phase bound) {
                if (TransactionSynchronizationManager.getSynchronizations().contains(bound)) {
                    return true;
                }
                TransactionSynchronizationManager.unbindResource(KEY);
            }
            return false;
        }
    }

    private static final class Phase implements TransactionSynchronization, Ordered {

        private boolean ended;

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
            TransactionSynchronizationManager.bindResource(KEY, this);
        }

        @Override
        public void afterCommit() {
            ended = true;
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
        }
    }
}
