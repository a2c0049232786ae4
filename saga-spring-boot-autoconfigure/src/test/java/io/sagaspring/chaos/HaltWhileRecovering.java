package io.sagaspring.chaos;

import static io.sagaspring.chaos.HaltAtStatement.haltIf;

import io.sagaspring.shop.Interference.Around;
import java.sql.Connection;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Halts this JVM at the n-th moment of its work on runs. Each statement has two moments: before it and after it. */
final class HaltWhileRecovering implements Around {

    /** Searches and renewals are not counted, because a search may find nothing and a renewal has no fixed time. */
    private static final Set<EngineStatement> COUNTED = EnumSet.of(
            EngineStatement.RUN_JOURNAL_READ,
            EngineStatement.RUN_CHECKPOINT,
            EngineStatement.RUN_SUSPENSION,
            EngineStatement.RUN_END,
            EngineStatement.RUN_BATCH,
            EngineStatement.EFFECT,
            EngineStatement.BOOKING);

    private final int last;
    private final AtomicInteger moments = new AtomicInteger();

    HaltWhileRecovering(int last) {
        this.last = last;
    }

    @Override
    public void before(String sql, Connection connection) {
        count(sql);
    }

    @Override
    public void after(String sql, Connection connection) {
        count(sql);
    }

    private void count(String sql) {
        if (COUNTED.stream().anyMatch(each -> each.is(sql))) {
            haltIf(moments.incrementAndGet() == last);
        }
    }
}
