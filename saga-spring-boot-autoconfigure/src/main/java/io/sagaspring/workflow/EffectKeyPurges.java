package io.sagaspring.workflow;

import io.sagaspring.database.Database;
import io.sagaspring.database.DatabaseWork;
import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deletes expired effect keys in the databases of tenants, each on the thread of its database. A job of the node would
 * have to wait for a database that is down.
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
     * Creates purges that have not begun.
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
            // If there are more keys, the next turn continues, so that a sweep need not wait for the purge.
            next.put(database, more ? now : now.plus(interval));
        }
    }

    @Override
    public void end(Database database) {
        next.remove(database);
    }
}
