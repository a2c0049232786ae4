package io.sagaspring.benchmarks;

import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * One update under a lock of Spring Integration's registry. There is no token, and the client's clock decides when a
 * lock expires. A previous owner notices the takeover only when it unlocks, after its write. After a crash, the row of
 * the lock does not show what the lock protected.
 */
final class UnderLockRegistry implements Contender {

    static final String TABLE = "ball_lock_registry";

    /** The definition of the lock table from {@code schema-postgresql.sql} in Spring Integration's jar. */
    static final String LOCKS = """
            DROP TABLE IF EXISTS int_lock;
            CREATE TABLE int_lock (lock_key CHAR(36) NOT NULL, region VARCHAR(100) NOT NULL, client_id CHAR(36),
                created_date TIMESTAMP NOT NULL, expired_after TIMESTAMP NOT NULL,
                CONSTRAINT int_lock_pk PRIMARY KEY (lock_key, region))
            """;

    private final DataSource pool;
    private final SingleUpdate update;

    // Each caller has its own registry, as if the caller were a separate node. Callers that share a registry would
    // compete in its memory, where version 7.0 may even mistake two names for one. This benchmark measures the
    // competition between nodes.
    private final ThreadLocal<JdbcLockRegistry> locks = ThreadLocal.withInitial(this::node);

    UnderLockRegistry(DataSource pool) {
        this.pool = pool;
        this.update = new SingleUpdate(pool, TABLE);
    }

    /**
     * Configures the registry as the page "JDBC Lock Registry" of Spring Integration's reference describes for
     * PostgreSQL. All other settings have their defaults.
     */
    private JdbcLockRegistry node() {
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        // The application's own transaction manager is JPA's, which would open an entity manager for each statement.
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository);
        // The capacity is large enough that locks are not created repeatedly.
        registry.setCacheCapacity(Load.BALLS);
        return registry;
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean tryStroke(long ball, Ball.Stroke stroke) {
        Lock lock = locks.get().obtain("ball-" + ball);
        if (!lock.tryLock()) {
            return false;
        }
        try {
            return update.moved(ball, stroke);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void giveToAnother(long ball, JdbcClient beside) {
        String another = "UPDATE int_lock SET client_id = 'another', expired_after = 'infinity'";
        Lock lock = locks.get().obtain("ball-" + ball);
        if (!lock.tryLock() || beside.sql(another).update() != 1) {
            throw new IllegalStateException("The lock could not be given to another client");
        }
    }
}
