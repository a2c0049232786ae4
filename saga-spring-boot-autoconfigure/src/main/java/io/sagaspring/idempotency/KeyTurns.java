package io.sagaspring.idempotency;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers with the same key on this node take turns. Without turns, callers that wait in the database for the same
 * key could use up the pool's connections. One caller claims the key in the database, and the others wait for that
 * caller in memory.
 *
 * <p>A caller that already has a connection, or that waits for another node, keeps its connection while it waits. Only
 * a limited number of callers may wait in this way.
 */
final class KeyTurns {

    /**
     * The longest time that a claim beyond the limit waits for another transaction. A claim that need not wait takes
     * less time, so it is not refused.
     */
    private static final Duration BRIEF = Duration.ofMillis(100);

    private final Map<ByteBuffer, Turn> turns = new ConcurrentHashMap<>();
    private final AtomicInteger withConnection = new AtomicInteger();
    private final AtomicInteger claiming = new AtomicInteger();
    private final IntSupplier limit;

    /**
     * Creates the turns. The limit is the number of callers that may wait with a connection. The limit is read on each
     * use.
     */
    KeyTurns(IntSupplier limit) {
        this.limit = limit;
    }

    /** The turn of one key: at most one caller of this node owns it. */
    static final class Turn {

        private final ByteBuffer id;
        private final Semaphore free = new Semaphore(1);
        private int callers;
        private volatile @Nullable Thread owner;

        Turn(ByteBuffer id) {
            this.id = id;
        }
    }

    /**
     * Waits for the key's turn. Returns null if the wait takes too long or is interrupted, or if this thread already
     * owns the turn.
     */
    @Nullable
    Turn take(byte[] id, Duration patience) {
        Turn turn = enter(id);
        boolean acquired = false;
        try {
            acquired = turn.owner != Thread.currentThread()
                    && turn.free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            if (!acquired) {
                leave(turn);
            }
        }
        return acquired ? owned(turn) : null;
    }

    /** Takes the key's turn if it is free. Returns null if any caller owns it, even if the owner is this thread. */
    @Nullable
    Turn takeIfFree(byte[] id) {
        Turn turn = enter(id);
        if (turn.free.tryAcquire()) {
            return owned(turn);
        }
        leave(turn);
        return null;
    }

    void release(Turn turn) {
        turn.owner = null;
        turn.free.release();
        leave(turn);
    }

    /**
     * Counts a caller that will wait with its connection, and returns true. Returns false and does not count it if the
     * limit is reached. A caller that was counted must call {@link #endWaitWithConnection} later.
     */
    boolean beginWaitWithConnection() {
        if (withConnection.incrementAndGet() <= limit.getAsInt()) {
            return true;
        }
        withConnection.decrementAndGet();
        return false;
    }

    void endWaitWithConnection() {
        withConnection.decrementAndGet();
    }

    /**
     * Counts a claim, and returns how long it may wait for another transaction. Each caller must call {@link #endClaim}
     * later.
     */
    Duration beginClaim(Duration patience) {
        boolean isOneTooMany = claiming.incrementAndGet() > Math.max(1, limit.getAsInt());
        return isOneTooMany && patience.compareTo(BRIEF) > 0 ? BRIEF : patience;
    }

    void endClaim() {
        claiming.decrementAndGet();
    }

    private static Turn owned(Turn turn) {
        turn.owner = Thread.currentThread();
        return turn;
    }

    private Turn enter(byte[] id) {
        return Objects.requireNonNull(turns.compute(ByteBuffer.wrap(id), (wrapped, there) -> {
            Turn turn = there == null ? new Turn(wrapped) : there;
            turn.callers++;
            return turn;
        }));
    }

    private void leave(Turn turn) {
        turns.computeIfPresent(turn.id, (id, there) -> --there.callers == 0 ? null : there);
    }
}
