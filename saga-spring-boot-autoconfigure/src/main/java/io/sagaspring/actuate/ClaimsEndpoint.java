package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.janitor.JanitorRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Shows what is claimed, and releases a claim where a person has decided so. Releasing is off unless {@code
 * management.endpoint.sagaclaims.access} is {@code unrestricted}. It is what a janitor does, without asking how long the
 * owner was silent: an owner that is alive commits nothing.
 */
@Endpoint(id = "sagaclaims", defaultAccess = Access.READ_ONLY)
final class ClaimsEndpoint {

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;

    private final ClaimService claims;
    private final ClaimRecovery recoveries;
    private final JanitorRegistry coverage;

    /**
     * An endpoint over this ledger.
     *
     * @param claims lists them
     * @param recoveries finds one
     * @param coverage knows the janitor that releases it
     */
    public ClaimsEndpoint(ClaimService claims, ClaimRecovery recoveries, JanitorRegistry coverage) {
        this.claims = claims;
        this.recoveries = recoveries;
        this.coverage = coverage;
    }

    /**
     * What is claimed.
     *
     * @param claims oldest first
     * @param more whether there are others
     */
    public record Claims(List<Claimed> claims, boolean more) {}

    /**
     * One claim.
     *
     * @param entity the entity's table
     * @param id the entity's id
     * @param workflow the workflow whose step claimed it
     * @param module the module whose janitor may free it
     * @param claimState the state the entity is in
     * @param revertTo where it goes when it is released
     * @param requester on whose behalf it was claimed
     * @param node the node that works on it
     * @param token tells this claim from an earlier or later one on the same entity
     * @param claimedAt since when, by the database's clock
     * @param age how long that is
     * @param silentFor how long ago the node was last heard of
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
            Duration silentFor) {

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
                    row.silentFor());
        }
    }

    /**
     * What became of a release.
     *
     * @param result what, in one word
     * @param message what, in a sentence
     */
    public record Release(Result result, String message) {

        /** What became of it. */
        public enum Result {
            /** The claim is gone, and its entity is free. */
            RELEASED,
            /** There is no such claim. */
            NOT_CLAIMED,
            /** There is another claim by now. */
            OTHER_CLAIM,
            /** A transaction holds the entity or its claim. */
            BLOCKED,
            /** This node does not know the entity. */
            UNKNOWN
        }
    }

    /**
     * What is claimed at this moment, oldest first.
     *
     * @param limit how many at most, 100 when not given, and no more than 1,000
     * @return the claims
     */
    @ReadOperation
    public Claims claims(@Nullable Integer limit) {
        int most = limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
        List<ClaimedRow> rows = claims.list(most + 1);
        return new Claims(rows.stream().limit(most).map(Claimed::of).toList(), rows.size() > most);
    }

    /**
     * Releases one claim.
     *
     * @param entity the entity's table, as the list shows it
     * @param id the entity's id
     * @param token which of its claims, or null for whichever there is
     * @return what became of it
     */
    @DeleteOperation
    public Release release(String entity, String id, @Nullable Long token) {
        return release(entity, id, token, Operator.UNKNOWN);
    }

    Release release(String entity, String id, @Nullable Long token, String by) {
        boolean isStorable = entity.indexOf('\0') < 0 && id.indexOf('\0') < 0;
        ClaimedRow row = isStorable ? recoveries.find(entity, id).orElse(null) : null;
        if (row == null) {
            return new Release(Release.Result.NOT_CLAIMED, "Nobody has claimed %s %s.".formatted(entity, id));
        }
        if (token != null && token != row.token().value()) {
            return new Release(
                    Release.Result.OTHER_CLAIM,
                    "%s %s is claimed with token %s, not with %d: that claim is over. This one was left as it is."
                            .formatted(entity, id, row.token(), token));
        }
        return coverage.sweepOf(row)
                .map(sweep -> released(row, sweep.release(row, by)))
                .orElseGet(() -> unknown(row));
    }

    private static Release released(ClaimedRow row, ClaimRecovery.Recovered recovered) {
        return switch (recovered) {
            case FREED ->
                new Release(
                        Release.Result.RELEASED,
                        "%s %s is in %s again.".formatted(row.entity(), row.id(), row.revertTo()));
            case CLEARED ->
                new Release(
                        Release.Result.RELEASED,
                        "%s %s was gone or not in %s any more. The claim was removed, the entity was left as it is."
                                .formatted(row.entity(), row.id(), row.claimState()));
            case PASSED_BY ->
                new Release(
                        Release.Result.NOT_CLAIMED,
                        "The claim on %s %s ended before it could be released.".formatted(row.entity(), row.id()));
            case BLOCKED ->
                new Release(
                        Release.Result.BLOCKED,
                        "A transaction holds %s %s: its owner has written, or somebody else has locked it. Nothing was changed; try again when that transaction is over."
                                .formatted(row.entity(), row.id()));
            case UNKNOWN -> unknown(row);
        };
    }

    private static Release unknown(ClaimedRow row) {
        return new Release(
                Release.Result.UNKNOWN,
                "No workflow of this node is about %s in %s. Ask a node of the application that claimed it (%s)."
                        .formatted(row.entity(), row.claimState(), row.node()));
    }
}
