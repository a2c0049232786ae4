package io.sagaspring.run.postgres;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lets runs of queues begin, in transactions that are READ COMMITTED: each statement sees what was committed before it began. */
final class PostgresQueueStore implements QueueStore {

    private final QueuePick pick;
    private final QueueRows rows;
    private final OwnTransactions own;

    PostgresQueueStore(QueuePick pick, QueueRows rows, OwnTransactions own) {
        this.pick = pick;
        this.rows = rows;
        this.own = own;
    }

    @Override
    public Optional<String> declare(RunQueue queue) {
        return own.together(connection -> rows.declare(connection, queue));
    }

    @Override
    public Optional<Duration> untilNext(Set<String> queues, Duration within) {
        return own.single(connection -> rows.untilNext(connection, queues, within));
    }

    @Override
    public List<Cancelled> join(Set<String> queues) {
        return own.single(connection -> rows.join(connection, queues));
    }

    @Override
    public List<PickedUpRun> take(String queue, Set<String> runs, int slots) {
        List<PickedUpRun> begun = own.together(connection -> pick.take(connection, queue, runs, slots));
        return begun.isEmpty() && refitted(queue)
                ? own.together(connection -> pick.take(connection, queue, runs, slots))
                : begun;
    }

    /**
     * Fits the queue's permits to its limit again, if a run that held a permit beyond a lowered limit has ended.
     * Returns true if this was done.
     */
    private boolean refitted(String queue) {
        return own.single(connection -> rows.isMisfitting(connection, queue))
                && own.together(connection -> rows.fitAgain(connection, queue));
    }

    @Override
    public boolean pause(String queue, String why, String by) {
        return own.together(connection -> rows.pause(connection, queue, why, by));
    }

    @Override
    public boolean resume(String queue) {
        return own.single(connection -> rows.resume(connection, queue));
    }

    @Override
    public boolean limits(String queue, QueueLimits limits, String why, String by) {
        return own.together(connection -> rows.limits(connection, queue, limits, why, by));
    }

    @Override
    public List<QueueDepth> depths() {
        return own.single(rows::depths);
    }

    @Override
    public int reclaim(Set<String> queues, Duration after) {
        return own.together(connection -> rows.reclaim(connection, queues, after));
    }
}
