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
 * Distinguishes an active transaction from one that has ended and whose callbacks still run, such as those of
 * {@code @TransactionalEventListener}. Spring calls both active. A write in such a callback is not part of any commit, so it needs a
 * transaction of its own.
 *
 * <p>A callback after completion is recognised by Spring's own state. A callback after commit is recognised only if the transaction
 * manager has the {@link #listener()}.
 *
 * <p>If transactions of two managers are nested, only the innermost one counts. A callback after its commit counts as after the end,
 * although the outer transaction is still active.
 *
 * @since 0.1.0
 */
public final class TransactionPhase {

    private static final Object KEY = TransactionPhase.class;

    private TransactionPhase() {}

    /**
     * Tells whether a transaction is active that can still be committed or rolled back.
     *
     * @return false outside a transaction, and in callbacks after its end
     */
    public static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive() && !hasEnded();
    }

    private static boolean hasEnded() {
        // Spring removes the synchronizations before it calls them after completion, and clears its other state
        // afterwards.
        return !TransactionSynchronizationManager.isSynchronizationActive()
                || (TransactionSynchronizationManager.getResource(KEY) instanceof Phase phase && phase.ended);
    }

    /**
     * Returns a template whose transactions are really committed in callbacks, too. After the end of another transaction, Spring's
     * default would join that one.
     *
     * @param manager the transaction manager
     * @return a template with the manager's defaults, apart from the propagation in such a callback
     */
    public static TransactionTemplate template(PlatformTransactionManager manager) {
        TransactionTemplate template = new TransactionTemplate(manager);
        // Outside a transaction there is none to join, so both propagations do the same.
        if (!isActive()) {
            template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }
        return template;
    }

    /**
     * Returns a listener that records the end of each transaction of a manager, before other callbacks after its commit.
     *
     * @return the listener, to be added to the manager
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
         * Tells whether the transaction has a phase. Removes a phase that an earlier transaction left behind because its completion was
         * not reported. Such a phase has no synchronization any more.
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
