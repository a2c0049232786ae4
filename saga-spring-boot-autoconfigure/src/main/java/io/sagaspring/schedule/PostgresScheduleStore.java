package io.sagaspring.schedule;

import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Stores schedules in PostgreSQL. A change and the runs that it starts share a transaction of the data source, so that a schedule has fired
 * if and only if its run exists. The database clock decides whether an instant has come.
 *
 * @since 0.1.0
 */
public final class PostgresScheduleStore implements ScheduleStore {

    private final ScheduleTable table;
    private final OwnTransactions own;
    private final CallersTransaction callers;
    private final TransactionTemplate transactions;

    /**
     * Creates a store on the given schema.
     *
     * @param schema the schema of the tables
     * @param own the library's own transactions on the schema's data source
     * @param dataSource the data source whose transactions the runs join
     */
    public PostgresScheduleStore(SagaSchema schema, OwnTransactions own, DataSource dataSource) {
        this.table = new ScheduleTable(schema);
        this.own = own;
        this.callers = new CallersTransaction(dataSource, own.guard());
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        // Under the lock of a schedule, each statement must see the runs that have ended in the meantime.
        transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    /**
     * Executes a statement in the current transaction. An unexpected exception in a statement also aborts the
     * connection. The code between the statements is called directly, so that its exceptions only roll the transaction
     * back.
     */
    private <T extends @Nullable Object> T on(String activity, OwnTransactions.Work<T> statement) {
        return callers.run(activity, statement);
    }

    private <T> T inTransaction(Supplier<T> work) {
        return Objects.requireNonNull(transactions.execute(status -> work.get()));
    }

    @Override
    public boolean declare(String name, ScheduleTerms terms, String by, Declaring first) {
        String activity = "Declaring the schedule '%s'".formatted(name);
        return inTransaction(() -> {
            ScheduleState state = first.state(null, on(activity, table::now));
            if (on(activity, connection -> table.insert(connection, name, terms, state, by))) {
                return true;
            }
            Locked locked = on(activity, connection -> table.lock(connection, name));
            if (locked == null || locked.row().terms().equals(terms)) {
                return false;
            }
            ScheduleRow row = locked.row();
            write(activity, List.of(row.declared(terms, first.state(row, locked.now()), locked.now(), by)));
            return true;
        });
    }

    @Override
    public Look look(Known known, Duration within) {
        return own.single(connection -> table.look(connection, known, within));
    }

    @Override
    public <T> List<T> changeDue(Known known, int limit, Function<List<Locked>, Map<String, Changed<T>>> change) {
        String activity = "Firing schedules";
        return inTransaction(() -> {
            Map<String, Locked> due = new LinkedHashMap<>();
            on(activity, connection -> table.lockDue(connection, known, limit))
                    .forEach(locked -> due.put(locked.row().name(), locked));
            Map<String, Changed<T>> changes = due.isEmpty() ? Map.of() : change.apply(List.copyOf(due.values()));
            write(activity, due, changes);
            return changes.values().stream().map(Changed::value).toList();
        });
    }

    @Override
    public <T> Optional<T> change(String name, Function<Locked, Changed<T>> change) {
        String activity = "Changing the schedule '%s'".formatted(name);
        return inTransaction(() -> {
            Locked locked = on(activity, connection -> table.lock(connection, name));
            if (locked == null) {
                return Optional.empty();
            }
            Changed<T> changed = change.apply(locked);
            write(activity, Map.of(name, locked), Map.of(name, changed));
            return Optional.of(changed.value());
        });
    }

    private <T> void write(String activity, Map<String, Locked> locked, Map<String, Changed<T>> changes) {
        List<ScheduleRow> rows = new ArrayList<>();
        changes.forEach((name, changed) -> rows.add(after(Objects.requireNonNull(locked.get(name)), changed)));
        write(activity, rows);
        for (ScheduleRow row : rows) {
            writeWaiting(activity, row, Objects.requireNonNull(changes.get(row.name())));
        }
    }

    private static ScheduleRow after(Locked locked, Changed<?> changed) {
        String by = changed.by();
        ScheduleRow row = locked.row();
        return by == null ? row.with(changed.state()) : row.changed(changed.state(), locked.now(), by);
    }

    private void writeWaiting(String activity, ScheduleRow row, Changed<?> changed) {
        WaitingFiring removed = changed.removed();
        if (!changed.added().isEmpty() || removed != null) {
            boolean isDropped = on(activity, connection -> {
                table.add(connection, row.name(), changed.added());
                return removed == null || table.drop(connection, row.name(), removed);
            });
            requireUnchanged(row, isDropped);
        }
    }

    /** Writes schedules. Throws an exception if a schedule no longer has the version that was read. */
    private void write(String activity, List<ScheduleRow> rows) {
        List<Boolean> written = on(activity, connection -> table.write(connection, rows));
        for (int number = 0; number < rows.size(); number++) {
            requireUnchanged(rows.get(number), written.get(number));
        }
    }

    private static void requireUnchanged(ScheduleRow row, boolean isUnchanged) {
        if (!isUnchanged) {
            throw new OptimisticLockingFailureException(
                    "Another caller has changed or removed the schedule '%s' since this node read version %d. This call has changed nothing, so try again."
                            .formatted(row.name(), row.version()));
        }
    }

    @Override
    public List<ScheduleRow> list() {
        return own.single(table::list);
    }

    @Override
    public boolean remove(String name) {
        return own.single(connection -> table.remove(connection, name));
    }

    @Override
    public Instant now() {
        return own.single(table::now);
    }
}
