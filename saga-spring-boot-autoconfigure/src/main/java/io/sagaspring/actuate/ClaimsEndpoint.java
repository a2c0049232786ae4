package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.operations.ClaimOperations;
import io.sagaspring.operations.ClaimRelease;
import io.sagaspring.operations.Operator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Lists the claims, and releases a claim at a person's request. Releasing is off unless {@code
 * management.endpoint.sagaclaims.access} is {@code unrestricted}. The endpoint releases a claim as a janitor does, but
 * without a check of the owner's last heartbeat. An owner that is still alive can then no longer commit.
 */
@Endpoint(id = "sagaclaims", defaultAccess = Access.READ_ONLY)
final class ClaimsEndpoint {

    private final ClaimService claims;
    private final ClaimOperations operations;

    /**
     * Creates the endpoint.
     *
     * @param claims the service that lists the claims
     * @param operations the operations on claims
     */
    public ClaimsEndpoint(ClaimService claims, ClaimOperations operations) {
        this.claims = claims;
        this.operations = operations;
    }

    /**
     * A list of claims.
     *
     * @param claims the claims, oldest first
     * @param more true if there are more claims than the list shows
     */
    public record Claims(List<Claimed> claims, boolean more) {}

    /**
     * One claim.
     *
     * @param entity the entity's table
     * @param id the entity's id
     * @param workflow the workflow whose step claimed the entity
     * @param module the module whose janitor may revert the claim
     * @param claimState the entity's claim state
     * @param revertTo the status that the entity gets when the claim is released
     * @param requester the role on whose behalf the entity was claimed, or {@code -} for an orphan
     * @param node the node of the claim's owner, or {@code -} for an orphan
     * @param token the fencing token, which distinguishes this claim from other claims of the same entity
     * @param claimedAt the time of the claim, by the database clock
     * @param age the time since the claim
     * @param silentFor the time since the node's last heartbeat for this claim
     * @param tenant the tenant for which the entity was claimed, or null if there was none
     */
    public record Claimed(
            String entity,
            String id,
            String workflow,
            String module,
            String claimState,
            String revertTo,
            String requester,
            String node,
            long token,
            Instant claimedAt,
            Duration age,
            Duration silentFor,
            @Nullable String tenant) {

        static Claimed of(ClaimedRow row) {
            return new Claimed(
                    row.entity(),
                    row.id(),
                    row.workflow(),
                    row.module(),
                    row.claimState(),
                    row.revertTo(),
                    row.requester(),
                    row.node(),
                    row.token().value(),
                    row.claimedAt(),
                    row.age(),
                    row.silentFor(),
                    row.tenant());
        }
    }

    /**
     * Lists the current claims, oldest first.
     *
     * @param limit the largest number of claims to list, at most 1,000; 100 if it is not given
     * @param tenant the tenant of the claims, an empty string for claims of no tenant, or null for all claims
     * @return the claims
     */
    @ReadOperation
    public Claims claims(@Nullable Integer limit, @Nullable String tenant) {
        int most = Given.limit(limit);
        List<ClaimedRow> rows = claims.list(tenant, most + 1);
        return new Claims(rows.stream().limit(most).map(Claimed::of).toList(), rows.size() > most);
    }

    /**
     * Releases one claim.
     *
     * @param entity the entity's table, as the list shows it
     * @param id the entity's id
     * @param token the claim's token, or null for any claim of the entity
     * @param tenant the tenant of the claim, or null if the entity's table and id identify the claim
     * @return the result
     */
    @DeleteOperation
    public ClaimRelease release(String entity, String id, @Nullable Long token, @Nullable String tenant) {
        return release(entity, id, token, tenant, CurrentOperator.UNKNOWN);
    }

    ClaimRelease release(String entity, String id, @Nullable Long token, @Nullable String tenant, Operator operator) {
        return operations.release(entity, id, token, tenant, operator);
    }
}
