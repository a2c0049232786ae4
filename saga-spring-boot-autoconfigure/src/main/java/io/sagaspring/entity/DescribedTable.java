package io.sagaspring.entity;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;

/** The table of an entity that JPA does not map and the application describes. */
final class DescribedTable extends EntityTable {

    /** The exception with which jOOQ reports that another transaction has changed a record. */
    private static final String OF_JOOQ = "org.jooq.exception.DataChangedException";

    private final ClaimTable<?> described;
    private final JdbcTransactions transactions;

    DescribedTable(
            TableParts parts, ClaimTable<?> described, JdbcTransactions transactions, @Nullable TableLocation located) {
        super(parts, located);
        this.described = described;
        this.transactions = transactions;
    }

    @Override
    EntityTable at(TableParts parts, TableLocation located) {
        return new DescribedTable(parts, described, transactions, located);
    }

    @Override
    public boolean hasOtherStatus(EntityTable other) {
        return !columns().hasStatusOf(other.columns());
    }

    ClaimTable<?> described() {
        return described;
    }

    JdbcTransactions transactions() {
        return transactions;
    }

    /** Does nothing, because a thread keeps no entities that JPA does not map. */
    @Override
    public void clearThreadContext() {}

    @Override
    public <T extends @Nullable Object> T foreign(String name, Function<ForeignTransaction, T> work) {
        return transactions.foreign(name, status -> work.apply(new DescribedTransaction(this, status)));
    }

    @Override
    public void outsideTransaction(Object id, EntityWork work) throws Exception {
        work.on(described.load(id));
    }

    /**
     * Compares the row with the row that the step has seen, because an optimistic-locking failure outside JPA does not
     * name its entity.
     */
    @Override
    public boolean isEdited(Object id, @Nullable EntityRow seen, Throwable failure) {
        return isOptimistic(failure)
                && (seen == null || !read(id).filter(seen::equals).isPresent());
    }

    private static boolean isOptimistic(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 50; depth++, cause = cause.getCause()) {
            if (cause instanceof OptimisticLockingFailureException
                    || cause.getClass().getName().equals(OF_JOOQ)) {
                return true;
            }
        }
        return false;
    }

    /** Does nothing, because entities that JPA does not map are not cached. */
    @Override
    public void forgetCached(Object key) {}
}
