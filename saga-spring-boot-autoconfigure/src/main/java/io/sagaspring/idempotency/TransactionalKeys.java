package io.sagaspring.idempotency;

import io.sagaspring.fence.FencedTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Claim, work and reply in one commit, the caller's if there is one. Nobody sees the claim before that: a duplicate waits
 * for the row, and then finds the reply or nothing at all. There is no lease, and nothing to take over.
 */
public final class TransactionalKeys {

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String READ_ONLY = "25006";

    private final KeyStore store;
    private final DataSource dataSource;
    private final Supplier<PlatformTransactionManager> transactions;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /**
     * Keys in the transactions of this manager.
     *
     * @param store where they are kept
     * @param dataSource that of the store
     * @param transactions begins transactions on it; asked for when the first is needed
     */
    public TransactionalKeys(KeyStore store, DataSource dataSource, Supplier<PlatformTransactionManager> transactions) {
        this.store = store;
        this.dataSource = dataSource;
        this.transactions = transactions;
    }

    /** What the work is to be judged and stored by. */
    record Terms(Predicate<@Nullable Object> isFailure, Function<@Nullable Object, Reply> written) {}

    /** Either the work's own result or the reply of an earlier request. */
    record Outcome<T extends @Nullable Object>(
            @Nullable T result, @Nullable Reply replayed) {}

    @SuppressWarnings("unchecked") // The work throws nothing else.
    <T extends @Nullable Object, E extends Exception> Outcome<T> execute(
            IdempotencyKey key, Terms terms, Work<T, E> work) throws E {
        if (FencedTransaction.isCurrent()) {
            throw new InsideStepException(key);
        }
        // Not by any transaction: one of another manager is none that the key could be committed with.
        boolean joins = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource);
        while (true) {
            try {
                return once(key, terms, work);
            } catch (WorkThrew failed) {
                throw (E) Objects.requireNonNull(failed.getCause());
            } catch (ClaimedMeanwhile again) {
                if (joins) {
                    throw duplicate(key, Duration.ZERO);
                }
            }
        }
    }

    private <T extends @Nullable Object, E extends Exception> Outcome<T> once(
            IdempotencyKey key, Terms terms, Work<T, E> work) {
        Outcome<T> outcome = new TransactionTemplate(transactions.get()).execute(status -> {
            KeyTable.Found found = claimed(key);
            if (!found.mine()) {
                return replayed(key, found);
            }
            Told told = new Told(key);
            T result;
            try {
                result = work.run();
            } catch (Error broken) {
                status.setRollbackOnly();
                throw broken;
            } catch (Exception thrown) {
                // Whoever catches it further out must not commit a claim without a reply.
                status.setRollbackOnly();
                throw new WorkThrew(thrown);
            }
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
        private boolean replyIsStored;

        Told(IdempotencyKey key) {
            this.key = key;
            store.tell(key, KeyEvent.CLAIMED);
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(this);
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status != STATUS_UNKNOWN) {
                store.tell(key, replyIsStored && status == STATUS_COMMITTED ? KeyEvent.COMPLETED : KeyEvent.FREED);
            }
        }
    }

    /** Rolls back, whatever was thrown: what the work has written goes with its claim. */
    private static final class WorkThrew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WorkThrew(Exception cause) {
            super("The work threw.", cause, false, false);
        }
    }

    private KeyTable.Found claimed(IdempotencyKey key) {
        KeyTable.Slot slot = new KeyTable.Slot(key);
        UUID attempt = UUID.randomUUID();
        return onConnection(key, connection -> {
            while (true) {
                Optional<KeyTable.Found> found;
                try {
                    found = store.table()
                            .claim(connection, slot, attempt, store.settings().transactionPatience());
                } catch (KeyTable.LockedException locked) {
                    throw duplicate(key, Duration.ZERO);
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
        });
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
        Reply reply = failed ? null : terms.written().apply(result);
        boolean ended = onConnection(
                key,
                connection -> reply == null
                        ? store.table().delete(connection, found)
                        : store.table().complete(connection, found, reply));
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
            return statements.on(connection);
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
