package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.OwnTransactions.Decided;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Claims entities and ends claims. Each of its methods is one commit of its own:
 *
 * <ol>
 *   <li>{@link #tryClaim} flips the entity from the state's revert-to into the claim state, unless another caller was
 *       faster, and writes the ledger's row.
 *   <li>{@link #complete} flips it on, {@link #release} flips it back; both remove the row by the claim's token, and change
 *       nothing where that claim was taken away.
 * </ol>
 *
 * <p>Workflows use it for their steps. A module that drives its own states declares them as {@link ClaimState} beans, and
 * keeps the time between claim and completion shorter than {@code saga.janitor.stuck-after}: nothing renews such a claim.
 */
public final class ClaimService {

    private static final Logger logger = LoggerFactory.getLogger(ClaimService.class);

    private final ClaimLedger ledger;
    private final DeclaredClaimStates states;

    /**
     * A service over this ledger.
     *
     * @param ledger the statements
     * @param states what may be claimed
     */
    public ClaimService(ClaimLedger ledger, DeclaredClaimStates states) {
        this.ledger = ledger;
        this.states = states;
    }

    /**
     * Claims an entity. The claim is committed when this returns.
     *
     * @param state what to claim
     * @param id the entity
     * @param requester on whose behalf, as it shows to people
     * @return whether the caller has it
     */
    public ClaimAttempt tryClaim(ClaimState state, Object id, String requester) {
        return tryClaim(state, id, requester, OptionalLong.empty());
    }

    /**
     * Claims an entity of a certain version. The claim is committed when this returns.
     *
     * @param state what to claim
     * @param id the entity
     * @param requester on whose behalf, as it shows to people
     * @param expected the version it must have
     * @return whether the caller has it
     */
    public ClaimAttempt tryClaim(ClaimState state, Object id, String requester, OptionalLong expected) {
        requireNoTransaction();
        EntityTable table = states.tableOf(state);
        Object key = table.id(id);
        ClaimAttempt attempt = ledger.claim(table, key, state, requester, expected);
        table.forgetCached(key);
        return attempt;
    }

    /**
     * Ends a claim with success.
     *
     * @param claim the claim
     * @param status where the entity goes
     * @return how it ended
     */
    public Ending complete(Claim claim, String status) {
        return end(claim, status);
    }

    /**
     * Gives a claim back: the entity returns to where it was claimed from.
     *
     * @param claim the claim
     * @return how it ended
     */
    public Ending release(Claim claim) {
        return end(claim, claim.state().revertTo());
    }

    /**
     * What is claimed at this moment, longest first.
     *
     * @param limit how many at most
     * @return the ledger's rows
     */
    public List<ClaimedRow> list(int limit) {
        return states.tables()
                .findFirst()
                .map(table ->
                        table.unit().own().single(connection -> ledger.rows().all(connection, limit)))
                .orElseGet(List::of);
    }

    private Ending end(Claim claim, String status) {
        requireNoTransaction();
        EntityTable table = states.tableOf(claim.state());
        Ending ending =
                table.unit().own().decided("Ending " + claim, connection -> end(connection, table, claim, status));
        table.forgetCached(claim.id());
        if (ending == Ending.MOVED) {
            logger.warn(
                    "{}: its status was moved by other code while it was claimed. It stays as it is; the claim is over",
                    claim);
        }
        return ending;
    }

    private Decided<Ending> end(Connection connection, EntityTable table, Claim claim, String status)
            throws SQLException {
        Held held = claim.held();
        // The ledger's row first: only who holds that may touch the entity.
        Optional<String> transaction = ledger.remove(connection, held);
        if (transaction.isEmpty()) {
            return new Decided<>(Ending.TAKEN, null);
        }
        Optional<EntityRow> found = table.lock(connection, claim.id());
        boolean moved = found.isEmpty()
                || !found.get().status().equals(claim.state().into())
                || table.flipLocked(connection, claim.id(), claim.state().into(), status)
                        .isEmpty();
        return new Decided<>(moved ? Ending.MOVED : Ending.DONE, transaction.get());
    }

    private static void requireNoTransaction() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new ActiveTransactionException();
        }
    }
}
