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
 * Leases on PostgreSQL. To acquire is a commit of its own. Everything else takes part in the transaction of its caller, where
 * there is one on the same data source: what is looked at stays so until it ends, and a name is given up, or at its end, when
 * and only when what was done under it is committed.
 */
final class PostgresLeaseStore implements LeaseStore, RenewableRows {

    private final LeaseTable table;
    private final OwnTransactions own;
    private final CallersTransaction callers;

    PostgresLeaseStore(SagaSchema schema, OwnTransactions own, DataSource dataSource, Duration retention) {
        this.table = new LeaseTable(schema, retention);
        this.own = own;
        this.callers = new CallersTransaction(dataSource);
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
                Optional<Found> seen = own.single(connection -> table.look(connection, name));
                if (seen.isPresent()) {
                    return stillGuarded(seen.get());
                }
            }
        }
    }

    private static Found stillGuarded(Found seen) {
        Duration left = seen.left().isNegative() ? Duration.ZERO : seen.left();
        return new Found(seen.token(), seen.attempt(), seen.completion(), left);
    }

    @Override
    public Optional<Found> look(LeaseName name) {
        if (!callers.isActive()) {
            return own.single(connection -> table.look(connection, name));
        }
        boolean writesNothing = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
        return callers.run(
                "Guarding the lease on '%s'".formatted(name),
                connection -> writesNothing ? table.look(connection, name) : table.lookAndLock(connection, name));
    }

    @Override
    public boolean renew(LeaseName name, FencingToken token) {
        return joining(
                "Renewing the lease on '%s'".formatted(name), connection -> table.renew(connection, name, token));
    }

    @Override
    public boolean reattach(LeaseName name, FencingToken token, Duration ttl) {
        return joining(
                "Taking up again the lease on '%s'".formatted(name),
                connection -> table.reattach(connection, name, token, ttl));
    }

    /** Not repeated after a lost answer: whether it was held would not be known. Its time runs out. */
    @Override
    public boolean release(LeaseName name, FencingToken token) {
        OwnTransactions.Work<Boolean> release = connection -> table.release(connection, name, token);
        return callers.isActive()
                ? callers.run("Giving up the lease on '%s'".formatted(name), release)
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
        return table.held();
    }

    private <T> T joining(String what, OwnTransactions.Work<T> statement) {
        return callers.isActive() ? callers.run(what, statement) : own.repeatable(() -> what, statement);
    }
}
