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
 * Tells a transaction that is active from one that has ended and whose callbacks still run, as those of
 * {@code @TransactionalEventListener} do. Spring calls both active. What is written in a callback takes part in nothing that
 * is committed, so it needs a transaction of its own.
 *
 * <p>A callback after the completion is recognised by Spring's own state, one after the commit only where the transaction
 * manager has the {@link #listener()}.
 *
 * <p>With two transaction managers nested, only the innermost transaction is looked at: a callback after its commit counts as
 * after its end, although the outer one is still active.
 *
 * @since 0.1.0
 */
public final class TransactionPhase {

    private static final Object KEY = TransactionPhase.class;

    private TransactionPhase() {}

    /**
     * Tells whether a transaction is active that can still be committed or rolled back.
     *
     * @return false outside, and in callbacks after its end
     */
    public static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive() && !hasEnded();
    }

    private static boolean hasEnded() {
        // Spring removes the synchronizations before it calls them after the completion, and the rest only then.
        return !TransactionSynchronizationManager.isSynchronizationActive()
                || (TransactionSynchronizationManager.getResource(KEY) instanceof Phase phase && phase.ended);
    }

    /**
     * Begins transactions that are committed when they return. After the end of another one, Spring would take part in that.
     *
     * @param manager begins them
     * @return a template with the manager's defaults
     */
    public static TransactionTemplate template(PlatformTransactionManager manager) {
        TransactionTemplate template = new TransactionTemplate(manager);
        // Outside there is none to take part in, and the two are the same.
        if (!isActive()) {
            template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }
        return template;
    }

    /**
     * Notices the end of each transaction of a manager, before anything else is called after its commit.
     *
     * @return to be added to the manager
     */
    public static TransactionExecutionListener listener() {
        return new Begins();
    }

    private static final class Begins implements TransactionExecutionListener {

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null && TransactionSynchronizationManager.isSynchronizationActive() && !isNoticed()) {
                Phase phase = new Phase();
                TransactionSynchronizationManager.registerSynchronization(phase);
                TransactionSynchronizationManager.bindResource(KEY, phase);
            }
        }

        /** Without its synchronization, a phase was left behind by a transaction whose completion was not told. */
        private static boolean isNoticed() {
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
