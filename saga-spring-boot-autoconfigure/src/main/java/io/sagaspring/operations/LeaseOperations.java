package io.sagaspring.operations;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseView;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.operations.Audit.Request;
import org.jspecify.annotations.Nullable;

/**
 * The operations on leases in the database.
 *
 * @since 0.1.0
 */
public final class LeaseOperations {

    private final StoredLeases leases;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param leases the leases in the database
     * @param audit the audit of the operations
     */
    public LeaseOperations(StoredLeases leases, Audit audit) {
        this.leases = leases;
        this.audit = audit;
    }

    /**
     * Frees a lease that a caller holds, so that another caller can acquire it at once. The previous owner is fenced
     * off. Its work is interrupted at its next heartbeat.
     *
     * @param name the text of the lease's name
     * @param tenant the tenant of the name, or null if it has none
     * @param token the token of the owner
     * @param reason the reason, or null if there is none
     * @param operator the person
     * @return the result
     */
    public OperationResult free(
            String name, @Nullable String tenant, long token, @Nullable String reason, Operator operator) {
        return audit.perform(
                new Request("lease.free", new OperationTarget("lease", name, tenant), operator, reason),
                () -> freed(name, tenant, new FencingToken(token)));
    }

    private OperationResult freed(String text, @Nullable String tenant, FencingToken token) {
        LeaseName name;
        try {
            name = new LeaseName(text, tenant);
        } catch (IllegalArgumentException impossible) {
            return unknown(text);
        }
        return switch (leases.free(name, token)) {
            case FREED ->
                OperationResult.accepted(
                        "The lease on '%s' is free. Its previous owner is fenced off.".formatted(name));
            case LOCKED ->
                OperationResult.refused(
                        "A transaction that has checked or ended the lease on '%s' is still in progress. Nothing was changed. Try again when that transaction has ended."
                                .formatted(name));
            case NOT_HELD ->
                leases.find(name).map(found -> refused(name, found, token)).orElseGet(() -> unknown(text));
        };
    }

    private static OperationResult refused(LeaseName name, LeaseView found, FencingToken token) {
        return OperationResult.refused(
                switch (found.state()) {
                    case COMPLETED ->
                        "The work under '%s' is complete, so no one holds the lease. Nothing was changed."
                                .formatted(name);
                    case FREE -> "No one holds the lease on '%s'. Nothing was changed.".formatted(name);
                    case HELD ->
                        "The lease on '%s' is held with token %s, not with %s. Nothing was changed. Look at the current owner first."
                                .formatted(name, found.token(), token);
                });
    }

    private static OperationResult unknown(String name) {
        return OperationResult.unknown("There is no lease on '%s'.".formatted(name));
    }
}
