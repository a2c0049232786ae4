package io.sagaspring.due;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes background work at least once:
 *
 * <ol>
 *   <li>{@link #schedule} writes a row in the caller's transaction. The row exists only if that transaction
 *       commits.
 *   <li>{@link #wake}, or the next poll of any node, picks up as many rows as there are free slots. Each row gets a
 *       new token, and the attempt is counted.
 *   <li>The heartbeat keeper renews the row's lease while the work runs. If this node dies, the row becomes due
 *       again when its lease ends.
 *   <li>When the work is done, the row is removed, guarded by its token. If the work fails, it becomes due again
 *       after a pause. If it has failed too often, it is parked.
 * </ol>
 *
 * @since 0.1.0
 */
public final class DueWork implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(DueWork.class);

    private final DueTable table;
    private final OwnTransactions own;
    private final Tenants tenants;
    private final Map<String, DueHandler> handlers = new HashMap<>();
    private final Retries retries;
    private final DueAttempts attempts;
    private final Pickup<DueTable.Picked> pickup;

    /**
     * Settings for background work.
     *
     * @param concurrency the number of pieces of work that this node executes at once
     * @param poll the interval at which a node looks for due work without being woken
     * @param lease the duration of a row's lease after the last heartbeat
     * @param longest the longest duration of one attempt
     * @param grace the time that work in progress gets at shutdown before it is interrupted
     * @param retries the retries of failed work
     */
    public record Settings(
            int concurrency, Duration poll, Duration lease, Duration longest, Duration grace, Retries retries) {}

    /**
     * The handlers of background work.
     *
     * @param all the handlers
     * @param tenants the tenants on whose behalf the handlers work
     */
    public record Handlers(List<? extends DueHandler> all, Tenants tenants) {}

    /**
     * Creates background work that is not started yet.
     *
     * @param schema the schema of the table
     * @param node the name of this node, for display
     * @param own transactions over the schema's data source
     * @param keeper the heartbeat keeper, which renews the rows in progress
     * @param handlers the handlers that do the work, and the tenants for which they do it
     * @param executor executes the handlers
     * @param settings the settings
     */
    public DueWork(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            Keeper keeper,
            Handlers handlers,
            Executor executor,
            Settings settings) {
        this.tenants = handlers.tenants();
        this.table = new DueTable(schema, node, settings.lease(), !tenants.areNone());
        this.own = own;
        this.retries = settings.retries();
        handlers.all().forEach(handler -> handler.queues().forEach(queue -> this.handlers.put(queue, handler)));
        this.attempts = new DueAttempts(table, own, tenants, this.handlers, retries);
        this.pickup = new Pickup<>(
                new Rows(),
                keeper,
                table,
                executor,
                new Pickup.Settings(
                        "due",
                        settings.concurrency(),
                        settings.poll(),
                        settings.lease(),
                        settings.longest(),
                        settings.grace()));
    }

    /**
     * Schedules work for the current tenant, in the transaction of the given connection.
     *
     * @param connection the connection of the transaction that must commit for the work to be done
     * @param queue the kind of work
     * @param key the key that identifies this work; it is the same for all deliveries
     * @param payload the data of the work
     * @throws SQLException if the row cannot be written
     */
    public void schedule(Connection connection, String queue, String key, String payload) throws SQLException {
        table.insert(connection, queue, key, payload, tenants.current());
    }

    /**
     * Makes this node look for work now. Call this method after the commit of a transaction that has scheduled work.
     */
    public void wake() {
        pickup.wake();
    }

    /** Starts to pick up work if this node has a handler. */
    public void start() {
        if (!handlers.isEmpty()) {
            pickup.start();
        }
    }

    /** Stops picking up work. Work in progress continues. */
    public void stop() {
        pickup.stop();
    }

    /**
     * Stops picking up work, and waits up to the grace period for the work in progress. Then it interrupts the
     * remaining work and hands it over, so that another node can continue at once.
     */
    @Override
    public void close() {
        pickup.close();
    }

    /**
     * Lists the parked work, which waits until a person retries it or gives it up.
     *
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @param limit the largest number of pieces to list
     * @return the work, longest parked first
     */
    public List<Parked> parked(@Nullable String tenant, int limit) {
        return own.single(connection -> table.parked(connection, tenant, limit));
    }

    /**
     * Counts the parked work.
     *
     * @return the number of parked pieces of work
     */
    public int countParked() {
        return own.single(table::countParked);
    }

    /**
     * Lists work that is due but that this node cannot do, because it has no handler for the queue. Another node may
     * have such a handler.
     *
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @param limit the largest number of pieces to list
     * @return the work, longest due first
     */
    public List<Unhandled> unhandled(@Nullable String tenant, int limit) {
        Set<String> known = Set.copyOf(handlers.keySet());
        return own.single(connection -> table.unhandled(connection, known, tenant, limit));
    }

    /**
     * Makes parked work due again, with all attempts available.
     *
     * @param id the row's id
     * @return true if the work was parked
     */
    public boolean retry(long id) {
        return retry(id, "a caller");
    }

    /**
     * Makes parked work due again, with all attempts available.
     *
     * @param id the row's id
     * @param by the name of the operator, for the log
     * @return true if the work was parked
     */
    public boolean retry(long id, String by) {
        boolean found = own.single(connection -> table.retry(connection, id));
        if (found) {
            logger.info("Parked work {} is due again, because {} has retried it", id, LogText.of(by));
        }
        wake();
        return found;
    }

    /**
     * Gives up work that is parked, or that is due and has no handler on this node. The work is removed without being
     * executed.
     *
     * @param id the row's id
     * @param by the name of the operator, for the log
     * @return the work that was given up, or empty if there is no such work
     */
    public Optional<Parked> giveUp(long id, String by) {
        Set<String> known = Set.copyOf(handlers.keySet());
        Optional<Parked> removed = own.single(connection -> table.giveUp(connection, id, known));
        removed.ifPresent(work -> logger.warn(
                "Gave up work {} of queue '{}' with key '{}': it was {} after {} attempts and was removed by {}",
                work.id(),
                LogText.of(work.queue()),
                LogText.of(work.key()),
                known.contains(work.queue()) ? "parked" : "parked or had no handler",
                work.attempts(),
                LogText.of(by)));
        return removed;
    }

    /**
     * Counts the work that is due and that no node has picked up yet.
     *
     * @return the queues with due work, including those that have no handler on this node
     */
    public List<Backlog> backlog() {
        Set<String> known = Set.copyOf(handlers.keySet());
        return own.single(connection -> table.backlog(connection, known));
    }

    /**
     * Returns how many pieces of work this node could start now.
     *
     * @return the free slots
     */
    public int freeSlots() {
        return pickup.freeSlots();
    }

    private final class Rows implements Pickup.Source<DueTable.Picked> {

        @Override
        public Optional<Duration> untilDue(Duration within) {
            Set<String> queues = Set.copyOf(handlers.keySet());
            return own.single(connection -> table.untilDue(connection, queues, within));
        }

        @Override
        public List<DueTable.Picked> take(int slots) {
            Set<String> queues = Set.copyOf(handlers.keySet());
            List<DueTable.Picked> picked =
                    own.single(connection -> table.pick(connection, queues, slots, retries.attempts()));
            picked.stream()
                    .filter(DueTable.Picked::parked)
                    .forEach(each -> logger.error(
                            "Parked {}: no attempt is left, and in the last one its node died or lost the lease. Find out why before you retry it",
                            each.item()));
            return picked.stream().filter(each -> !each.parked()).toList();
        }

        @Override
        public HeldLease held(DueTable.Picked picked) {
            return picked.held();
        }

        @Override
        public String describe(HeldLease held) {
            return "Work %s of queue '%s'".formatted(held.id(), held.name());
        }

        @Override
        public Runnable work(DueTable.Picked picked, Hold hold) {
            attempts.work(picked, hold);
            return () -> {};
        }

        @Override
        public void release(DueTable.Picked picked, Duration pause) {
            attempts.release(picked, pause);
        }
    }

    /**
     * Work that has failed too often and waits for a person.
     *
     * @param id the row's id
     * @param queue the kind of work
     * @param key the key that is the same for all deliveries of this work
     * @param attempts the number of attempts
     * @param lastError the error of the last attempt
     * @param since the time when the work was parked, by the database clock; for work that was given up without being
     *     parked, the time when it became due
     * @param tenant the tenant for which the work was scheduled, or null if there was none
     */
    public record Parked(
            long id,
            String queue,
            String key,
            int attempts,
            String lastError,
            Instant since,
            @Nullable String tenant) {}

    /**
     * Work that is due but that this node cannot do, because it has no handler for the queue.
     *
     * @param id the row's id
     * @param queue the kind of work
     * @param key the key that is the same for all deliveries of this work
     * @param attempts the number of attempts
     * @param dueSince the time when the work became due, by the database clock
     * @param tenant the tenant for which the work was scheduled, or null if there was none
     */
    public record Unhandled(
            long id,
            String queue,
            String key,
            int attempts,
            Instant dueSince,
            @Nullable String tenant) {}
}
