package io.sagaspring.entity;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The commit of a step: JPA's flush or the flip of the status, the last statements of the step, and the eviction of the
 * entity from the caches. It runs after every other synchronization of the transaction.
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
     * Evicts the entity from the caches even after a rollback, because a rollback is also reported if only the answer
     * was lost.
     */
    @Override
    public void afterCompletion(int status) {
        entity.forgetCached();
    }
}
