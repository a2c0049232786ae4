package io.sagaspring.idempotency;

import io.sagaspring.fence.FencedTransaction;
import io.sagaspring.fence.ForeignCode;
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
 * Claim, work and reply in one commit, the caller's if there is one. Nobody sees the claim before that: a duplicate waits
 * for the row, and then finds the reply or nothing at all. There is no lease, and nothing to take over.
 */
final class TransactionalKeys {

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String READ_ONLY = "25006";

    private final KeyStore store;
    private final DataSource dataSource;
    private final Supplier<PlatformTransactionManager> transactions;
    private final KeyTurns turns;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /** The manager is asked for when the first transaction is needed; so many callers of this node may wait with a connection. */
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

    /** What the work is to be judged and stored by. */
    record Terms(Predicate<@Nullable Object> isFailure, Function<@Nullable Object, StoredReply> written) {}

    /** Either the work's own result or the reply of an earlier request. */
    record Outcome<T extends @Nullable Object>(
            @Nullable T result, @Nullable StoredReply replayed) {}

    <T extends @Nullable Object, E extends Exception> Outcome<T> execute(
            IdempotencyKey key, Terms terms, KeyedWork<T, E> work) throws E {
        if (FencedTransaction.isCurrent()) {
            throw new InsideStepException(key);
        }
        KeyTable.Slot slot = new KeyTable.Slot(key);
        // Not by any transaction: one of another manager is none that the key could be committed with.
        boolean joins = TransactionPhase.isActive() && TransactionSynchronizationManager.hasResource(dataSource);
        return joins ? joining(slot, terms, work) : inItsOwn(slot, terms, work);
    }

    /** A caller that waits for another one of this node has no connection yet. */
    private <T extends @Nullable Object, E extends Exception> Outcome<T> inItsOwn(
            KeyTable.Slot slot, Terms terms, KeyedWork<T, E> work) throws E {
        KeyTurns.Turn turn = turns.take(slot.id(), store.transactionPatience());
        if (turn == null) {
            throw duplicate(slot.key(), Duration.ZERO);
        }
        try {
            while (true) {
                try {
                    return once(slot, terms, work);
                } catch (ClaimedMeanwhile again) {
                    // In a new transaction, which sees it.
                }
            }
        } finally {
            turns.release(turn);
        }
    }

    /** The caller has a connection, and perhaps locks: it waits where the database sees a deadlock. */
    private <T extends @Nullable Object, E extends Exception> Outcome<T> joining(
            KeyTable.Slot slot, Terms terms, KeyedWork<T, E> work) throws E {
        KeyTurns.Turn turn = turns.takeIfFree(slot.id());
        if (turn != null) {
            releaseAfterCompletion(turn);
        } else if (!turns.mayWaitWithConnection()) {
            throw duplicate(slot.key(), Duration.ZERO);
        }
        try {
            return once(slot, terms, work);
        } catch (ClaimedMeanwhile tooNew) {
            throw duplicate(slot.key(), Duration.ZERO);
        } finally {
            if (turn == null) {
                turns.waitsNoLonger();
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

    @SuppressWarnings("unchecked") // The work throws nothing else.
    private <T extends @Nullable Object, E extends Exception> Outcome<T> once(
            KeyTable.Slot slot, Terms terms, KeyedWork<T, E> work) throws E {
        ForeignCode code = new ForeignCode();
        try {
            return inTransaction(slot, terms, work, code);
        } catch (RuntimeException | Error failed) {
            Throwable cause = code.cause(failed);
            if (cause == failed
                    && failed instanceof TransactionSystemException unfinished
                    && unfinished.getApplicationException() instanceof Error broken) {
                // In a statement of ours. Its connection was aborted, and nothing was kept.
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
            KeyTable.Slot slot, Terms terms, KeyedWork<T, E> work, ForeignCode code) {
        IdempotencyKey key = slot.key();
        Outcome<T> outcome = TransactionPhase.template(transactions.get()).execute(status -> {
            KeyTable.Found found = claimed(slot);
            if (!found.mine()) {
                return replayed(key, found);
            }
            if (store.isOneTooMany(key)) {
                status.setRollbackOnly();
                throw store.tooMany(key);
            }
            Told told = new Told(key, status.isNewTransaction());
            T result = code.run(status, () -> ForeignCode.connectionOf(dataSource), work::run);
            // The reply is what will be there: versions and times are set when entities are written.
            status.flush();
            told.replyIsStored = end(key, found, terms, result);
            return new Outcome<>(result, null);
        });
        return Objects.requireNonNull(outcome);
    }

    /** In a transaction that sees nothing newer than itself: it has to begin again, and nothing was done in it. */
    private static final class ClaimedMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ClaimedMeanwhile(Throwable cause) {
            super("The key was claimed meanwhile.", cause, false, false);
        }
    }

    /** Tells what has become of the key when it has: the transaction may be the caller's, who decides later. */
    private final class Told implements TransactionSynchronization {

        private final IdempotencyKey key;
        private final boolean own;
        private boolean replyIsStored;

        Told(IdempotencyKey key, boolean own) {
            this.key = key;
            this.own = own;
            store.tell(key, KeyEvent.CLAIMED);
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(this);
            }
        }

        @Override
        public void afterCompletion(int status) {
            // Not where it was rolled back: Hibernate has given its connection back, and would take another one.
            if (status == STATUS_UNKNOWN && own) {
                ForeignCode.rollBack(dataSource);
            }
            if (status != STATUS_UNKNOWN) {
                store.tell(key, replyIsStored && status == STATUS_COMMITTED ? KeyEvent.COMPLETED : KeyEvent.FREED);
            }
        }
    }

    private KeyTable.Found claimed(KeyTable.Slot slot) {
        UUID attempt = UUID.randomUUID();
        Duration patience = turns.claims(store.transactionPatience());
        try {
            return onConnection(slot.key(), connection -> claimed(connection, slot, attempt, patience));
        } finally {
            turns.claimed();
        }
    }

    private KeyTable.Found claimed(Connection connection, KeyTable.Slot slot, UUID attempt, Duration patience)
            throws SQLException {
        while (true) {
            Optional<KeyTable.Found> found;
            try {
                found = store.claim(connection, slot, attempt, patience);
            } catch (KeyTable.LockedException locked) {
                throw duplicate(slot.key(), Duration.ZERO);
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

    private <T extends @Nullable Object> Outcome<T> replayed(IdempotencyKey key, KeyTable.Found found) {
        return store.earlierReply(key, found)
                .map(reply -> new Outcome<T>(null, reply))
                .orElseThrow(() -> duplicate(key, found.leaseLeft()));
    }

    private DuplicateRequestException duplicate(IdempotencyKey key, Duration leaseLeft) {
        store.tell(key, KeyEvent.DUPLICATE);
        return DuplicateRequestException.of(key, leaseLeft);
    }

    /** Returns whether a reply is stored, and not the key given up. */
    private boolean end(IdempotencyKey key, KeyTable.Found found, Terms terms, @Nullable Object result) {
        boolean failed = terms.isFailure().test(result);
        StoredReply reply = failed ? null : terms.written().apply(result);
        boolean ended = onConnection(key, connection -> store.end(connection, found, reply));
        if (!ended) {
            store.tell(key, KeyEvent.SUPERSEDED);
            throw new SupersededException(key);
        }
        return reply != null;
    }

    private interface Statements<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T onConnection(IdempotencyKey key, Statements<T> statements) {
        // Asked for first: where there is no transaction's connection, one would be opened that commits by itself.
        boolean bound = TransactionSynchronizationManager.hasResource(dataSource);
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (!bound || connection.getAutoCommit()) {
                throw new IllegalStateException(
                        "The %s is to be committed with its work, but the transaction is not one of the data source that holds saga's tables. Use two commits, which is the default, or a transaction manager for that data source (%s is used where none is active)."
                                .formatted(key, transactions.get().getClass().getName()));
            }
            return OutOfStep.guarded(connection, statements::on);
        } catch (SQLException failed) {
            if (READ_ONLY.equals(failed.getSQLState())) {
                throw new IllegalStateException(
                        "The %s is to be committed with its work, but the transaction is read-only. Begin one that may write."
                                .formatted(key),
                        failed);
            }
            throw Objects.requireNonNullElseGet(
                    translator.translate("a statement about the " + key, null, failed),
                    () -> new UncategorizedSQLException("a statement about the " + key, null, failed));
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
