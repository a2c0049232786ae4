package io.sagaspring.workflow;

import io.sagaspring.database.Database;
import io.sagaspring.database.DatabaseWork;
import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deletes expired effect keys in the databases of tenants. Each database is purged on its own thread, so that no purge
 * waits for another database that is down.
 *
 * @since 0.1.0
 */
public final class EffectKeyPurges implements DatabaseWork {

    private static final int BATCH = 1_000;

    private final EffectKeys effects;
    private final Duration interval;
    private final ElapsedClock ticks;
    private final Map<Database, Duration> next = new ConcurrentHashMap<>();

    /**
     * Creates the purges. Nothing is deleted yet.
     *
     * @param effects the effect keys
     * @param interval the pause between two purges of a database
     * @param ticks the clock that measures elapsed time on this node
     */
    public EffectKeyPurges(EffectKeys effects, Duration interval, ElapsedClock ticks) {
        this.effects = effects;
        this.interval = interval;
        this.ticks = ticks;
    }

    @Override
    public void turn(Database database) {
        Duration now = ticks.now();
        if (now.compareTo(next.getOrDefault(database, now)) >= 0) {
            boolean more = effects.purge(database, BATCH) == BATCH;
            // If expired keys may be left, this thread's next turn deletes them. So the janitor's sweep on the same
            // thread does not wait for the whole purge.
            next.put(database, more ? now : now.plus(interval));
        }
    }

    @Override
    public void end(Database database) {
        next.remove(database);
    }
}
