package io.sagaspring.due;

import io.sagaspring.database.Database;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Picks up the background work of one database. Each database has its own thread and its own slots. */
final class DatabasePickup implements Pickup.Source<DueTable.Picked> {

    private static final Logger logger = LoggerFactory.getLogger(DueWork.class);

    private final Database database;
    private final DueTable table;
    private final DueAttempts attempts;
    private final Pickup<DueTable.Picked> pickup;

    DatabasePickup(
            Database database,
            DueTable table,
            DueAttempts attempts,
            Keeper keeper,
            Executor executor,
            DueWork.Settings settings) {
        this.database = database;
        this.table = table;
        this.attempts = attempts;
        this.pickup = new Pickup<>(
                this,
                keeper,
                database.leases(table),
                executor,
                new Pickup.Settings(
                        database.isHome() ? "due" : "due-" + database.name(),
                        settings.concurrency(),
                        settings.poll(),
                        settings.lease(),
                        settings.longest(),
                        settings.grace()));
    }

    void wake() {
        pickup.wake();
    }

    void start() {
        pickup.start();
    }

    void stop() {
        pickup.stop();
    }

    void close() {
        pickup.close();
    }

    int freeSlots() {
        return pickup.freeSlots();
    }

    @Override
    public Optional<Duration> untilDue(Duration within) {
        return database.own().single(connection -> table.untilDue(connection, attempts.kinds(), within));
    }

    @Override
    public List<DueTable.Picked> take(int slots) {
        List<DueTable.Picked> picked =
                database.own().single(connection -> table.pick(connection, attempts.kinds(), slots, attempts.most()));
        picked.stream()
                .filter(DueTable.Picked::parked)
                .forEach(each -> logger.error(
                        "Parked the background work {}: no attempt is left. During the last attempt, its node died or lost the lease. Find out why before you retry the work",
                        each.item()));
        return picked.stream().filter(each -> !each.parked()).toList();
    }

    @Override
    public HeldLease held(DueTable.Picked picked) {
        return picked.held();
    }

    @Override
    public String describe(HeldLease held) {
        return "Background work %s of kind '%s'".formatted(held.id(), held.name());
    }

    @Override
    public Runnable work(DueTable.Picked picked, Hold hold) {
        attempts.work(database, picked, hold);
        return () -> {};
    }

    @Override
    public void release(DueTable.Picked picked, Duration pause) {
        attempts.release(database, picked, pause);
    }
}
