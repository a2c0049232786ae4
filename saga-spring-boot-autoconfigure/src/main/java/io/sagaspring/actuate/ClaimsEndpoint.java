package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.tenant.TenantUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
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

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;

    private final ClaimService claims;
    private final ClaimRecovery recoveries;
    private final JanitorRegistry janitors;

    /**
     * Creates the endpoint.
     *
     * @param claims the service that lists the claims
     * @param recoveries the component that finds one claim
     * @param janitors the registry of the sweeps that release claims
     */
    public ClaimsEndpoint(ClaimService claims, ClaimRecovery recoveries, JanitorRegistry janitors) {
        this.claims = claims;
        this.recoveries = recoveries;
        this.janitors = janitors;
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
     * The result of a release.
     *
     * @param result the result in one word
     * @param message the result in a sentence
     */
    public record Release(Result result, String message) {

        public enum Result {
            /** The claim was removed. If the entity still exists, it is free. */
            RELEASED,
            /** The entity is not claimed. */
            NOT_CLAIMED,
            /** The entity's claim has another token. */
            OTHER_CLAIM,
            /** A transaction holds the entity or its claim. */
            BLOCKED,
            /**
             * No workflow of this node has the entity with this claim state, or the tenant's database cannot be used.
             */
            UNKNOWN
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
        int most = limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
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
    public Release release(String entity, String id, @Nullable Long token, @Nullable String tenant) {
        return release(entity, id, token, tenant, Operator.UNKNOWN);
    }

    Release release(String entity, String id, @Nullable Long token, @Nullable String tenant, String by) {
        try {
            return released(entity, id, token, tenant, by);
        } catch (TenantUnavailableException unavailable) {
            return new Release(Release.Result.UNKNOWN, String.valueOf(unavailable.getMessage()));
        }
    }

    private Release released(String entity, String id, @Nullable Long token, @Nullable String tenant, String by) {
        boolean isStorable =
                Stream.of(entity, id, tenant == null ? "" : tenant).allMatch(text -> text.indexOf('\0') < 0);
        ClaimedRow row = isStorable ? recoveries.find(entity, id, tenant).orElse(null) : null;
        if (row == null) {
            return new Release(Release.Result.NOT_CLAIMED, "%s %s is not claimed.".formatted(entity, id));
        }
        if (token != null && token != row.token().value()) {
            return new Release(
                    Release.Result.OTHER_CLAIM,
                    "%s %s is claimed with token %s, not with %d. Nothing was released. Read sagaclaims again for the current claim."
                            .formatted(entity, id, row.token(), token));
        }
        return janitors.sweepOf(row)
                .map(sweep -> released(row, sweep.release(row, by)))
                .orElseGet(() -> unknown(row));
    }

    private static Release released(ClaimedRow row, ClaimRecovery.Recovered recovered) {
        return switch (recovered) {
            case FREED ->
                new Release(
                        Release.Result.RELEASED,
                        "%s %s has the status %s again.".formatted(row.entity(), row.id(), row.revertTo()));
            case CLEARED ->
                new Release(
                        Release.Result.RELEASED,
                        "%s %s no longer exists or no longer has the status %s. The claim was removed, and the entity was not changed."
                                .formatted(row.entity(), row.id(), row.claimState()));
            case PASSED_BY ->
                new Release(
                        Release.Result.NOT_CLAIMED,
                        "The claim on %s %s ended before it could be released.".formatted(row.entity(), row.id()));
            case BLOCKED ->
                new Release(
                        Release.Result.BLOCKED,
                        "A transaction holds %s %s or its claim, for example because the owner has written the entity. Nothing was changed. Try again when that transaction has ended."
                                .formatted(row.entity(), row.id()));
            case UNKNOWN -> unknown(row);
        };
    }

    private static Release unknown(ClaimedRow row) {
        return new Release(
                Release.Result.UNKNOWN,
                "No workflow of this node has the entity %s with the claim state %s. Send the request to a node of the application that made the claim. The node that made the claim is %s."
                        .formatted(row.entity(), row.claimState(), row.node()));
    }
}
