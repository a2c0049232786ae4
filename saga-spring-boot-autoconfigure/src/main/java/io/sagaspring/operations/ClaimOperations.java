package io.sagaspring.operations;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.operations.Audit.Request;
import io.sagaspring.operations.ClaimRelease.Result;
import io.sagaspring.tenant.TenantUnavailableException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operations on claims.
 *
 * @since 0.1.0
 */
public final class ClaimOperations {

    private final ClaimRecovery recoveries;
    private final JanitorRegistry janitors;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param recoveries the component that finds one claim
     * @param janitors the registry of the sweeps that release claims
     * @param audit the audit of the operations
     */
    public ClaimOperations(ClaimRecovery recoveries, JanitorRegistry janitors, Audit audit) {
        this.recoveries = recoveries;
        this.janitors = janitors;
        this.audit = audit;
    }

    /**
     * Releases a claim as a janitor does, but without a check of the owner's last heartbeat. An owner that is still
     * alive can then no longer commit.
     *
     * @param entity the entity's table
     * @param id the entity's id
     * @param token the claim's token, or null for any claim of the entity
     * @param tenant the tenant of the claim, or null if the entity's table and id identify the claim
     * @param operator the person
     * @return the result
     */
    public ClaimRelease release(
            String entity, String id, @Nullable Long token, @Nullable String tenant, Operator operator) {
        OperationTarget target = new OperationTarget("claim", "%s %s".formatted(entity, id), tenant);
        return audit.release(new Request("claim.release", target, operator, null), () -> {
            try {
                return released(entity, id, token, tenant, operator);
            } catch (TenantUnavailableException unavailable) {
                return new ClaimRelease(Result.UNKNOWN, String.valueOf(unavailable.getMessage()));
            }
        });
    }

    private ClaimRelease released(
            String entity, String id, @Nullable Long token, @Nullable String tenant, Operator operator) {
        boolean isStorable =
                Stream.of(entity, id, tenant == null ? "" : tenant).allMatch(text -> text.indexOf('\0') < 0);
        ClaimedRow row = isStorable ? recoveries.find(entity, id, tenant).orElse(null) : null;
        if (row == null) {
            return new ClaimRelease(Result.NOT_CLAIMED, "%s %s is not claimed.".formatted(entity, id));
        }
        if (token != null && token != row.token().value()) {
            return new ClaimRelease(
                    Result.OTHER_CLAIM,
                    "%s %s is claimed with token %s, not with %s. Nothing was released. Read sagaclaims again for the current claim."
                            .formatted(entity, id, row.token(), token));
        }
        return janitors.sweepOf(row)
                .map(sweep -> released(row, sweep.release(row, operator.toString())))
                .orElseGet(() -> unknown(row));
    }

    private static ClaimRelease released(ClaimedRow row, ClaimRecovery.Recovered recovered) {
        return switch (recovered) {
            case FREED ->
                new ClaimRelease(
                        Result.RELEASED,
                        "%s %s has the status %s again.".formatted(row.entity(), row.id(), row.revertTo()));
            case CLEARED ->
                new ClaimRelease(
                        Result.RELEASED,
                        "%s %s no longer exists or no longer has the status %s. The claim was removed, and the entity was not changed."
                                .formatted(row.entity(), row.id(), row.claimState()));
            case PASSED_BY ->
                new ClaimRelease(
                        Result.NOT_CLAIMED,
                        "The claim on %s %s ended before it could be released.".formatted(row.entity(), row.id()));
            case BLOCKED ->
                new ClaimRelease(
                        Result.BLOCKED,
                        "A transaction holds %s %s or its claim, for example because the owner has written the entity. Nothing was changed. Try again when that transaction has ended."
                                .formatted(row.entity(), row.id()));
            case UNKNOWN -> unknown(row);
        };
    }

    private static ClaimRelease unknown(ClaimedRow row) {
        return new ClaimRelease(
                Result.UNKNOWN,
                "No workflow of this node has the entity %s with the claim state %s. Send the request to a node of the application that made the claim. The node that made the claim is %s."
                        .formatted(row.entity(), row.claimState(), row.node()));
    }
}
