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
 * Keeps callers with the same key from taking the pool's connections to wait for each other. On this node one of them asks
 * the database, and the others wait for it in memory. A caller that has a connection already, or waits for another node,
 * does so with its connection, and only few may.
 */
final class KeyTurns {

    /** How long one more than may wait does so: longer than a claim takes that nobody is in the way of. */
    private static final Duration BRIEF = Duration.ofMillis(100);

    private final Map<ByteBuffer, Turn> turns = new ConcurrentHashMap<>();
    private final AtomicInteger withConnection = new AtomicInteger();
    private final AtomicInteger claiming = new AtomicInteger();
    private final IntSupplier most;

    /** Asks each time how many may wait with a connection. */
    KeyTurns(IntSupplier most) {
        this.most = most;
    }

    /** One key's. */
    static final class Turn {

        private final ByteBuffer id;
        private final Semaphore free = new Semaphore(1);
        private int callers;
        private volatile @Nullable Thread owner;

        Turn(ByteBuffer id) {
            this.id = id;
        }
    }

    /** Waits for the key's turn, or returns null if that takes too long, or the caller is in it already. */
    @Nullable
    Turn take(byte[] id, Duration patience) {
        Turn turn = entered(id);
        boolean taken = false;
        try {
            taken = turn.owner != Thread.currentThread()
                    && turn.free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            if (!taken) {
                left(turn);
            }
        }
        return taken ? owned(turn) : null;
    }

    /** The key's turn, or null if it is another's or the caller's own. */
    @Nullable
    Turn takeIfFree(byte[] id) {
        Turn turn = entered(id);
        if (turn.free.tryAcquire()) {
            return owned(turn);
        }
        left(turn);
        return null;
    }

    void release(Turn turn) {
        turn.owner = null;
        turn.free.release();
        left(turn);
    }

    /** Tells whether one more caller may wait for a turn with its connection. Such a caller reports the end of its wait. */
    boolean mayWaitWithConnection() {
        if (withConnection.incrementAndGet() <= most.getAsInt()) {
            return true;
        }
        withConnection.decrementAndGet();
        return false;
    }

    void waitsNoLonger() {
        withConnection.decrementAndGet();
    }

    /** How long a claim that begins now may wait for another transaction. Each ends with {@link #claimed}. */
    Duration claims(Duration patience) {
        boolean isOneTooMany = claiming.incrementAndGet() > Math.max(1, most.getAsInt());
        return isOneTooMany && patience.compareTo(BRIEF) > 0 ? BRIEF : patience;
    }

    void claimed() {
        claiming.decrementAndGet();
    }

    private static Turn owned(Turn turn) {
        turn.owner = Thread.currentThread();
        return turn;
    }

    private Turn entered(byte[] id) {
        return Objects.requireNonNull(turns.compute(ByteBuffer.wrap(id), (wrapped, there) -> {
            Turn turn = there == null ? new Turn(wrapped) : there;
            turn.callers++;
            return turn;
        }));
    }

    private void left(Turn turn) {
        turns.computeIfPresent(turn.id, (id, there) -> --there.callers == 0 ? null : there);
    }
}
