package io.sagaspring.entity;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Completes the transaction of a step. Before the commit, it flushes the pending changes, flips the status unless JPA
 * has written it, and executes the step's last statements. After the commit, it evicts the entity from the caches.
 * Spring calls it after every other synchronization of the transaction.
 */
final class EntityCommit implements TransactionSynchronization, Ordered {

    private final LoadedEntity entity;
    private final LastStatements last;

    EntityCommit(LoadedEntity entity, LastStatements last) {
        this.entity = entity;
        this.last = last;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        last.surround(() -> entity.flushThen(this::write));
    }

    private String write(Connection connection) throws SQLException {
        LoadedEntity.Flipped flipped = entity.flip(connection);
        if (flipped.removed()) {
            last.requireRemovable();
        }
        return last.write(connection, flipped.version());
    }

    /**
     * Evicts the entity from the caches even if Spring reports a rollback, because the commit may have taken effect and
     * only its answer was lost.
     */
    @Override
    public void afterCompletion(int status) {
        entity.forgetCached();
    }
}
