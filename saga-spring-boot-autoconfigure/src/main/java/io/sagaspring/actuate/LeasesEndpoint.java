package io.sagaspring.actuate;

import io.sagaspring.lease.LeasePage;
import io.sagaspring.lease.LeaseQuery;
import io.sagaspring.lease.LeaseState;
import io.sagaspring.lease.LeaseView;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.operations.LeaseOperations;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Lists the leases in the database, and frees a lease. Only reading is allowed unless {@code
 * management.endpoint.sagaleases.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagaleases", defaultAccess = Access.READ_ONLY)
final class LeasesEndpoint {

    private static final String A_TOKEN = "Copy the token of the lease from the list.";

    private final StoredLeases leases;
    private final LeaseOperations operations;

    /**
     * Creates the endpoint.
     *
     * @param leases the leases in the database
     * @param operations the operations on leases
     */
    public LeasesEndpoint(StoredLeases leases, LeaseOperations operations) {
        this.leases = leases;
        this.operations = operations;
    }

    /**
     * A page of names of leases.
     *
     * @param leases the names
     * @param next the value of {@code after} for the next page, or null if there are no further names
     */
    public record Listed(List<Shown> leases, @Nullable String next) {}

    /**
     * A name of leases.
     *
     * @param name the text of the name
     * @param tenant the tenant of the name, or null if it has none
     * @param state {@code held}, {@code free} or {@code completed}
     * @param completion how the work was completed, or null if it is not complete
     * @param node the node of the latest owner
     * @param token the latest token
     * @param heldSince the time of the acquisition, or null if the lease is not held
     * @param endsAt the time at which the lease expires if it is not renewed, or null if it is not held
     * @param endedAt the time at which the lease or the work ended, or null if the lease is held
     */
    public record Shown(
            String name,
            @Nullable String tenant,
            String state,
            @Nullable String completion,
            String node,
            long token,
            @Nullable Instant heldSince,
            @Nullable Instant endsAt,
            @Nullable Instant endedAt) {

        static Shown of(LeaseView view) {
            return new Shown(
                    view.name(),
                    view.tenant(),
                    view.state().text(),
                    view.completion() == null ? null : view.completion().name().toLowerCase(Locale.ROOT),
                    view.node(),
                    view.token().value(),
                    view.heldSince(),
                    view.endsAt(),
                    view.endedAt());
        }
    }

    /**
     * Lists names of leases, ordered by name.
     *
     * @param name the text of the name; the name of a tenant is found only together with the tenant
     * @param tenant the tenant, or an empty string for names of no tenant
     * @param node the node of the latest owner
     * @param state {@code held}, {@code free} or {@code completed}
     * @param after the value of {@code next} in the previous answer
     * @param limit the largest number of names to list, at most 1,000; 100 if it is not given
     * @return the names
     */
    @ReadOperation
    public Listed list(
            @Nullable String name,
            @Nullable String tenant,
            @Nullable String node,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        LeaseState wanted = Given.constant("state", state, LeaseState.class);
        String text = Given.nonEmpty("name", name);
        String owned = Given.text("tenant", tenant);
        String owner = Given.nonEmpty("node", node);
        Function<@Nullable String, LeasePage> reading =
                from -> leases.list(new LeaseQuery(text, owned, owner, wanted, from, Given.limit(limit)));
        LeasePage page = after == null
                ? reading.apply(null)
                : BadRequest.read(after, from -> reading.apply(from), Given.NEXT_PAGE);
        return new Listed(page.leases().stream().map(Shown::of).toList(), page.next());
    }

    /**
     * Frees a lease that a caller holds. The previous owner is fenced off.
     *
     * @param name the text of the lease's name
     * @param tenant the tenant of the name, or null if it has none
     * @param token the token of the owner, as the list shows it
     * @param reason the reason, or null if there is none
     * @return the result
     */
    @DeleteOperation
    public OperationResult free(
            @Nullable String name, @Nullable String tenant, @Nullable Long token, @Nullable String reason) {
        return free(name, tenant, token, reason, CurrentOperator.UNKNOWN);
    }

    OperationResult free(
            @Nullable String name,
            @Nullable String tenant,
            @Nullable Long token,
            @Nullable String reason,
            Operator operator) {
        return operations.free(
                Given.required("name", name, "Copy the name of the lease from the list."),
                Given.nonEmpty("tenant", tenant),
                Given.required("token", token, A_TOKEN),
                reason,
                operator);
    }
}
