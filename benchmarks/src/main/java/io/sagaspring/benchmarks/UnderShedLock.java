package io.sagaspring.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * One update under a ShedLock lock with the ball's name. There is no token, so the write of a previous owner succeeds
 * as well. The lock of a dead process lasts until it expires, and does not show what it protected.
 */
final class UnderShedLock implements Contender {

    static final String TABLE = "ball_shedlock";

    // The table, the provider with the database's time, and the lock's times follow ShedLock's README, chapters
    // "JdbcTemplate" and "Locking without a framework".
    static final String LOCKS = """
            DROP TABLE IF EXISTS shedlock;
            CREATE TABLE shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL,
                locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))
            """;

    private static final Duration AT_MOST = Duration.ofSeconds(60);

    private final LockProvider locks;
    private final SingleUpdate update;

    UnderShedLock(DataSource pool) {
        this.locks = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        this.update = new SingleUpdate(pool, TABLE);
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean tryStroke(long ball, Ball.Stroke stroke) {
        Optional<SimpleLock> lock =
                locks.lock(new LockConfiguration(Instant.now(), name(ball), AT_MOST, Duration.ZERO));
        if (lock.isEmpty()) {
            return false;
        }
        try {
            return update.moved(ball, stroke);
        } finally {
            lock.get().unlock();
        }
    }

    @Override
    public void giveToAnother(long ball, JdbcClient beside) {
        beside.sql("UPDATE shedlock SET lock_until = 'infinity', locked_by = 'another' WHERE name = ?")
                .param(name(ball))
                .update();
    }

    private static String name(long ball) {
        return "ball-" + ball;
    }
}
