package io.sagaspring.due;

import io.sagaspring.database.Database;
import io.sagaspring.database.DatabaseWork;
import io.sagaspring.database.Databases;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.LogText;
import io.sagaspring.jdbc.TimePlace;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes background work at least once:
 *
 * <ol>
 *   <li>{@link #schedule} writes a row in the caller's transaction. The row exists only if that transaction
 *       commits.
 *   <li>{@link #wake}, or the next poll of any node, picks up at most as many rows as there are free slots. Each row
 *       gets a new token, and the attempt is counted.
 *   <li>The heartbeat keeper renews the row's lease while the work runs. If this node dies, the row becomes due
 *       again when its lease ends.
 *   <li>When the work is done, the row is removed, guarded by its token. If the work fails, it becomes due again after
 *       a pause. If no attempt is left, it is parked.
 * </ol>
 *
 * @since 0.1.0
 */
public final class DueWork implements AutoCloseable, DatabaseWork {

    /** The largest number of parked pieces of work that are counted in a database. */
    public static final int MOST_PARKED = DueTable.MOST_PARKED;

    private static final Logger logger = LoggerFactory.getLogger(DueWork.class);

    private final DueTable table;
    private final Databases databases;
    private final Map<String, DueHandler> handlers;
    private final Function<Database, DatabasePickup> pickups;
    private final DatabasePickup home;

    /** The pickups of the databases of tenants. */
    private final Map<Database, DatabasePickup> others = new ConcurrentHashMap<>();

    /**
     * Settings for background work.
     *
     * @param concurrency the number of pieces of work of each database that this node executes at once
     * @param poll the interval at which a node looks for due work without being woken
     * @param lease the duration of a row's lease after the last heartbeat
     * @param longest the longest duration of one attempt
     * @param grace the time that work in progress gets at shutdown before it is interrupted
     * @param retries the retries of failed work
     */
    public record Settings(
            int concurrency, Duration poll, Duration lease, Duration longest, Duration grace, Retries retries) {}

    /**
     * Creates background work that is not started yet.
     *
     * @param schema the schema of the table
     * @param node the display name of this node
     * @param databases the databases that have the table, and the tenants for which the handlers work
     * @param keeper the heartbeat keeper, which renews the rows in progress
     * @param handlers the handlers that do the work
     * @param executor the executor of the handlers
     * @param settings the settings
     */
    public DueWork(
            SagaSchema schema,
            String node,
            Databases databases,
            Keeper keeper,
            List<? extends DueHandler> handlers,
            Executor executor,
            Settings settings) {
        this.databases = databases;
        this.table = new DueTable(
                schema, node, settings.lease(), !databases.tenants().areNone());
        Map<String, DueHandler> byKind = new HashMap<>();
        handlers.forEach(handler -> handler.kinds().forEach(kind -> byKind.put(kind, handler)));
        this.handlers = Map.copyOf(byKind);
        DueAttempts attempts = new DueAttempts(table, databases, this.handlers, settings.retries());
        this.pickups = database -> new DatabasePickup(database, table, attempts, keeper, executor, settings);
        this.home = pickups.apply(databases.home());
    }

    /**
     * Schedules work for the current tenant, in the transaction of the given connection.
     *
     * @param connection the connection of the transaction that must commit for the work to be done
     * @param kind the kind of work
     * @param key the key that identifies this work; it is the same for all deliveries
     * @param payload the data of the work
     * @throws SQLException if the row cannot be written
     */
    public void schedule(Connection connection, String kind, String key, String payload) throws SQLException {
        table.insert(connection, kind, key, payload, databases.tenants().current());
    }

    /** Makes this node look for work in the home database now. */
    public void wake() {
        home.wake();
    }

    /**
     * Makes this node look for work now. Call this method after the commit of a transaction that has scheduled work.
     *
     * @param database the database of the transaction
     */
    public void wake(Database database) {
        DatabasePickup pickup = database.isHome() ? home : others.get(database);
        if (pickup != null) {
            pickup.wake();
        }
    }

    /** Starts to pick up work of the home database if this node has a handler. */
    public void start() {
        if (!handlers.isEmpty()) {
            home.start();
        }
    }

    /** Stops picking up work of the home database. Work in progress continues. */
    public void stop() {
        home.stop();
    }

    @Override
    public void begin(Database database) {
        if (!handlers.isEmpty()) {
            others.computeIfAbsent(database, pickups).start();
        }
    }

    @Override
    public void end(Database database) {
        DatabasePickup pickup = others.get(database);
        if (pickup != null) {
            pickup.stop();
            if (database.tenants().isEmpty()) {
                others.remove(database);
            }
        }
    }

    /**
     * Stops picking up work, and waits up to the grace period for the work in progress. Then it interrupts the
     * remaining work and hands it over, so that another node can continue at once. The waits for the databases overlap.
     */
    @Override
    public void close() {
        List<Thread> closing = new ArrayList<>();
        for (DatabasePickup each : others.values()) {
            Thread thread = new Thread(each::close, "saga-due-close");
            thread.setDaemon(true);
            thread.start();
            closing.add(thread);
        }
        home.close();
        try {
            for (Thread thread : closing) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Lists the parked work, which waits until a person retries it or gives it up.
     *
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @param limit the largest number of pieces to list
     * @return the work, longest parked first
     */
    public List<Parked> parked(@Nullable String tenant, int limit) {
        return parked(tenant, null, limit);
    }

    /**
     * Continues the list of the parked work.
     *
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @param after the {@linkplain Parked#place() place} of the last piece of the previous page, or null for the first
     *     page
     * @param limit the largest number of pieces to list
     * @return the work, longest parked first
     * @throws IllegalArgumentException if {@code after} is not a place
     */
    public List<Parked> parked(@Nullable String tenant, @Nullable String after, int limit) {
        TimePlace place = after == null ? null : TimePlace.read(after);
        return databases
                .ask(tenant, each -> each.own().single(connection -> table.parked(connection, tenant, place, limit)))
                .stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(Parked::since).thenComparing(Parked::id))
                .limit(limit)
                .toList();
    }

    /**
     * Counts the parked work.
     *
     * @return the number of parked pieces of work, counted up to {@link #MOST_PARKED} in each database
     */
    public int countParked() {
        return databases.ask(null, each -> each.own().single(table::countParked)).stream()
                .mapToInt(count -> count)
                .sum();
    }

    /**
     * Lists work that is due but that this node cannot do, because it has no handler for this kind. Another node may
     * have such a handler.
     *
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @param limit the largest number of pieces to list
     * @return the work, longest due first
     */
    public List<Unhandled> unhandled(@Nullable String tenant, int limit) {
        return unhandled(tenant, null, limit);
    }

    /**
     * Continues the list of the work that this node cannot do.
     *
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @param after the {@linkplain Unhandled#place() place} of the last piece of the previous page, or null for the
     *     first page
     * @param limit the largest number of pieces to list
     * @return the work, longest due first
     * @throws IllegalArgumentException if {@code after} is not a place
     */
    public List<Unhandled> unhandled(@Nullable String tenant, @Nullable String after, int limit) {
        Set<String> known = handlers.keySet();
        TimePlace place = after == null ? null : TimePlace.read(after);
        return databases
                .ask(
                        tenant,
                        each -> each.own()
                                .single(connection -> table.unhandled(connection, known, tenant, place, limit)))
                .stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(Unhandled::dueSince).thenComparing(Unhandled::id))
                .limit(limit)
                .toList();
    }

    /**
     * Makes parked work due again, with all attempts available.
     *
     * @param id the row's id
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for any work in the home
     *     database
     * @param by the name of the operator, for the log
     * @return true if the work was parked
     */
    public boolean retry(long id, @Nullable String tenant, String by) {
        boolean found = false;
        for (Database database : ofOperator(tenant)) {
            found |= database.own().single(connection -> table.retry(connection, id, tenant));
            wake(database);
        }
        if (found) {
            logger.info("The parked background work {} is due again, because {} has retried it", id, LogText.of(by));
        }
        return found;
    }

    /**
     * Returns the databases that may contain the work whose id an operator gives. An id is unique only within its
     * database.
     */
    private List<Database> ofOperator(@Nullable String tenant) {
        return tenant == null ? List.of(databases.home()) : databases.of(tenant);
    }

    /**
     * Gives up work that is parked, or that is due and has no handler on this node. The work is removed without being
     * executed.
     *
     * @param id the row's id
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for any work in the home
     *     database
     * @param by the name of the operator, for the log
     * @return the work that was given up, or empty if there is no such work
     */
    public Optional<Parked> giveUp(long id, @Nullable String tenant, String by) {
        Set<String> known = handlers.keySet();
        Optional<Parked> removed = ofOperator(tenant).stream()
                .flatMap(database ->
                        database.own().single(connection -> table.giveUp(connection, id, tenant, known)).stream())
                .findFirst();
        removed.ifPresent(work -> logger.warn(
                "Gave up background work {} of kind '{}' with key '{}'. The work was {} (attempts: {}) and was removed by {}",
                work.id(),
                LogText.of(work.kind()),
                LogText.of(work.key()),
                known.contains(work.kind()) ? "parked" : "parked or had no handler",
                work.attempts(),
                LogText.of(by)));
        return removed;
    }

    /**
     * Counts the work that is due and that no node has picked up yet.
     *
     * @return the kinds of due work, including those that have no handler on this node
     */
    public List<Backlog> backlog() {
        Set<String> known = handlers.keySet();
        return Backlog.joined(databases.ask(
                null, each -> each.own().single(connection -> table.backlog(connection, known))));
    }

    /**
     * Returns how many pieces of work of the home database this node could start now.
     *
     * @return the free slots
     */
    public int freeSlots() {
        return home.freeSlots();
    }

    /**
     * Work that has no attempt left and waits for a person.
     *
     * @param id the row's id
     * @param kind the kind of work
     * @param key the key that is the same for all deliveries of this work
     * @param attempts the number of attempts
     * @param lastError the error of the latest attempt that reported one, or an empty string if none did
     * @param since the time when the work was parked, by the database clock; for work that was given up without being
     *     parked, the time when it became due
     * @param tenant the tenant for which the work was scheduled, or null if there was none
     */
    public record Parked(
            long id,
            String kind,
            String key,
            int attempts,
            String lastError,
            Instant since,
            @Nullable String tenant) {

        /** {@return the text with which the list continues after this work} */
        public String place() {
            return new TimePlace(since, id).text();
        }
    }

    /**
     * Work that is due but that this node cannot do, because it has no handler for this kind.
     *
     * @param id the row's id
     * @param kind the kind of work
     * @param key the key that is the same for all deliveries of this work
     * @param attempts the number of attempts
     * @param dueSince the time when the work became due, by the database clock
     * @param tenant the tenant for which the work was scheduled, or null if there was none
     */
    public record Unhandled(
            long id,
            String kind,
            String key,
            int attempts,
            Instant dueSince,
            @Nullable String tenant) {

        /** {@return the text with which the list continues after this work} */
        public String place() {
            return new TimePlace(dueSince, id).text();
        }
    }
}
