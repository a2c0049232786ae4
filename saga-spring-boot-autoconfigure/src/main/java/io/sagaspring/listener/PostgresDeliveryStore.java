package io.sagaspring.listener;

import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.HeldRows;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.listener.DeliveryTable.Heads;
import io.sagaspring.listener.DeliveryTable.Look;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores deliveries in PostgreSQL. An event is written in the transaction of its publisher if there is one.
 *
 * @since 0.1.0
 */
public final class PostgresDeliveryStore implements DeliveryStore {

    /** The smallest position in the walk along the lines. No line has this number. */
    private static final long BEFORE_ALL = Long.MIN_VALUE;

    private final DeliveryTable table;
    private final HeldRows held;
    private final OwnTransactions own;
    private final CallersTransaction callers;

    /** For each listener, the line behind which its next pickup begins. So the lines take turns. */
    private final Map<String, Long> turns = new ConcurrentHashMap<>();

    /**
     * Creates a store on the given schema.
     *
     * @param schema the schema of the table
     * @param node the displayed name of this node
     * @param own the executor of transactions on the schema's data source
     * @param dataSource the data source whose transactions the events join
     * @param lease the time for which a delivery stays assigned to a node after the last heartbeat
     */
    public PostgresDeliveryStore(
            SagaSchema schema, String node, OwnTransactions own, DataSource dataSource, Duration lease) {
        this.table = new DeliveryTable(schema, node, lease);
        this.held = held(schema, lease);
        this.own = own;
        this.callers = new CallersTransaction(dataSource, own.guard());
    }

    /** Creates the statement that counts deliveries in progress through the index of held rows. */
    static HeldRows held(SagaSchema schema, Duration lease) {
        String table = schema.table("saga_delivery");
        return new HeldRows(
                "delivery.loads",
                new HeldRows.Parts(
                        "",
                        "SELECT node, due_at, parked_at FROM %s WHERE token IS NOT NULL ORDER BY listener, line"
                                .formatted(table),
                        "parked_at IS NULL AND due_at > clock_timestamp()",
                        "due_at - %s * INTERVAL '1 millisecond'".formatted(lease.toMillis())));
    }

    @Override
    public NodeLoads loads() {
        return own.single(held::on);
    }

    @Override
    public void publish(Publication publication) {
        OwnTransactions.Work<Boolean> insert = connection -> {
            table.insert(connection, publication);
            return true;
        };
        if (!TransactionPhase.isActive()) {
            boolean unused = own.single(insert);
            return;
        }
        requireJoinable(publication);
        boolean unused = callers.run("The event %s".formatted(publication.name()), insert);
    }

    /**
     * Requires that the publisher's transaction can store the event. Stored outside that transaction, the event would
     * be delivered even after a rollback.
     */
    private void requireJoinable(Publication publication) {
        if (!callers.isActive()) {
            throw new IllegalStateException(
                    "The event %s has durable listeners, but the current transaction belongs to another data source, so its commit cannot store the event. Publish the event in a transaction of the data source that has the library's tables, or outside any transaction."
                            .formatted(publication.name()));
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "The event %s has durable listeners, but the current transaction is read-only, so the event cannot be stored. Publish the event in a transaction that may write."
                            .formatted(publication.name()));
        }
    }

    @Override
    public Optional<Duration> untilDue(String listener, Duration within) {
        Duration earliest = null;
        Long after = BEFORE_ALL;
        while (after != null) {
            long from = after;
            Look look = own.single(connection -> table.look(connection, listener, from));
            earliest = earlier(earliest, look.untilDue());
            after = earliest != null && (earliest.isZero() || earliest.isNegative()) ? null : look.last();
        }
        return Optional.ofNullable(earliest).filter(until -> until.compareTo(within) <= 0);
    }

    private static @Nullable Duration earlier(@Nullable Duration one, @Nullable Duration other) {
        return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
    }

    /** Walks once around the lines, beginning where the last call stopped. Ends earlier if the slots are filled. */
    @Override
    public List<PickedUp> pick(String listener, int slots, int attempts) {
        List<PickedUp> picked = new ArrayList<>();
        long start = turns.getOrDefault(listener, BEFORE_ALL);
        long after = start;
        boolean fromTheTop = start == BEFORE_ALL;
        boolean isAround = false;
        while (picked.size() < slots && !isAround) {
            long from = after;
            Round round = own.together(connection -> {
                Heads heads = table.heads(connection, listener, from, slots - picked.size());
                return new Round(
                        heads, heads.ids().isEmpty() ? List.of() : table.pick(connection, heads.ids(), attempts));
            });
            picked.addAll(round.picked());
            boolean isEnd = round.heads().isEnd();
            after = isEnd ? BEFORE_ALL : round.heads().last();
            isAround = fromTheTop && (isEnd || (start != BEFORE_ALL && after >= start));
            fromTheTop |= isEnd;
        }
        turns.put(listener, after);
        return picked;
    }

    private record Round(Heads heads, List<PickedUp> picked) {}

    @Override
    public boolean joinsTransactions() {
        return true;
    }

    @Override
    public Ended done(Delivery delivery) {
        OwnTransactions.Work<Ended> removal = connection -> table.done(connection, delivery);
        return callers.isActive()
                ? callers.run("The end of the delivery %s".formatted(delivery.key()), removal)
                : own.single(removal);
    }

    @Override
    public boolean failed(Delivery delivery, Duration pause, boolean park, String error) {
        return own.single(connection -> table.failed(connection, delivery, pause, park, error));
    }

    @Override
    public boolean release(Delivery delivery, Duration pause) {
        return own.single(connection -> table.release(connection, delivery, pause));
    }

    @Override
    public List<DeliveryView> find(DeliveryQuery query) {
        return own.single(connection -> table.find(connection, query));
    }

    @Override
    public boolean retry(long id) {
        return own.single(connection -> table.retry(connection, id));
    }

    @Override
    public Optional<DeliveryView> giveUp(long id) {
        return own.single(connection -> table.giveUp(connection, id));
    }

    @Override
    public List<ListenerBacklog> backlog(Set<String> known) {
        return own.single(connection -> table.backlog(connection, known));
    }

    @Override
    public RenewableLeases leases() {
        return table;
    }
}
