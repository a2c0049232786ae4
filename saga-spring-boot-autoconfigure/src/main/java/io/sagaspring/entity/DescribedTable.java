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

    /** The thread holds no entities of this kind. */
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

    /** Such a failure does not name its entity. The row shows whether another transaction has changed the entity. */
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

    /** There is no cache. */
    @Override
    public void forgetCached(Object key) {}
}
