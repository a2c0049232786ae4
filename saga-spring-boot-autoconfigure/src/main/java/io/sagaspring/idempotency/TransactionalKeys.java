package io.sagaspring.idempotency;

import io.sagaspring.fence.FencedTransaction;
import io.sagaspring.fence.ForeignCode;
import io.sagaspring.fence.JoinGuard;
import io.sagaspring.fence.OutOfStep;
import io.sagaspring.fence.TransactionPhase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Implements same-transaction keys: claim, work and reply are committed together, in the caller's transaction if there
 * is one. Other transactions do not see the claim before the commit. A duplicate waits for the lock on the row, and
 * then finds the reply or no row. Such a key needs no lease: its claim is not renewed, and no one can take it over.
 */
final class TransactionalKeys {

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String READ_ONLY = "25006";

    private final KeyStore store;
    private final DataSource dataSource;
    private final Supplier<PlatformTransactionManager> transactions;
    private final KeyTurns turns;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /**
     * Creates the operations on the same-transaction keys of a store.
     *
     * @param transactions the supplier of the transaction manager, called when a transaction is needed
     * @param waiters the number of callers of this node that may wait with a connection
     */
    TransactionalKeys(
            KeyStore store,
            DataSource dataSource,
            Supplier<PlatformTransactionManager> transactions,
            IntSupplier waiters) {
        this.store = store;
        this.dataSource = dataSource;
        this.transactions = transactions;
        this.turns = new KeyTurns(waiters);
    }

    /** The test that returns true if a result is a failure, and the function that converts a result to a reply. */
    record Options(Predicate<@Nullable Object> isFailure, Function<@Nullable Object, StoredReply> writer) {}

    /** The result of the work, or the stored reply of an earlier request. */
    record Outcome<T extends @Nullable Object>(
            @Nullable T result, @Nullable StoredReply replayed) {}

    <T extends @Nullable Object, E extends Exception> Outcome<T> execute(
            IdempotencyKey key, Options options, KeyedWork<T, E> work) throws E {
        if (FencedTransaction.isCurrent()) {
            throw new InsideStepException(key);
        }
        KeyTable.Slot slot = store.slot(key);
        // Join only a transaction on this data source. A transaction of another manager cannot commit the key.
        boolean joins = TransactionPhase.isActive() && TransactionSynchronizationManager.hasResource(dataSource);
        return joins ? inCallersTransaction(slot, options, work) : inNewTransaction(slot, options, work);
    }

    /**
     * Executes the work in a new transaction. The caller waits for other callers of this node before it takes a
     * connection.
     */
    private <T extends @Nullable Object, E extends Exception> Outcome<T> inNewTransaction(
            KeyTable.Slot slot, Options options, KeyedWork<T, E> work) throws E {
        KeyTurns.Turn turn = turns.take(slot.id(), store.transactionPatience());
        if (turn == null) {
            throw duplicate(slot, Duration.ZERO);
        }
        try {
            while (true) {
                try {
                    return once(slot, options, work);
                } catch (ClaimedMeanwhile again) {
                    // The next attempt has a new transaction, which sees the other claim.
                }
            }
        } finally {
            turns.release(turn);
        }
    }

    /**
     * Executes the work in the caller's transaction. The caller may hold locks, so it waits in the database, which
     * detects deadlocks.
     */
    private <T extends @Nullable Object, E extends Exception> Outcome<T> inCallersTransaction(
            KeyTable.Slot slot, Options options, KeyedWork<T, E> work) throws E {
        KeyTurns.Turn turn = turns.takeIfFree(slot.id());
        if (turn != null) {
            releaseAfterCompletion(turn);
        } else if (!turns.beginWaitWithConnection()) {
            throw duplicate(slot, Duration.ZERO);
        }
        try {
            return once(slot, options, work);
        } catch (ClaimedMeanwhile invisible) {
            throw duplicate(slot, Duration.ZERO);
        } finally {
            if (turn == null) {
                turns.endWaitWithConnection();
            }
        }
    }

    private void releaseAfterCompletion(KeyTurns.Turn turn) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            turns.release(turn);
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                turns.release(turn);
            }
        });
    }

    @SuppressWarnings("unchecked") // The work throws only E.
    private <T extends @Nullable Object, E extends Exception> Outcome<T> once(
            KeyTable.Slot slot, Options options, KeyedWork<T, E> work) throws E {
        ForeignCode code = new ForeignCode();
        try {
            return inTransaction(slot, options, work, code);
        } catch (RuntimeException | Error failed) {
            Throwable cause = code.cause(failed);
            if (cause == failed
                    && failed instanceof TransactionSystemException unfinished
                    && unfinished.getApplicationException() instanceof Error broken) {
                // One of the library's own statements caused the error. The connection was aborted, so nothing was
                // committed.
                broken.addSuppressed(unfinished);
                throw broken;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw (E) cause;
        }
    }

    private <T extends @Nullable Object, E extends Exception> Outcome<T> inTransaction(
            KeyTable.Slot slot, Options options, KeyedWork<T, E> work, ForeignCode code) {
        Outcome<T> outcome = TransactionPhase.template(transactions.get()).execute(status -> {
            KeyTable.Found found = claimed(slot);
            if (!found.mine()) {
                return replayed(found);
            }
            if (store.isOneTooMany(slot)) {
                status.setRollbackOnly();
                throw store.tooMany(slot.key());
            }
            Events events = new Events(slot, status.isNewTransaction());
            T result = code.run(status, () -> ForeignCode.connectionOf(dataSource), work::run);
            // Flush the entities now. This sets their versions and timestamps, which the reply must contain.
            status.flush();
            events.replyIsStored = end(found, options, result);
            return new Outcome<>(result, null);
        });
        return Objects.requireNonNull(outcome);
    }

    /**
     * Signals that another claim was committed, which this transaction cannot see, because the transaction's snapshot
     * is older. The work has not begun, so a new transaction can start over.
     */
    private static final class ClaimedMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ClaimedMeanwhile(Throwable cause) {
            super("The key was claimed in the meantime.", cause, false, false);
        }
    }

    /**
     * Publishes the events of a key. The last event waits for the end of the transaction, which may be the caller's.
     */
    private final class Events implements TransactionSynchronization {

        private final KeyTable.Slot slot;
        private final boolean own;
        private boolean replyIsStored;

        Events(KeyTable.Slot slot, boolean own) {
            this.slot = slot;
            this.own = own;
            store.publish(slot, KeyEvent.CLAIMED);
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(this);
            }
        }

        @Override
        public void afterCompletion(int status) {
            // Roll back only if the outcome is unknown. If Spring reports a rollback, Hibernate has already returned
            // its connection, and would take another one for a second rollback.
            if (status == STATUS_UNKNOWN && own) {
                ForeignCode.rollBack(dataSource);
            }
            if (status != STATUS_UNKNOWN) {
                store.publish(slot, replyIsStored && status == STATUS_COMMITTED ? KeyEvent.COMPLETED : KeyEvent.FREED);
            }
        }
    }

    private KeyTable.Found claimed(KeyTable.Slot slot) {
        UUID attempt = UUID.randomUUID();
        Duration patience = turns.beginClaim(store.transactionPatience());
        try {
            return onConnection(slot.key(), connection -> claimed(connection, slot, attempt, patience));
        } finally {
            turns.endClaim();
        }
    }

    private KeyTable.Found claimed(Connection connection, KeyTable.Slot slot, UUID attempt, Duration patience)
            throws SQLException {
        while (true) {
            Optional<KeyTable.Found> found;
            try {
                found = store.claim(connection, slot, attempt, patience);
            } catch (KeyTable.LockedException locked) {
                throw duplicate(slot, Duration.ZERO);
            } catch (SQLException failed) {
                if (SERIALIZATION_FAILURE.equals(failed.getSQLState())) {
                    throw new ClaimedMeanwhile(failed);
                }
                throw failed;
            }
            if (found.isPresent()) {
                return found.get();
            }
        }
    }

    private <T extends @Nullable Object> Outcome<T> replayed(KeyTable.Found found) {
        return store.earlierReply(found)
                .map(reply -> new Outcome<T>(null, reply))
                .orElseThrow(() -> duplicate(found.slot(), found.leaseLeft()));
    }

    private DuplicateRequestException duplicate(KeyTable.Slot slot, Duration leaseLeft) {
        store.publish(slot, KeyEvent.DUPLICATE);
        return DuplicateRequestException.of(slot.key(), leaseLeft);
    }

    /** Stores the reply, or releases the key after a failure. Returns true if the reply is stored. */
    private boolean end(KeyTable.Found found, Options options, @Nullable Object result) {
        boolean failed = options.isFailure().test(result);
        StoredReply reply = failed ? null : options.writer().apply(result);
        IdempotencyKey key = found.slot().key();
        boolean ended = onConnection(key, connection -> store.end(connection, found, reply));
        if (!ended) {
            store.publish(found.slot(), KeyEvent.SUPERSEDED);
            throw new SupersededException(key);
        }
        return reply != null;
    }

    private interface Statements<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T onConnection(IdempotencyKey key, Statements<T> statements) {
        // Check first whether the transaction has a connection. If the transaction has none, the next line opens a
        // connection in auto-commit mode.
        boolean bound = TransactionSynchronizationManager.hasResource(dataSource);
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (!bound || connection.getAutoCommit()) {
                throw new IllegalStateException(
                        "The %s must be committed with its work, but the transaction is not on the data source that has Saga's tables. Use two commits, which is the default, or a transaction manager for that data source. If no transaction is active, Saga begins one with %s."
                                .formatted(key, transactions.get().getClass().getName()));
            }
            String elsewhere = OutOfStep.<@Nullable String>guarded(connection, store.guard()::tenantElsewhere);
            if (elsewhere != null) {
                throw JoinGuard.refusal("The " + key, elsewhere);
            }
            return OutOfStep.guarded(connection, statements::on);
        } catch (SQLException failed) {
            if (READ_ONLY.equals(failed.getSQLState())) {
                throw new IllegalStateException(
                        "The %s must be committed with its work, but the transaction is read-only. Begin a transaction that can write."
                                .formatted(key),
                        failed);
            }
            throw Objects.requireNonNullElseGet(
                    translator.translate("A statement for the %s failed".formatted(key), null, failed),
                    () -> new UncategorizedSQLException("A statement for the %s failed".formatted(key), null, failed));
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
