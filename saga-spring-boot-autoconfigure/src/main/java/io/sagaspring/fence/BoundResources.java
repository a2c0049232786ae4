package io.sagaspring.fence;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The resources that Spring has bound to the calling thread, such as the Hibernate session of open-in-view.
 *
 * @since 0.1.0
 */
public final class BoundResources {

    private BoundResources() {}

    /**
     * Returns true if the calling thread is in a transaction, in a callback after its end, or in a scope without a
     * transaction for which Spring also keeps resources, such as a scope with propagation SUPPORTS. Spring then manages
     * the thread's resources itself.
     *
     * @return true if {@link #without} must not be called
     */
    public static boolean areManaged() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                || TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * Executes work without the resources of the calling thread, as if it had a thread of its own. So a transaction of the work does not
     * use the caller's session, and does not write unsaved changes of that session.
     *
     * @param work the work
     */
    public static void without(Runnable work) {
        Map<Object, Object> bound = unbindAll();
        try {
            work.run();
        } finally {
            // Remove resources that the work has left behind. Under one of the caller's keys, they would make
            // bindResource fail.
            Map<Object, Object> unused = unbindAll();
            bound.forEach(TransactionSynchronizationManager::bindResource);
        }
    }

    private static Map<Object, Object> unbindAll() {
        Map<Object, Object> bound = new HashMap<>();
        for (Object key :
                List.copyOf(TransactionSynchronizationManager.getResourceMap().keySet())) {
            Object resource = TransactionSynchronizationManager.unbindResourceIfPossible(key);
            if (resource != null) {
                bound.put(key, resource);
            }
        }
        return bound;
    }
}
