package io.sagaspring.lease;

import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores leases on PostgreSQL. An acquisition is committed in its own transaction. All other operations on a lease join
 * the caller's transaction if there is one on the same data source, with these consequences:
 *
 * <ul>
 *   <li>A state that was read does not change until the transaction ends, unless the transaction is read-only.
 *   <li>A release or a completion takes effect if and only if the transaction commits.
 * </ul>
 */
final class PostgresLeaseStore implements LeaseStore, RenewableRows {

    private final LeaseTable table;
    private final OwnTransactions own;
    private final CallersTransaction callers;

    PostgresLeaseStore(SagaSchema schema, OwnTransactions own, DataSource dataSource, Duration retention) {
        this.table = new LeaseTable(schema, retention);
        this.own = own;
        this.callers = new CallersTransaction(dataSource, own.guard());
    }

    @Override
    public Found acquire(LeaseName name, Attempt attempt) {
        while (true) {
            try {
                Optional<Found> found = own.repeatable(
                        () -> "Acquiring the lease on '%s'".formatted(name),
                        connection -> table.acquire(connection, name, attempt));
                if (found.isPresent()) {
                    return found.get();
                }
            } catch (LeaseTable.LockedException locked) {
                Optional<Found> current = own.single(connection -> table.find(connection, name));
                if (current.isPresent()) {
                    return guarded(current.get());
                }
            }
        }
    }

    private static Found guarded(Found current) {
        Duration remaining = current.remaining().isNegative() ? Duration.ZERO : current.remaining();
        return new Found(current.token(), current.attempt(), current.completion(), remaining);
    }

    @Override
    public Optional<Found> find(LeaseName name) {
        if (!callers.isActive()) {
            return own.single(connection -> table.find(connection, name));
        }
        boolean readOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
        return callers.run(
                "Guarding the lease on '%s'".formatted(name),
                connection -> readOnly ? table.find(connection, name) : table.findAndLock(connection, name));
    }

    @Override
    public boolean renew(LeaseName name, FencingToken token) {
        return joining(
                "Renewing the lease on '%s'".formatted(name), connection -> table.renew(connection, name, token));
    }

    @Override
    public boolean reattach(LeaseName name, FencingToken token, Duration ttl) {
        return joining(
                "Continuing the lease on '%s'".formatted(name),
                connection -> table.reattach(connection, name, token, ttl));
    }

    /**
     * Releases the lease, without repeating the statement after a lost reply. The result of a second call would not
     * show whether the lease was held. If the release did not take effect, the lease expires.
     */
    @Override
    public boolean release(LeaseName name, FencingToken token) {
        OwnTransactions.Work<Boolean> release = connection -> table.release(connection, name, token);
        return callers.isActive()
                ? callers.run("Releasing the lease on '%s'".formatted(name), release)
                : own.single(release);
    }

    @Override
    public boolean complete(LeaseName name, FencingToken token, Completion completion) {
        return joining(
                "Completing '%s'".formatted(name), connection -> table.complete(connection, name, token, completion));
    }

    @Override
    public int purge(int limit) {
        return own.single(connection -> table.purge(connection, limit));
    }

    @Override
    public RenewalStatements renewals() {
        return table.renewals();
    }

    private <T> T joining(String operation, OwnTransactions.Work<T> statement) {
        return callers.isActive() ? callers.run(operation, statement) : own.repeatable(() -> operation, statement);
    }
}
