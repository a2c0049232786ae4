package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.ClaimApplication.HandWrittenBall;
import jakarta.persistence.EntityManager;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The code that a careful team would write by hand: it checks the version twice. A crash between the two commits is
 * never repaired.
 */
final class HandWrittenHibernate implements Contender {

    static final String TABLE = "ball_hibernate";

    private final EntityManager entities;
    private final TransactionTemplate transaction;

    HandWrittenHibernate(EntityManager entities, PlatformTransactionManager transactions) {
        this.entities = entities;
        this.transaction = new TransactionTemplate(transactions);
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean tryStroke(long id, Ball.Stroke stroke) {
        try {
            return moved(id, stroke.from, stroke.claim, false) && moved(id, stroke.claim, stroke.into, true);
        } catch (OptimisticLockingFailureException slower) {
            return false;
        }
    }

    private boolean moved(long id, Ball.Status from, Ball.Status into, boolean hit) {
        return Boolean.TRUE.equals(transaction.execute(status -> {
            HandWrittenBall ball = entities.find(HandWrittenBall.class, id);
            if (ball.status() != from) {
                return false;
            }
            if (hit) {
                ball.hit();
            }
            ball.status(into);
            return true;
        }));
    }
}
