package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions.Decided;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * keeps the time between claim and completion shorter than {@code saga.janitor.stuck-after}, or has the claim renewed by
 * {@link #keep}.
 *
 * @since 0.1.0
 */
public final class ClaimService {

    private static final Logger logger = LoggerFactory.getLogger(ClaimService.class);

    private final ClaimLedger ledger;
    private final DeclaredClaimStates states;
    private final Keeper keeper;
    private final Function<String, Duration> windows;
    private final Duration maximum;

    /**
     * A service over this ledger.
     *
     * @param ledger the statements
     * @param states what may be claimed
     * @param keeper renews claims that are kept
     * @param windows the silence after which a module's janitor may take a claim
     * @param maximum the time for which a claim is kept at most
     */
    public ClaimService(
            ClaimLedger ledger,
            DeclaredClaimStates states,
            Keeper keeper,
            Function<String, Duration> windows,
            Duration maximum) {
        this.ledger = ledger;
        this.states = states;
        this.keeper = keeper;
        this.windows = windows;
        this.maximum = maximum;
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
        ClaimLedger.requireNoTransaction();
        EntityTable table = states.tableOf(state);
        return ledger.claim(table, table.stored(table.id(id)), state, requester, expected);
    }

    /**
     * Keeps a claim alive until the hold is closed, up to {@code saga.claims.max-duration}. Call it directly after the claim
     * was granted, and run the work in {@link Hold#during}: it is interrupted when the claim is lost, when it lasts too long
     * and when the node closes. An interrupt decides nothing. The token does: complete or release the claim afterwards, and
     * {@link ClaimEnd#TAKEN} tells that another owner decides.
     *
     * @param claim the claim
     * @return the hold, to be closed when the claim has ended
     */
    public Hold keep(Claim claim) {
        return keep(claim, keeper.now());
    }

    /**
     * Keeps a claim alive as {@link #keep(Claim)} does, from a time before it was granted: no time of it is overlooked.
     *
     * @param claim the claim
     * @param since what {@link #now()} returned before the claim
     * @return the hold, to be closed when the claim has ended
     */
    public Hold keep(Claim claim, Duration since) {
        return keeper.keep(ledger, claim.held(), windows.apply(claim.state().module()), maximum, since);
    }

    /**
     * Reads the clock by which claims are kept.
     *
     * @return the time since some moment in the past
     */
    public Duration now() {
        return keeper.now();
    }

    /**
     * Tells whether an entity in this status is claimed.
     *
     * @param table the entity's table
     * @param status the status's name
     * @return whether it is a claim state of the table
     */
    public boolean isClaimState(EntityTable table, String status) {
        return states.namesOn(table).contains(status);
    }

    /**
     * Ends a claim with success.
     *
     * @param claim the claim
     * @param status where the entity goes
     * @return how it ended
     */
    public ClaimEnd complete(Claim claim, String status) {
        return end(claim, status);
    }

    /**
     * Gives a claim back: the entity returns to where it was claimed from.
     *
     * @param claim the claim
     * @return how it ended
     */
    public ClaimEnd release(Claim claim) {
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
                .map(table -> table.own().single(connection -> ledger.rows().all(connection, limit)))
                .orElseGet(List::of);
    }

    private ClaimEnd end(Claim claim, String status) {
        ClaimLedger.requireNoTransaction();
        EntityTable table = states.tableOf(claim.state());
        ClaimEnd ending =
                table.decided("Ending " + claim, claim.id(), connection -> end(connection, table, claim, status));
        if (ending == ClaimEnd.MOVED) {
            logger.warn(
                    "{}: its status was moved by other code while it was claimed. It stays as it is; the claim is over",
                    claim);
        }
        return ending;
    }

    private Decided<ClaimEnd> end(Connection connection, EntityTable table, Claim claim, String status)
            throws SQLException {
        HeldLease held = claim.held();
        // The ledger's row first: only who holds that may touch the entity.
        Optional<String> transaction = ledger.remove(connection, held);
        if (transaction.isEmpty()) {
            return new Decided<>(ClaimEnd.TAKEN, null);
        }
        Optional<EntityRow> found = table.lock(connection, claim.id());
        boolean moved = found.isEmpty()
                || !found.get().status().equals(claim.state().into())
                || table.flipLocked(connection, claim.id(), claim.state().into(), status)
                        .isEmpty();
        return new Decided<>(moved ? ClaimEnd.MOVED : ClaimEnd.DONE, transaction.get());
    }
}
