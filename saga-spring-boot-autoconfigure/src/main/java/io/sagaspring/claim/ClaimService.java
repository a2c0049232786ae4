package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.OwnTransactions.Decided;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.jdbc.TimePlace;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service that claims entities and ends claims. {@link #tryClaim}, {@link #complete} and {@link #release} each make
 * one separate commit:
 *
 * <ol>
 *   <li>{@link #tryClaim} flips the entity from {@code revertTo} into the claim state, unless another caller was
 *       faster, and writes the ledger's row.
 *   <li>{@link #complete} flips the entity to its next status, and {@link #release} flips it back. Both remove the row
 *       by the claim's token. They have no effect if the claim was lost.
 * </ol>
 *
 * <p>Workflows use this service for their steps. A module that claims its entities without a workflow declares its
 * claim states as {@link ClaimState} beans. Such a module must end a claim within {@code saga.janitor.stuck-after}, or
 * have the claim renewed by {@link #keep}.
 *
 * @since 0.1.0
 */
public final class ClaimService {

    private static final Logger logger = LoggerFactory.getLogger(ClaimService.class);

    private final ClaimLedger ledger;
    private final DeclaredClaimStates states;
    private final Keeper keeper;
    private final Function<String, Duration> stuckAfter;
    private final Duration maximum;

    /**
     * Creates the service.
     *
     * @param ledger the ledger of the claims
     * @param states the declared claim states
     * @param keeper the heartbeat keeper, which renews claims
     * @param stuckAfter the function that returns, for a module, the time without a heartbeat after which the janitor
     *     reverts a claim
     * @param maximum the maximum time for which a claim is renewed
     */
    public ClaimService(
            ClaimLedger ledger,
            DeclaredClaimStates states,
            Keeper keeper,
            Function<String, Duration> stuckAfter,
            Duration maximum) {
        this.ledger = ledger;
        this.states = states;
        this.keeper = keeper;
        this.stuckAfter = stuckAfter;
        this.maximum = maximum;
    }

    /**
     * Claims an entity. The claim is committed when this method returns.
     *
     * @param state the claim state to claim
     * @param id the entity's id
     * @param requester the requester on whose behalf the entity is claimed, for display only
     * @return the claim, or the reason for the refusal
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     */
    public ClaimAttempt tryClaim(ClaimState state, Object id, String requester) {
        return tryClaim(state, id, requester, OptionalLong.empty());
    }

    /**
     * Claims an entity if it has the expected version. The claim is committed when this method returns.
     *
     * @param state the claim state to claim
     * @param id the entity's id
     * @param requester the requester on whose behalf the entity is claimed, for display only
     * @param expected the version that the entity must have, or empty to accept any version
     * @return the claim, or the reason for the refusal
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     */
    public ClaimAttempt tryClaim(ClaimState state, Object id, String requester, OptionalLong expected) {
        ClaimLedger.requireNoTransaction();
        EntityTable table = states.tableOf(state);
        return ledger.claim(table, table.rowId(id), state, requester, expected);
    }

    /**
     * Renews a claim until the hold is closed, for at most {@code saga.claims.max-duration}. Call this method directly
     * after the claim was granted, and run the work in {@link Hold#during}. The work is interrupted when the claim is
     * lost, when the work takes too long and when the node shuts down.
     *
     * <p>After an interrupt, the caller may still own the claim. Complete or release the claim to find out: {@link
     * ClaimEnd#TAKEN} means that the claim was lost.
     *
     * @param claim the claim
     * @return the hold, which the caller closes when the claim has ended
     */
    public Hold keep(Claim claim) {
        return keep(claim, keeper.now());
    }

    /**
     * Renews a claim like {@link #keep(Claim)}. The claim's age counts from a time before the claim, so that it is
     * never underestimated.
     *
     * @param claim the claim
     * @param since the result of {@link #now()} before the claim
     * @return the hold, which the caller closes when the claim has ended
     */
    public Hold keep(Claim claim, Duration since) {
        return ledger.tenants().in(claim.tenant(), () -> keep(claim, states.tableOf(claim.state()), since));
    }

    /**
     * Renews a claim like {@link #keep(Claim, Duration)}, for a caller that has the table of the entity. Call this
     * method in the context of the claim's tenant.
     *
     * @param claim the claim
     * @param table the table of the entity
     * @param since the result of {@link #now()} before the claim
     * @return the hold, which the caller closes when the claim has ended
     */
    public Hold keep(Claim claim, EntityTable table, Duration since) {
        RenewableLeases leases = table.database().leases(ledger);
        return keeper.keep(leases, claim.held(), stuckAfter.apply(claim.state().module()), maximum, since);
    }

    /**
     * Reads this node's clock, by which claims are renewed.
     *
     * @return the time since an arbitrary moment in the past
     */
    public Duration now() {
        return keeper.now();
    }

    /**
     * Returns true if an entity in this status is claimed.
     *
     * @param table the entity's table
     * @param status the status's name
     * @return true if the status is a claim state of the table
     */
    public boolean isClaimState(EntityTable table, String status) {
        return states.namesOn(table).contains(status);
    }

    /**
     * Ends a claim with success.
     *
     * @param claim the claim
     * @param status the entity's new status
     * @return the way in which the claim ended
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     */
    public ClaimEnd complete(Claim claim, String status) {
        return end(claim, status, Flip.Kind.COMPLETED);
    }

    /**
     * Releases a claim. The entity returns to the status from which it was claimed.
     *
     * @param claim the claim
     * @return the way in which the claim ended
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     */
    public ClaimEnd release(Claim claim) {
        return end(claim, claim.state().revertTo(), Flip.Kind.RELEASED);
    }

    /**
     * Reads the claim of an entity. Call this method in the context of the entity's tenant.
     *
     * @param table the table of the entity
     * @param id the entity's id
     * @return the ledger's row, or empty if the entity is not claimed
     */
    public Optional<ClaimedRow> find(EntityTable table, Object id) {
        return table.own().single(connection -> ledger.rows().of(connection, table, id));
    }

    /**
     * Lists the current claims, oldest first.
     *
     * @param limit the greatest number of claims
     * @return the ledger's rows
     */
    public List<ClaimedRow> list(int limit) {
        return list(null, limit);
    }

    /**
     * Lists the current claims of one tenant, oldest first.
     *
     * @param tenant the tenant, an empty string for claims of no tenant, or null for all claims
     * @param limit the greatest number of claims
     * @return the ledger's rows
     */
    public List<ClaimedRow> list(@Nullable String tenant, int limit) {
        return list(
                tenant,
                limit,
                Comparator.comparing(ClaimedRow::claimedAt),
                connection -> ledger.rows().all(connection, tenant, limit));
    }

    /**
     * Lists the current claims of one tenant. Those whose owners have been silent for the longest time come first. An
     * index has this order, so the list is quick even if there are many claims.
     *
     * @param tenant the tenant, an empty string for claims of no tenant, or null for all claims
     * @param limit the greatest number of claims
     * @return the ledger's rows
     */
    public List<ClaimedRow> listBySilence(@Nullable String tenant, int limit) {
        return listBySilence(tenant, null, limit);
    }

    /**
     * Continues the list of the current claims of one tenant. A claim whose owner sends a heartbeat meanwhile moves to
     * the end of the list.
     *
     * @param tenant the tenant, an empty string for claims of no tenant, or null for all claims
     * @param after the {@linkplain ClaimedRow#place() place} of the last claim of the previous page, or null for the
     *     first page
     * @param limit the greatest number of claims
     * @return the ledger's rows
     * @throws IllegalArgumentException if {@code after} is not a place
     */
    public List<ClaimedRow> listBySilence(@Nullable String tenant, @Nullable String after, int limit) {
        TimePlace place = after == null ? null : TimePlace.read(after);
        return list(
                tenant,
                limit,
                Comparator.comparing(ClaimedRow::aliveAt).thenComparing(ClaimedRow::token),
                connection -> ledger.rows().bySilence(connection, tenant, place, limit));
    }

    /**
     * Finds the oldest of the 10,000 claims that have been silent for the longest time. No index has the ages of claims.
     *
     * @return the claim, or empty if there is none
     */
    public Optional<ClaimedRow> oldest() {
        return list(null, 1, Comparator.comparing(ClaimedRow::claimedAt), ledger.rows()::oldest).stream()
                .findFirst();
    }

    private List<ClaimedRow> list(
            @Nullable String tenant,
            int limit,
            Comparator<ClaimedRow> order,
            OwnTransactions.Work<List<ClaimedRow>> query) {
        return ledger.databases().ask(tenant, each -> each.own().single(query)).stream()
                .flatMap(List::stream)
                .sorted(order)
                .limit(limit)
                .toList();
    }

    private ClaimEnd end(Claim claim, String status, Flip.Kind kind) {
        ClaimLedger.requireNoTransaction();
        return ledger.tenants().in(claim.tenant(), () -> endHere(claim, status, kind));
    }

    private ClaimEnd endHere(Claim claim, String status, Flip.Kind kind) {
        EntityTable table = states.tableOf(claim.state());
        ClaimEnd ending = ledger.listeners()
                .calledIn(calls -> table.decided(
                        "Ending " + claim,
                        claim.id(),
                        connection -> end(
                                connection,
                                table,
                                claim,
                                status,
                                version -> calls.ended(connection, table, claim, kind, status, version))));
        if (ending == ClaimEnd.MOVED) {
            logger.warn(
                    "Other code changed the status of {} or deleted the entity while it was claimed. The entity stays as it is, and the claim has ended",
                    claim);
        }
        return ending;
    }

    private Decided<ClaimEnd> end(
            Connection connection, EntityTable table, Claim claim, String status, LongConsumer flipped)
            throws SQLException {
        HeldLease held = claim.held();
        // Remove the ledger's row first. If no row has the claim's token, the claim was lost, and the entity must not
        // be changed.
        Optional<String> transaction = ledger.remove(connection, held);
        if (transaction.isEmpty()) {
            return new Decided<>(ClaimEnd.TAKEN, null);
        }
        Optional<EntityRow> found = table.lock(connection, claim.id());
        Optional<Long> version =
                found.isEmpty() || !found.get().status().equals(claim.state().into())
                        ? Optional.empty()
                        : table.flipLocked(connection, claim.id(), claim.state().into(), status);
        version.ifPresent(flipped::accept);
        return new Decided<>(version.isEmpty() ? ClaimEnd.MOVED : ClaimEnd.DONE, transaction.get());
    }
}
