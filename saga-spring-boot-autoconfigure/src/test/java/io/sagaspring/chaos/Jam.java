package io.sagaspring.chaos;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.shop.Interference;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Blocks the writers of a node. It sends changes to runs that do not exist, and blocks these changes before they reach
 * the database. While one change is blocked, no other change is written directly, but only in a batch. While all
 * writers are blocked, further changes gather. Until all of them are blocked, the node picks up no runs.
 */
final class Jam extends PickingUpNothing {

    /** The writers of a node: one for direct writes and four for batches. */
    private static final int ALL = 5;

    private static final String NAME = "jam";

    private final Semaphore arrived = new Semaphore(0);
    private final CountDownLatch go = new CountDownLatch(1);

    private Jam() {}

    /** Blocks the direct writer. From now on, even a single run writes in batches. */
    static void ofTheDirectWay(Interference interference, PostgresRunStore store) throws InterruptedException {
        Jam unused = new Jam().with(1, interference, store);
    }

    /**
     * Blocks every commit until {@link #letGo} is called. The changes that gather until then are committed together.
     */
    static Jam ofAllWays(Interference interference, PostgresRunStore store) throws InterruptedException {
        return new Jam().with(ALL, interference, store);
    }

    /** Sends the changes one after the other. Otherwise they would share a commit. */
    private Jam with(int changes, Interference interference, PostgresRunStore store) throws InterruptedException {
        interference.with(this);
        for (int change = 0; change < changes; change++) {
            Thread thread = new Thread(() -> block(store), NAME);
            thread.setDaemon(true);
            thread.start();
            arrived.acquire();
        }
        interference.none();
        return this;
    }

    private static void block(PostgresRunStore store) {
        try {
            var unused = store.checkpoint(new RunLease(RunId.next(), new FencingToken(1)), List.of());
        } catch (RuntimeException refused) {
            // The store refuses the change, because there is no such run.
        }
    }

    @Override
    public void before(String sql, Connection connection) {
        if (isJammed(Thread.currentThread()) && go.getCount() > 0) {
            arrived.release();
            DepotProcess.awaitUninterruptibly(go);
        }
    }

    /** Returns true if the thread sends one of the blocked changes. */
    static boolean isJammed(Thread thread) {
        return thread.getName().equals(NAME);
    }

    /**
     * Returns how many changes wait for another caller to commit them. The number includes the change of a caller that
     * is still checking whether it must commit the changes itself.
     */
    static long gathered() {
        return Thread.getAllStackTraces().values().stream()
                .filter(Jam::waitsForOthers)
                .count();
    }

    private static boolean waitsForOthers(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().endsWith(".GroupCommit")
                        && frame.getMethodName().equals("await"));
    }

    void letGo() {
        go.countDown();
    }
}
