package io.sagaspring.schedule;

import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
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
     * @param own runs transactions on the schema's data source
     * @param dataSource the data source whose transactions the runs join
     */
    public PostgresScheduleStore(SagaSchema schema, OwnTransactions own, DataSource dataSource) {
        this.table = new ScheduleTable(schema);
        this.own = own;
        this.callers = new CallersTransaction(dataSource);
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        // Under the lock of a schedule, each statement must see the runs that have ended in the meantime.
        transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    private <T> T inTransaction(String activity, OwnTransactions.Work<T> work) {
        return Objects.requireNonNull(transactions.execute(status -> callers.run(activity, work)));
    }

    @Override
    public boolean declare(String name, ScheduleTerms terms, String by, Declaring first) {
        return inTransaction("Declaring the schedule '%s'".formatted(name), connection -> {
            Instant now = table.now(connection);
            if (table.insert(connection, name, terms, first.state(null, now), by)) {
                return true;
            }
            Locked locked = table.lock(connection, name).orElse(null);
            if (locked == null || locked.row().terms().equals(terms)) {
                return false;
            }
            ScheduleRow row = locked.row();
            require(
                    table.write(
                            connection, row.declared(terms, first.state(row, locked.now()), locked.now(), by)),
                    row);
            return true;
        });
    }

    @Override
    public Look look(Known known, Duration within) {
        return own.single(connection -> table.look(connection, known, within));
    }

    @Override
    public <T> List<T> changeDue(Known known, int limit, Function<Locked, @Nullable Changed<T>> change) {
        return inTransaction("Firing schedules", connection -> {
            List<T> values = new ArrayList<>();
            for (Locked locked : table.lockDue(connection, known, limit)) {
                Changed<T> changed = change.apply(locked);
                if (changed != null) {
                    values.add(changed.value());
                    write(connection, locked, changed);
                }
            }
            return values;
        });
    }

    @Override
    public <T> Optional<T> change(String name, Function<Locked, Changed<T>> change) {
        return inTransaction(
                "Changing the schedule '%s'".formatted(name),
                connection -> {
                    Locked locked = table.lock(connection, name).orElse(null);
                    if (locked == null) {
                        return Optional.empty();
                    }
                    Changed<T> changed = change.apply(locked);
                    write(connection, locked, changed);
                    return Optional.of(changed.value());
                });
    }

    private <T> void write(Connection connection, Locked locked, Changed<T> changed) throws SQLException {
        ScheduleRow row = locked.row();
        String by = changed.by();
        require(
                table.write(
                        connection,
                        by == null ? row.with(changed.state()) : row.changed(changed.state(), locked.now(), by)),
                row);
        table.add(connection, row.name(), changed.added());
        if (changed.removed() != null) {
            table.drop(connection, row.name(), changed.removed());
        }
    }

    private static void require(boolean written, ScheduleRow row) {
        if (!written) {
            throw new OptimisticLockingFailureException(
                    "The schedule '%s' changed after this node had read version %d. Nothing was changed."
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
