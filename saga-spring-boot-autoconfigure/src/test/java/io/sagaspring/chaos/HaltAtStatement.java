package io.sagaspring.chaos;

import io.sagaspring.shop.Interference.Around;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Halts this JVM at the last of several statements, if they were sent in the given order. Other statements may come
 * between them.
 */
final class HaltAtStatement implements Around {

    enum Moment {
        BEFORE,
        AFTER,
        BEFORE_COMMIT,
        AFTER_COMMIT
    }

    private final Moment moment;
    private final List<EngineStatement> path;
    private int met;
    private @Nullable Thread arrived;

    HaltAtStatement(Moment moment, EngineStatement... path) {
        this.moment = moment;
        this.path = List.of(path);
    }

    @Override
    public synchronized void before(String sql, Connection connection) {
        if (met < path.size() && path.get(met).is(sql)) {
            met++;
            if (met == path.size()) {
                arrived = Thread.currentThread();
                haltIf(moment == Moment.BEFORE);
            }
        }
        haltIf(moment == Moment.BEFORE_COMMIT && hasArrived() && sql.equals("COMMIT"));
    }

    @Override
    public synchronized void after(String sql, Connection connection) {
        if (hasArrived()) {
            haltIf(moment == Moment.AFTER && path.get(path.size() - 1).is(sql));
            haltIf(moment == Moment.AFTER_COMMIT && sql.equals("COMMIT"));
        }
    }

    private boolean hasArrived() {
        return arrived == Thread.currentThread();
    }

    static void haltIf(boolean here) {
        if (here) {
            Runtime.getRuntime().halt(137);
        }
    }
}
