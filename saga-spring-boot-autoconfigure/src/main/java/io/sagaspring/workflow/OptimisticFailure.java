package io.sagaspring.workflow;

import io.sagaspring.entity.EntityTable;
import jakarta.persistence.OptimisticLockException;
import org.hibernate.StaleObjectStateException;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** Whether a body failed because somebody else had changed the very entity that the step is about. */
final class OptimisticFailure {

    private OptimisticFailure() {}

    static boolean isAbout(EntityTable entity, Object id, Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 50; depth++, cause = cause.getCause()) {
            if (cause instanceof ObjectOptimisticLockingFailureException spring
                    && id.equals(spring.getIdentifier())
                    && entity.isCalled(String.valueOf(spring.getPersistentClassName()))) {
                return true;
            }
            if (cause instanceof StaleObjectStateException stale
                    && id.equals(stale.getIdentifier())
                    && entity.isCalled(stale.getEntityName())) {
                return true;
            }
            if (cause instanceof OptimisticLockException jpa
                    && jpa.getEntity() != null
                    && entity.isInstance(jpa.getEntity(), id)) {
                return true;
            }
        }
        return false;
    }
}
