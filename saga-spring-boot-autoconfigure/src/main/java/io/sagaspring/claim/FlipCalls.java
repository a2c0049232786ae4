package io.sagaspring.claim;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.ForeignCode;
import io.sagaspring.fence.LentConnection;
import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** Calls the listeners in one transaction that flips an entity. */
final class FlipCalls {

    private static final Sql NUMBER =
            Sql.named("claim.transaction", "SELECT pg_catalog.pg_current_xact_id()::text AS number");

    /** The SQLState with which the server refuses statements in a transaction that has failed. */
    private static final String FAILED_TRANSACTION = "25P02";

    private final List<FlipListener> listeners;
    private final ForeignCode code = new ForeignCode();

    FlipCalls(List<FlipListener> listeners) {
        this.listeners = listeners;
    }

    void claimed(Connection connection, EntityTable table, Claim claim) {
        ClaimState state = claim.state();
        call(
                connection,
                new Flip(
                        Flip.Kind.CLAIMED,
                        claim.entity(),
                        table.entity(),
                        claim.id(),
                        state.revertTo(),
                        state.into(),
                        claim.version(),
                        claim.requester()));
    }

    void ended(Connection connection, EntityTable table, Claim claim, Flip.Kind kind, String status, long version) {
        call(
                connection,
                new Flip(
                        kind,
                        claim.entity(),
                        table.entity(),
                        claim.id(),
                        claim.state().into(),
                        status,
                        version,
                        claim.requester()));
    }

    void reverted(Connection connection, EntityTable table, Object id, ClaimedRow row, long version) {
        call(
                connection,
                new Flip(
                        Flip.Kind.REVERTED,
                        row.entity(),
                        table.entity(),
                        id,
                        row.claimState(),
                        row.revertTo(),
                        version,
                        row.requester()));
    }

    /**
     * Calls the listeners of a step's own flip. Always returns true, because {@link FlipListeners#attempted} needs a
     * result.
     */
    boolean completed(Connection connection, Flip flip) {
        call(connection, flip);
        return true;
    }

    private void call(Connection connection, Flip flip) {
        if (listeners.isEmpty()) {
            return;
        }
        boolean unused = code.run(new SimpleTransactionStatus(), () -> connection, () -> {
            String transaction = numberOn(connection);
            boolean called = LentConnection.during(connection, lent -> {
                for (FlipListener listener : listeners) {
                    listener.flipped(flip, lent);
                }
                return true;
            });
            requireSame(transaction, connection);
            return called;
        });
    }

    private static String numberOn(Connection connection) throws SQLException {
        return NUMBER.on(connection).first(row -> row.text("number")).orElseThrow();
    }

    /**
     * Requires that the transaction is still the same, and that none of its statements has failed. The server turns the
     * commit of a failed transaction into a rollback, and the driver reports a success. A listener can also end the
     * transaction with a statement. In both cases the owner could believe that it has a claim, although the claim does
     * not exist.
     */
    private static void requireSame(String transaction, Connection connection) throws SQLException {
        try {
            if (!numberOn(connection).equals(transaction)) {
                throw new IllegalStateException(
                        "A FlipListener ended the transaction of a flip, so it is unknown whether the flip took place. Let the library end the transaction.");
            }
        } catch (SQLException failed) {
            if (!FAILED_TRANSACTION.equals(failed.getSQLState())) {
                throw failed;
            }
            throw new IllegalStateException(
                    "A FlipListener caught the exception of a failed statement, so the flip was rolled back. Let the exception propagate, or roll back to a savepoint.",
                    failed);
        }
    }

    /** Returns the exception of a listener, or the given one if no listener threw any. */
    Throwable cause(Throwable failed) {
        return code.cause(failed);
    }
}
